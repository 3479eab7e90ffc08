//! An embedder whose model is known to have been another one under the same name: its vectors have a space of their own.

use std::sync::Arc;

use super::{Embedder, Space, layer::Layer};

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

impl Layer for Revised {
    fn inner(&self) -> &dyn Embedder {
        &*self.inner
    }

    fn space(&self) -> &Space {
        &self.space
    }
}
