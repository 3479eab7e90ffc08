//! The host as one object of JavaScript: the engine's port to it.

use std::sync::Arc;

use napi::{
    Env, Status,
    bindgen_prelude::{Float32Array, FnArgs, Function, Promise},
    threadsafe_function::ThreadsafeFunction,
};
use napi_derive::napi;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    log::{LogFunction, sink},
    thread::JsThread,
};
use embed::{BoxFuture, Purpose, callback::Asked};
use engine::{
    host::{Host, ModelTask, Offers, Origin, ProvenanceAsked},
    log::{Line, Sink},
};
use model::error::{Code, Error, ErrorKind, Result};

/// What a host offers; each part may be missing.
#[napi(object, object_to_js = false)]
pub struct NativeHost<'a> {
    /// Makes vectors with an adapter of the host.
    #[napi(ts_type = "EmbedCall")]
    pub embed: Option<Function<'a, EmbedArgs, Promise<EmbedAnswer>>>,
    /// Tells of the conversations that the host keeps itself.
    #[napi(ts_type = "(request: SessionRequest) => Promise<HostAnswer>")]
    pub conversations: Option<Function<'a, Value, Promise<HostAnswer>>>,
    /// Asks the user's model.
    #[napi(ts_type = "(task: ModelTask) => Promise<HostAnswer>")]
    pub ask_model: Option<Function<'a, Value, Promise<HostAnswer>>>,
    /// Tells whose words files hold.
    #[napi(ts_type = "(asked: ProvenanceAsked) => Promise<HostAnswer>")]
    pub provenance: Option<Function<'a, Value, Promise<HostAnswer>>>,
    /// Tells the password of the database that the settings name, as it is now.
    #[napi(ts_type = "() => Promise<HostAnswer>")]
    pub database_password: Option<Function<'a, Value, Promise<HostAnswer>>>,
    /// Is told what the engine says; must not throw.
    #[napi(ts_type = "LogFunction")]
    pub log: Option<LogFunction<'a>>,
}

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
        Error::new(kind, format!("{who}{}", self.message))
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

/// What the host says, or why it cannot.
#[napi(object, object_to_js = false)]
pub struct HostAnswer {
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
        (None, None) => Err(Error::new(ErrorKind::HOST, format!("{who}no answer"))),
    }
}

/// Names the host's adapter in an error.
const ADAPTER: &str = "the host's adapter failed: ";
/// Names the host's conversations in an error.
const CONVERSATIONS: &str = "the host's conversations: ";
/// Names who tells whose words a file holds.
const PROVENANCE: &str = "the origin of files: ";
/// Names who tells the password of the database.
const PASSWORD: &str = "the password of the database: ";
/// A model's failure says by itself whose it is.
const MODEL: &str = "";

/// A picture or sound for an adapter.
#[napi(object, object_from_js = false)]
pub struct InlineData {
    /// Its media type.
    pub mime_type: String,
    /// The whole file as base64.
    pub data: String,
}

/// Four arguments; a bare tuple would arrive as one array.
type EmbedArgs = FnArgs<(Vec<String>, String, String, Option<InlineData>)>;

/// Weak, so that it never keeps the process alive.
type EmbedCallback = ThreadsafeFunction<EmbedArgs, Promise<EmbedAnswer>, EmbedArgs, Status, false, true>;

/// A question in JSON and its answer. Weak as well.
type JsonCallback = ThreadsafeFunction<Value, Promise<HostAnswer>, Value, Status, false, true>;

/// A host of one thread. Its functions can be called from any other.
pub(super) struct JsHost {
    thread: JsThread,
    offers: Offers,
    embed: Option<Arc<EmbedCallback>>,
    conversations: Option<Arc<JsonCallback>>,
    model: Option<Arc<JsonCallback>>,
    provenance: Option<Arc<JsonCallback>>,
    password: Option<Arc<JsonCallback>>,
    log: Option<Sink>,
}

impl JsHost {
    /// `serves` are the provider ids of the adapters; none = the configured provider.
    pub(super) fn new(env: &Env, host: &NativeHost<'_>, serves: Option<Vec<String>>) -> napi::Result<Self> {
        let embed = host.embed.as_ref().map(embed_callback).transpose()?;
        let conversations = host.conversations.as_ref().map(json_callback).transpose()?;
        let model = host.ask_model.as_ref().map(json_callback).transpose()?;
        let provenance = host.provenance.as_ref().map(json_callback).transpose()?;
        let password = host.database_password.as_ref().map(json_callback).transpose()?;
        let log = host.log.as_ref().map(|log| sink(env, log)).transpose()?;
        let offers = Offers {
            embed: embed.as_ref().map_or_else(Vec::new, |_| serves.unwrap_or_else(|| vec![String::new()])),
            conversations: conversations.is_some(),
            model: model.is_some(),
            provenance: provenance.is_some(),
            database_password: password.is_some(),
            log: log.is_some(),
        };
        Ok(Self { thread: JsThread::current(env)?, offers, embed, conversations, model, provenance, password, log })
    }

    /// The number of its thread.
    pub(super) const fn thread(&self) -> u64 {
        self.thread.id
    }

    fn ask<T: DeserializeOwned + Send + 'static>(
        &self,
        function: Option<&Arc<JsonCallback>>,
        request: &impl Serialize,
        who: &'static str,
    ) -> BoxFuture<'static, Result<T>> {
        let (function, thread) = (function.cloned(), self.thread.clone());
        let request = serde_json::to_value(request);
        Box::pin(async move {
            let function = function.ok_or_else(|| not_offered(who))?;
            let request = request.map_err(|e| Error::new(Code::Internal, format!("{who}{e}")))?;
            let failed = |e| not_asked(&thread, who, e);
            let call = async {
                let answer = function.call_async(request).await.map_err(failed)?.await.map_err(failed)?;
                let value = outcome(answer.value, answer.failure, who)?;
                serde_json::from_value(value).map_err(|e| Error::new(ErrorKind::HOST, format!("{who}{e}")).caused_by(e))
            };
            thread.wait(call).await
        })
    }
}

impl Host for JsHost {
    fn offers(&self) -> &Offers {
        &self.offers
    }

    fn embed(&self, provider: &str, asked: Asked) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> {
        let (function, thread, provider) = (self.embed.clone(), self.thread.clone(), provider.to_owned());
        Box::pin(async move {
            let function = function.ok_or_else(|| not_offered(ADAPTER))?;
            let (texts, kind, media) = match asked {
                Asked::Texts(texts, Purpose::Query) => (texts, "query", None),
                Asked::Texts(texts, Purpose::Document) => (texts, "document", None),
                Asked::Media(media) => {
                    let (mime_type, data) = (media.mime.clone(), media.base64());
                    (vec![media.text.clone()], "document", Some(InlineData { mime_type, data }))
                }
            };
            let failed = |e| not_asked(&thread, ADAPTER, e);
            let call = async {
                let asked = function.call_async((texts, kind.to_owned(), provider, media).into()).await;
                let answer = asked.map_err(failed)?.await.map_err(failed)?;
                let vectors = outcome(answer.value, answer.failure, ADAPTER)?;
                Ok(vectors.iter().map(|v| v.to_vec()).collect())
            };
            thread.wait(call).await
        })
    }

    fn conversations(&self, request: Value) -> BoxFuture<'static, Result<Value>> {
        self.ask(self.conversations.as_ref(), &request, CONVERSATIONS)
    }

    fn ask_model(&self, task: ModelTask) -> BoxFuture<'static, Result<String>> {
        self.ask(self.model.as_ref(), &task, MODEL)
    }

    fn provenance(&self, asked: ProvenanceAsked) -> BoxFuture<'static, Result<Vec<Origin>>> {
        self.ask(self.provenance.as_ref(), &asked, PROVENANCE)
    }

    fn database_password(&self) -> BoxFuture<'static, Result<String>> {
        self.ask(self.password.as_ref(), &(), PASSWORD)
    }

    fn log(&self, line: Line) -> bool {
        self.log.as_ref().is_some_and(|log| log(line))
    }
}

fn embed_callback(function: &Function<'_, EmbedArgs, Promise<EmbedAnswer>>) -> napi::Result<Arc<EmbedCallback>> {
    let builder = function.build_threadsafe_function::<EmbedArgs>().weak::<true>();
    Ok(Arc::new(builder.build_callback(|context| Ok(context.value))?))
}

fn json_callback(function: &Function<'_, Value, Promise<HostAnswer>>) -> napi::Result<Arc<JsonCallback>> {
    let builder = function.build_threadsafe_function::<Value>().weak::<true>();
    Ok(Arc::new(builder.build_callback(|context| Ok(context.value))?))
}

/// A call that never got an answer. One that cannot be made because the thread is ending is no failure of the host.
fn not_asked(thread: &JsThread, who: &str, error: napi::Error) -> Error {
    let kind = if thread.has_ended() { ErrorKind::Closed } else { ErrorKind::HOST };
    Error::new(kind, format!("{who}{}", error.reason))
}

/// The engine asks only for what is offered.
fn not_offered(who: &str) -> Error {
    Error::new(Code::Internal, format!("{who}not offered"))
}
