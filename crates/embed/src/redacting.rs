//! An embedder whose texts leave this machine: it gets none with a secret.

use std::{sync::Arc, time::Duration};

use super::{BoxFuture, Embedder, Limits, Purpose, Sink, Space};
use model::{error::Result, usage::Usage};
use text::{language::Language, redact::redact};

/// Takes secrets out of every text, notes and questions alike, before another embedder sees it.
pub(crate) struct Redacting(pub Arc<dyn Embedder>);

impl Embedder for Redacting {
    fn space(&self) -> &Space {
        self.0.space()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn is_local(&self) -> bool {
        self.0.is_local()
    }

    fn language(&self) -> Option<Language> {
        self.0.language()
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }

    fn take_usage(&self) -> Usage {
        self.0.take_usage()
    }

    fn run_size(&self) -> usize {
        self.0.run_size()
    }

    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        self.0.cancel_pending()
    }

    fn expect_dims(&self, dims: usize) {
        self.0.expect_dims(dims);
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let texts: Vec<String> = texts.iter().map(|text| redact(text).into_owned()).collect();
            self.0.embed_each(&texts, purpose, timeout, sink).await
        })
    }
}
