//! JavaScript functions that the engine calls: the host's own embedding adapters, and its conversations.

use std::sync::Arc;

use napi::{
    Env, Status,
    bindgen_prelude::{Float32Array, FnArgs, Function, Promise},
    threadsafe_function::ThreadsafeFunction,
};

use napi_derive::napi;
use serde_json::Value;

use super::thread::JsThread;
use embed::{BoxFuture, Purpose};
use engine::transcripts::host::AskHost;
use model::error::{Code, Error, ErrorKind, Result};

/// What an error of the host says. Its code, status and patience come as data, so that nobody reads them out of words.
#[napi(object)]
pub struct HostFailure {
    /// In its own words.
    pub message: String,
    /// Its code: one of ours stays what it is.
    pub code: Option<String>,
    /// The HTTP status that it names.
    pub status: Option<u16>,
    /// How long it asks to wait, in milliseconds.
    pub retry_after_ms: Option<f64>,
}

impl HostFailure {
    /// As an error of the engine.
    fn into_error(self, who: &str) -> Error {
        let kind = match self.code.as_deref().and_then(Code::parse) {
            Some(code) if code != Code::Internal => code.into(),
            _ => ErrorKind::Host {
                code: self.code.map(Into::into),
                status: self.status,
                retry_after_ms: self.retry_after_ms.map(|ms| ms as u32),
            },
        };
        Error::new(kind, format!("{who}: {}", self.message))
    }
}

/// Vectors, or why there are none.
#[napi(object, object_to_js = false)]
pub struct EmbedAnswer {
    /// One a text, in order.
    pub value: Option<Vec<Float32Array>>,
    /// What was thrown.
    pub failure: Option<HostFailure>,
}

/// What the host says of its conversations, or why it cannot.
#[napi(object, object_to_js = false)]
pub struct SessionAnswer {
    /// The answer.
    pub value: Option<Value>,
    /// What was thrown.
    pub failure: Option<HostFailure>,
}

/// One of both.
fn outcome<T>(value: Option<T>, failure: Option<HostFailure>, who: &str) -> Result<T> {
    match (value, failure) {
        (_, Some(failure)) => Err(failure.into_error(who)),
        (Some(value), None) => Ok(value),
        (None, None) => Err(Error::new(ErrorKind::HOST, format!("{who}: no answer"))),
    }
}

/// Names the host's adapter in an error.
const ADAPTER: &str = "the host's adapter failed";
/// Names the host's conversations in an error.
const CONVERSATIONS: &str = "the host's conversations";

/// What JavaScript passes: `(texts, kind, provider) => Promise<EmbedAnswer>`.
pub(super) type EmbedCall<'a> = Function<'a, EmbedArgs, Promise<EmbedAnswer>>;

/// Three arguments; a bare tuple would arrive as one array.
type EmbedArgs = FnArgs<(Vec<String>, String, String)>;

/// Weak, so that it never keeps the process alive.
type EmbedCallback = ThreadsafeFunction<EmbedArgs, Promise<EmbedAnswer>, EmbedArgs, Status, false, true>;

/// The engine's view of the function.
pub(super) type EmbedFn = Arc<dyn Fn(Vec<String>, Purpose) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync>;

/// Makes the function callable from any thread, for one provider. It fails with [`Code::Closed`] once its own thread has
/// ended, also in the middle of a call: what was promised there never comes.
pub(super) fn embed_callback(env: &Env, function: &EmbedCall<'_>, provider: &str) -> napi::Result<EmbedFn> {
    let thread = JsThread::current(env)?;
    let callback: Arc<EmbedCallback> = Arc::new(
        function.build_threadsafe_function::<EmbedArgs>().weak::<true>().build_callback(|context| Ok(context.value))?,
    );
    let provider = provider.to_owned();
    Ok(Arc::new(move |texts, purpose| {
        let (provider, callback, thread) = (provider.clone(), Arc::clone(&callback), thread.clone());
        Box::pin(async move {
            let kind = match purpose {
                Purpose::Query => "query",
                Purpose::Document => "document",
            };
            let failed = |e| not_asked(&thread, ADAPTER, e);
            let call = async {
                let asked = callback.call_async((texts, kind.to_owned(), provider).into()).await;
                let answer = asked.map_err(failed)?.await.map_err(failed)?;
                let vectors = outcome(answer.value, answer.failure, ADAPTER)?;
                Ok(vectors.iter().map(|v| v.to_vec()).collect())
            };
            thread.wait(call).await
        })
    }))
}

/// A call that never got an answer. One that cannot be made because the thread is ending is no failure of the host.
fn not_asked(thread: &JsThread, who: &str, error: napi::Error) -> Error {
    let kind = if thread.has_ended() { ErrorKind::Closed } else { ErrorKind::HOST };
    Error::new(kind, format!("{who}: {}", error.reason))
}

/// What JavaScript passes: `(request) => Promise<SessionAnswer>`.
pub(super) type SessionCall<'a> = Function<'a, Value, Promise<SessionAnswer>>;

/// Weak, so that it never keeps the process alive.
type SessionCallback = ThreadsafeFunction<Value, Promise<SessionAnswer>, Value, Status, false, true>;

/// Makes the function callable from any thread. It fails like [`embed_callback`] when its own thread has ended.
pub(super) fn session_callback(env: &Env, function: &SessionCall<'_>) -> napi::Result<AskHost> {
    let thread = JsThread::current(env)?;
    let callback: Arc<SessionCallback> =
        Arc::new(function.build_threadsafe_function::<Value>().weak::<true>().build_callback(|c| Ok(c.value))?);
    Ok(Arc::new(move |request| {
        let (callback, thread) = (Arc::clone(&callback), thread.clone());
        Box::pin(async move {
            let failed = |e| not_asked(&thread, CONVERSATIONS, e);
            let call = async {
                let answer = callback.call_async(request).await.map_err(failed)?.await.map_err(failed)?;
                outcome(answer.value, answer.failure, CONVERSATIONS)
            };
            thread.wait(call).await
        })
    }))
}
