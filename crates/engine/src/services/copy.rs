//! From a file to a database and back: what was paid for and written down goes along, and nothing is embedded again.

use std::sync::Arc;

use serde::Serialize;

use super::open::{OpenCall, in_database};
use crate::{
    blocking::blocking,
    index::{Progress, Step},
};
use model::{
    cancel::Cancel,
    config::resolve::resolve,
    error::{Code, Error, Result},
};
use store::{
    Location, OpenOptions, Store,
    books::BooksCopied,
    copying::VectorsCopied,
    database::examine,
    place::{self, Workspace},
};

/// What was copied between a file and a database.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoreCopied {
    /// The schema in the database.
    pub schema: String,
    /// The file.
    pub file: String,
    /// Vectors.
    #[serde(flatten)]
    pub copied: VectorsCopied,
    /// What was written down beside the index.
    pub books: BooksCopied,
}

/// Copies the vectors of an agent, and what was written down beside its index, from its file to the database that its
/// settings name, or back, whichever of both is in use now. None when memory search is switched off.
///
/// # Errors
/// [`Code::NotFound`] when there is no file or no table to copy from, [`Code::Config`] when no database is named or nothing is built in
/// that speaks with one, and what reading and writing give.
pub async fn copy_store(
    call: OpenCall,
    into_database: bool,
    cancel: Cancel,
    progress: Progress,
) -> Result<Option<StoreCopied>> {
    blocking(move || {
        let Some(resolved) = resolve(&call.resolve_input())? else { return Ok(None) };
        let mut settings = resolved.settings;
        let database = resolved.database;
        let workspace = Workspace::at(&settings.workspace_dir);
        let file = place::locate(&settings.database_path, &workspace, call.workspace_dir.is_some());
        if into_database && !file.exists() {
            return Err(Error::new(Code::NotFound, format!("there is no index in {}", file.display()))
                .remedy("Nothing has to be copied: `openclaw memory index` makes the index in the database"));
        }
        settings.database = Some(database.clone());
        let place = in_database(&call, &settings, &database)?;
        // Opening makes the tables, and nothing can be copied from those.
        if !into_database && examine(&place)?.tables.is_none() {
            return Err(Error::new(
                Code::NotFound,
                format!("schema {} of the database holds no memory", database.schema),
            )
            .remedy("Name the schema that does in store.postgres.schema"));
        }
        let open = |location: &Location| {
            let options = OpenOptions {
                workspace: Some(workspace.clone()),
                clock: Arc::clone(&call.clock),
                ..OpenOptions::default()
            };
            Store::open_at(location, options)
        };
        // First what can be refused for more reasons.
        let in_database = open(&Location::Database(Box::new(place)))?;
        let in_file = open(&Location::File(file.clone()))?;
        let (from, to) = if into_database { (&in_file, &in_database) } else { (&in_database, &in_file) };
        let step = |completed: u64, total: u64| {
            let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            progress(&Step { completed: count(completed), total: count(total), label: String::new() });
        };
        let copied = from
            .copy_vectors_to(to, &cancel, step)
            .and_then(|copied| from.copy_books_to(to, &cancel).map(|books| (copied, books)));
        in_file.close();
        in_database.close();
        let (copied, books) = copied?;
        Ok(Some(StoreCopied { schema: database.schema, file: file.display().to_string(), copied, books }))
    })
    .await
}
