//! Embedders around another one: what they leave as it is goes through to it.

use std::time::Duration;

use super::{BoxFuture, Embedded, Embedder, Limits, Purpose, Sink, Space, media::Media, pieces::ByPiece};
use model::{error::Result, usage::Usage};
use text::language::Language;

/// An embedder that changes something of another one. Whatever it does not say is the other's.
pub(crate) trait Layer: Send + Sync {
    /// The other one.
    fn inner(&self) -> &dyn Embedder;

    /// As [`Embedder::space`].
    fn space(&self) -> &Space {
        self.inner().space()
    }

    /// As [`Embedder::by_piece`].
    fn by_piece(&self) -> Option<&dyn ByPiece> {
        self.inner().by_piece()
    }

    /// As [`Embedder::run_size`].
    fn run_size(&self) -> usize {
        self.inner().run_size()
    }

    /// As [`Embedder::cancel_pending`].
    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        self.inner().cancel_pending()
    }

    /// As [`Embedder::embed_each`].
    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        self.inner().embed_each(texts, purpose, timeout, sink)
    }

    /// As [`Embedder::embed_media`].
    fn embed_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        self.inner().embed_media(media, timeout)
    }
}

impl<L: Layer> Embedder for L {
    fn space(&self) -> &Space {
        Layer::space(self)
    }

    fn limits(&self) -> Limits {
        self.inner().limits()
    }

    fn is_local(&self) -> bool {
        self.inner().is_local()
    }

    fn language(&self) -> Option<Language> {
        self.inner().language()
    }

    fn by_piece(&self) -> Option<&dyn ByPiece> {
        Layer::by_piece(self)
    }

    fn provider(&self) -> &str {
        self.inner().provider()
    }

    fn usage(&self) -> Usage {
        self.inner().usage()
    }

    fn take_usage(&self) -> Usage {
        self.inner().take_usage()
    }

    fn run_size(&self) -> usize {
        Layer::run_size(self)
    }

    fn cancel_pending(&self) -> BoxFuture<'_, Result<usize>> {
        Layer::cancel_pending(self)
    }

    fn expect_dims(&self, dims: usize) {
        self.inner().expect_dims(dims);
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Layer::embed_each(self, texts, purpose, timeout, sink)
    }

    fn embed_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        Layer::embed_media(self, media, timeout)
    }
}
