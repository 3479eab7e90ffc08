//! A JavaScript function as an embedding provider: the host's own adapters behind our trait.

use std::sync::Arc;

use napi::{
    Status,
    bindgen_prelude::{Float32Array, FnArgs, Function, Promise},
    threadsafe_function::ThreadsafeFunction,
};

use crate::{
    embed::{BoxFuture, Purpose},
    error::{Code, Error, Result},
};

/// What JavaScript passes: `(texts, kind) => Promise<Float32Array[]>`.
pub(super) type EmbedFunction<'a> = Function<'a, EmbedArgs, Promise<Vec<Float32Array>>>;

/// Two arguments; a bare tuple would arrive as one array.
type EmbedArgs = FnArgs<(Vec<String>, String)>;

/// Weak, so that it never keeps the process alive.
type EmbedCallback = ThreadsafeFunction<EmbedArgs, Promise<Vec<Float32Array>>, EmbedArgs, Status, false, true>;

/// The engine's view of the function.
pub(super) type EmbedFn = Arc<dyn Fn(Vec<String>, Purpose) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> + Send + Sync>;

/// Makes the function callable from any thread.
pub(super) fn embed_callback(function: &EmbedFunction<'_>) -> napi::Result<EmbedFn> {
    let callback: Arc<EmbedCallback> = Arc::new(
        function.build_threadsafe_function::<EmbedArgs>().weak::<true>().build_callback(|context| Ok(context.value))?,
    );
    Ok(Arc::new(move |texts, purpose| {
        let callback = Arc::clone(&callback);
        Box::pin(async move {
            let kind = match purpose {
                Purpose::Query => "query",
                Purpose::Document => "document",
            };
            let failed =
                |code| move |e: napi::Error| Error::new(code, format!("the host's adapter failed: {}", e.reason));
            let promise = callback
                .call_async((texts, kind.to_owned()).into())
                .await
                .map_err(failed(Code::ProviderUnavailable))?;
            // What an adapter throws has no code: the transport sorts it by its words.
            let vectors = promise.await.map_err(failed(Code::Internal))?;
            Ok(vectors.iter().map(|v| v.to_vec()).collect())
        })
    }))
}
