//! Engine errors as JavaScript errors with `code`, `remedy`, `retryAfterMs` and the host's own code.

use napi::{Env, Error as NapiError, JsValue, Result as NapiResult, Status};

use model::error::Error;

/// The error to throw on the JS thread, or to reject a promise with.
pub(super) fn to_js(env: &Env, error: Error) -> NapiError {
    let text = error.to_string();
    let fallback = NapiError::new(Status::GenericFailure, text.clone());
    build(env, error, text).unwrap_or(fallback)
}

fn build(env: &Env, error: Error, text: String) -> NapiResult<NapiError> {
    let mut object = env.create_error(NapiError::new(Status::GenericFailure, text))?;
    object.set("code", error.code().as_str())?;
    if let Some(code) = error.host_code() {
        object.set("hostCode", code)?;
    }
    if let Some(remedy) = &error.remedy {
        object.set("remedy", &**remedy)?;
    }
    if let Some(ms) = error.retry_after_ms() {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds stay far below 2^53")]
        object.set("retryAfterMs", ms as f64)?;
    }
    Ok(NapiError::from(object.to_unknown()))
}
