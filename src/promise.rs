//! Runs a future of the engine and gives JavaScript its promise.

use std::{future::Future, panic::AssertUnwindSafe};

use futures::FutureExt;
use napi::{
    Env, Result as NapiResult,
    bindgen_prelude::{PromiseRaw, ToNapiValue},
};

use super::error::to_js;
use model::error::{Code, Error, Result};

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
    let caught = async move {
        Ok(AssertUnwindSafe(work).catch_unwind().await.unwrap_or_else(|panic| {
            let what = panic
                .downcast_ref::<&str>()
                .map(|s| (*s).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no message".to_owned());
            Err(Error::new(Code::Internal, format!("the engine stumbled: {what}"))
                .remedy("Please report it with the steps that led here; the index is unharmed"))
        }))
    };
    env.spawn_future_with_callback(caught, |env, outcome: Result<T>| match outcome {
        Ok(value) => Ok(show(value)),
        Err(error) => Err(to_js(env, error)),
    })
}
