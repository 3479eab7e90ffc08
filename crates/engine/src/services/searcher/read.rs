//! `memory_get`: lines of a memory file, straight from disk.

use std::sync::Arc;

use serde_json::Value;

use super::{super::context::Service, Searcher};
use crate::workspace::{
    excerpt::{ExcerptRequest, read_excerpt},
    roots::Roots,
};
use model::error::{Code, Error, Result};

impl Searcher {
    /// Reads lines of a file inside the memory area.
    ///
    /// # Errors
    /// `MEM_PATH` for everything outside, links and special files; `MEM_IO`. A missing file is none.
    pub async fn read_file(self: &Arc<Self>, request: ExcerptRequest) -> Result<Value> {
        self.blocking(move |_, settings| {
            let excerpt = read_excerpt(&Roots::of(settings), &request, settings.excerpt)?;
            serde_json::to_value(excerpt).map_err(|e| Error::new(Code::Internal, format!("excerpt: {e}")))
        })
        .await
    }
}
