//! Runs a future of the engine and gives JavaScript its promise.

use std::{future::Future, panic::AssertUnwindSafe, pin::Pin};

use futures::FutureExt;
use napi::{
    Env, JsValue, Result as NapiResult,
    bindgen_prelude::{PromiseRaw, ToNapiValue, Unknown},
};

use super::error::to_js;
use model::error::{Code, Error, Result};

/// What a call ended with, to be made a value of JavaScript on its thread.
type Outcome = Box<dyn for<'env> FnOnce(&'env Env) -> NapiResult<Unknown<'env>> + Send>;

/// A call at work. All calls are of one type: tokio's task and napi's promise are compiled once for each type of
/// future, 25 KB of code each.
type Call = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A promise of what `work` gives. A panic becomes [`Code::Internal`]: the gateway must survive it.
pub(super) fn promise<'env, T, V>(
    env: &'env Env,
    work: impl Future<Output = Result<T>> + Send + 'static,
    show: impl FnOnce(T) -> V + Send + 'static,
) -> NapiResult<PromiseRaw<'env, V>>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    let promise = spawn(
        env,
        Box::pin(async move {
            let outcome = work.await;
            let shown: Outcome = Box::new(move |env| match outcome {
                Ok(value) => show(value).into_unknown(env),
                Err(error) => Err(to_js(env, error)),
            });
            shown
        }),
    )?;
    Ok(PromiseRaw::new(env.raw(), promise.raw()))
}

fn spawn(env: &Env, call: Call) -> NapiResult<PromiseRaw<'_, Unknown<'_>>> {
    let caught = async move {
        Ok(AssertUnwindSafe(call).catch_unwind().await.unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            let error = Error::new(Code::Internal, format!("the engine stumbled: {what}"))
                .remedy("Please report it with the steps that led here; the index is unharmed");
            let shown: Outcome = Box::new(move |env| Err(to_js(env, error)));
            shown
        }))
    };
    env.spawn_future_with_callback(caught, |env, outcome: Outcome| outcome(env))
}
