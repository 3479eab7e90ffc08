//! The host's logger: what the engine says reaches it from whichever thread.

use std::sync::Arc;

use napi::{
    Env, Status,
    bindgen_prelude::Function,
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};
use napi_derive::napi;

use super::thread::JsThread;
use engine::log::{Line, Sink, tell};

/// What the engine says.
#[napi(object)]
pub struct LogLine {
    /// How grave.
    #[napi(ts_type = "'error' | 'warn' | 'info' | 'debug'")]
    pub level: String,
    /// Whose memory it is about; none when it is about all.
    pub agent: Option<String>,
    /// What happened, why, and what to do about it. No text of notes, questions or conversations, and no secret.
    pub text: String,
}

/// What JavaScript passes: `(line) => void`.
pub(super) type LogFunction<'a> = Function<'a, LogLine, ()>;

/// Weak, so that it never keeps the process alive.
type LogCallback = ThreadsafeFunction<LogLine, (), LogLine, Status, false, true>;

/// Where the engine speaks to from now on, in place of what this thread named before. The same is said once in ten
/// minutes. It must not throw.
#[napi]
pub fn set_logger(env: &Env, log: LogFunction<'_>) -> napi::Result<()> {
    tell(JsThread::current(env)?.id, sink(env, &log)?);
    Ok(())
}

/// The engine's view of the function, to be called from any thread.
pub(super) fn sink(env: &Env, log: &LogFunction<'_>) -> napi::Result<Sink> {
    let thread = JsThread::current(env)?;
    let callback: Arc<LogCallback> =
        Arc::new(log.build_threadsafe_function::<LogLine>().weak::<true>().build_callback(|c| Ok(c.value))?);
    Ok(Arc::new(move |line: Line| {
        let Line { level, agent, text } = line;
        let line = LogLine { level: level.to_owned(), agent, text };
        !thread.has_ended() && callback.call(line, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }))
}
