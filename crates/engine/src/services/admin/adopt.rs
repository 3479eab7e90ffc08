//! Taking over an index in a database that is of other notes.

use std::sync::Arc;

use super::{super::context::Service, Admin};
use crate::{
    exchange,
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
            let (store, cancel) = (admin.context.store(), admin.context.shutdown());
            let adoption = owner::compare(store, &discover(&Roots::of(settings)), cancel)?;
            let foreign = admin.indexer.is_foreign(settings, cancel)?;
            Ok(Adoption { kept: exchange::is_wanted(settings), foreign, ..adoption })
        })
        .await
    }
}
