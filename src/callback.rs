//! JavaScript functions that the engine calls: the host's own embedding adapters, and its conversations.

use std::sync::Arc;

use napi::{
    Env, Status,
    bindgen_prelude::{Float32Array, FnArgs, Function, Promise},
    threadsafe_function::ThreadsafeFunction,
};

use serde_json::Value;

use super::thread::JsThread;
use embed::{BoxFuture, Purpose};
use engine::transcripts::host::AskHost;
use model::error::{Code, Error, Result};

/// What JavaScript passes: `(texts, kind, provider) => Promise<Float32Array[]>`.
pub(super) type EmbedFunction<'a> = Function<'a, EmbedArgs, Promise<Vec<Float32Array>>>;

/// Three arguments; a bare tuple would arrive as one array.
type EmbedArgs = FnArgs<(Vec<String>, String, String)>;

/// Weak, so that it never keeps the process alive.
type EmbedCallback = ThreadsafeFunction<EmbedArgs, Promise<Vec<Float32Array>>, EmbedArgs, Status, false, true>;

/// The engine's view of the function.
pub(super) type EmbedFn = Arc<dyn Fn(Vec<String>, Purpose) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync>;

/// Makes the function callable from any thread, for one provider. It fails with [`Code::Closed`] once its own thread has
/// ended, also in the middle of a call: what was promised there never comes.
pub(super) fn embed_callback(env: &Env, function: &EmbedFunction<'_>, provider: &str) -> napi::Result<EmbedFn> {
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
            // A call that cannot be made because the thread is ending is no failure of the provider.
            let failed = |code| {
                let code = if thread.has_ended() { Code::Closed } else { code };
                move |e: napi::Error| Error::new(code, format!("the host's adapter failed: {}", e.reason))
            };
            let call = async {
                let asked = callback.call_async((texts, kind.to_owned(), provider).into()).await;
                let promise = asked.map_err(failed(Code::ProviderUnavailable))?;
                // What an adapter throws has no code: the transport sorts it by its words.
                let vectors = promise.await.map_err(failed(Code::Internal))?;
                Ok(vectors.iter().map(|v| v.to_vec()).collect())
            };
            thread.wait(call).await
        })
    }))
}

/// What JavaScript passes: `(request) => Promise<answer>`.
pub(super) type SessionSource<'a> = Function<'a, Value, Promise<Value>>;

/// Weak, so that it never keeps the process alive.
type SessionCallback = ThreadsafeFunction<Value, Promise<Value>, Value, Status, false, true>;

/// Makes the function callable from any thread. It fails like [`embed_callback`] when its own thread has ended.
pub(super) fn session_callback(env: &Env, function: &SessionSource<'_>) -> napi::Result<AskHost> {
    let thread = JsThread::current(env)?;
    let callback: Arc<SessionCallback> =
        Arc::new(function.build_threadsafe_function::<Value>().weak::<true>().build_callback(|c| Ok(c.value))?);
    Ok(Arc::new(move |request| {
        let (callback, thread) = (Arc::clone(&callback), thread.clone());
        Box::pin(async move {
            let failed = |e: napi::Error| {
                let code = if thread.has_ended() { Code::Closed } else { Code::Internal };
                Error::new(code, format!("the host's conversations: {}", e.reason))
            };
            let call = async { callback.call_async(request).await.map_err(failed)?.await.map_err(failed) };
            thread.wait(call).await
        })
    }))
}
