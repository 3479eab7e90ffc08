//! Taking over an index in a database that is of other notes.

use std::sync::Arc;

use super::{super::context::Service, Admin};
use crate::{
    index::owner::{self, Adoption},
    workspace::{discover::discover, roots::Roots},
};
use model::error::Result;

impl Admin {
    /// What taking the index over would change; a forced sync does it. Nothing is written.
    ///
    /// # Errors
    /// [`Code::Config`](model::error::Code::Config) for an index in a file, and when the database cannot be read.
    pub async fn adoption(self: &Arc<Self>) -> Result<Adoption> {
        self.blocking(|admin, settings| {
            let discovery = discover(&Roots::of(settings));
            owner::compare(admin.context.store(), &discovery, admin.context.shutdown())
        })
        .await
    }
}
