//! An embedder whose model is known to have been another one under the same name: its vectors have a space of their own.

use std::{sync::Arc, time::Duration};

use super::{BoxFuture, Embedder, Limits, Purpose, Sink, Space, pieces::ByPiece};
use model::{error::Result, usage::Usage};
use text::language::Language;

/// Another embedder, in a later revision of its space.
pub struct Revised {
    inner: Arc<dyn Embedder>,
    space: Space,
}

impl Revised {
    /// The same embedder in a revision of its space.
    #[must_use]
    pub fn new(inner: Arc<dyn Embedder>, revision: u32) -> Self {
        let space = inner.space().revised(revision);
        Self { inner, space }
    }
}

impl Embedder for Revised {
    fn space(&self) -> &Space {
        &self.space
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn is_local(&self) -> bool {
        self.inner.is_local()
    }

    fn language(&self) -> Option<Language> {
        self.inner.language()
    }

    fn by_piece(&self) -> Option<&dyn ByPiece> {
        self.inner.by_piece()
    }

    fn usage(&self) -> Usage {
        self.inner.usage()
    }

    fn take_usage(&self) -> Usage {
        self.inner.take_usage()
    }

    fn run_size(&self) -> usize {
        self.inner.run_size()
    }

    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        self.inner.cancel_pending()
    }

    fn expect_dims(&self, dims: usize) {
        self.inner.expect_dims(dims);
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        self.inner.embed_each(texts, purpose, timeout, sink)
    }
}
