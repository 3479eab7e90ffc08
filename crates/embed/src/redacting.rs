//! An embedder whose texts leave this machine: it gets none with a secret.

use std::{borrow::Cow, sync::Arc, time::Duration};

use super::{BoxFuture, Embedded, Embedder, Purpose, Sink, layer::Layer, media::Media, pieces::ByPiece};
use model::error::Result;
use text::redact::redact;

/// Takes secrets out of every text, notes and questions alike, before another embedder sees it.
pub(crate) struct Redacting(pub Arc<dyn Embedder>);

impl Layer for Redacting {
    fn inner(&self) -> &dyn Embedder {
        &*self.0
    }

    // Pieces would be made of the text as it is.
    fn by_piece(&self) -> Option<&dyn ByPiece> {
        None
    }

    fn embed_each<'a>(
        &'a self,
        texts: &'a [String],
        purpose: Purpose,
        timeout: Duration,
        sink: &'a mut Sink<'a>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            // Hardly a text has one, and a run of all of them is megabytes.
            let looked: Vec<Cow<'_, str>> = texts.iter().map(|text| redact(text)).collect();
            if looked.iter().all(|text| matches!(text, Cow::Borrowed(_))) {
                return self.0.embed_each(texts, purpose, timeout, sink).await;
            }
            let texts: Vec<String> = looked.into_iter().map(Cow::into_owned).collect();
            self.0.embed_each(&texts, purpose, timeout, sink).await
        })
    }

    // What a picture shows cannot be redacted; that it is sent is the owner's choice.
    fn embed_media<'a>(&'a self, media: &'a Media, timeout: Duration) -> BoxFuture<'a, Result<Embedded>> {
        Box::pin(async move {
            match redact(&media.text) {
                Cow::Borrowed(_) => self.0.embed_media(media, timeout).await,
                Cow::Owned(text) => self.0.embed_media(&Media { text, ..media.clone() }, timeout).await,
            }
        })
    }
}
