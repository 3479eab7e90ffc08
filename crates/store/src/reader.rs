//! What all reads go through: a snapshot of the store, whichever is behind it.

use std::{
    cell::{RefCell, RefMut},
    collections::HashMap,
};

use rusqlite::Connection;

#[cfg(feature = "postgres")]
use super::{admin::not_a_file, postgres};
use super::{covered::KnownCoverage, generations::GenerationId, open::FileIdentity, order::KnownOrder};
use crate::error::SqlResult;
use model::error::Result;

/// A consistent view of the store: everything read through one `Reader` belongs to the same moment.
pub struct Reader<'c> {
    backend: Backend<'c>,
    /// What the connection counted before; none where it may write itself.
    pub(super) counted: Option<&'c RefCell<Counted>>,
    /// What other connections to the file know of its chunks, and which file that is; none as above.
    pub(super) known_order: Option<(&'c KnownOrder, Option<FileIdentity>)>,
    /// The same of their vectors.
    pub(super) known_covered: Option<(&'c KnownCoverage, Option<FileIdentity>)>,
}

/// What a view, or a write, is of.
#[derive(Clone, Copy)]
enum Backend<'c> {
    /// A connection to a file, in a transaction.
    Sqlite(&'c Connection),
    /// A transaction on the memory of an agent.
    #[cfg(feature = "postgres")]
    Postgres(&'c postgres::Reader<'c>),
}

/// Answers out of PostgreSQL where a reader or a write is on that. What stands below it is for SQLite.
macro_rules! or_postgres {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = $self.postgres() {
            return postgres.$method($($argument),*);
        }
    };
}
pub(crate) use or_postgres;

/// What was counted in a generation, as of a version of the database.
#[derive(Debug, Default)]
pub(super) struct Counted {
    version: Option<(i64, GenerationId)>,
    /// Terms that more chunks hold than were asked for, with that number: words of any question are asked again and again,
    /// and each time thousands of rows would be read to learn that they are too common.
    common: HashMap<String, usize, foldhash::fast::RandomState>,
    /// Terms that no more chunks hold than were asked for, of those that are asked for again and again.
    rare: HashMap<String, usize, foldhash::fast::RandomState>,
}

impl Counted {
    /// Whether more than `most` chunks hold a term, where that is known.
    fn is_in_more(&self, term: &str, most: usize) -> Option<bool> {
        let is_common = self.common.get(term).is_some_and(|more_than| *more_than >= most);
        let is_rare = || self.rare.get(term).is_some_and(|no_more_than| *no_more_than <= most);
        if is_common { Some(true) } else { is_rare().then_some(false) }
    }
}

impl<'c> Reader<'c> {
    /// A view through a connection of one's own.
    pub(super) const fn over(conn: &'c Connection) -> Self {
        Self { backend: Backend::Sqlite(conn), counted: None, known_order: None, known_covered: None }
    }

    /// A view of the memory of an agent.
    #[cfg(feature = "postgres")]
    pub(super) const fn of_postgres(reader: &'c postgres::Reader<'c>) -> Self {
        Self { backend: Backend::Postgres(reader), counted: None, known_order: None, known_covered: None }
    }

    /// The connection to the file.
    ///
    /// # Errors
    /// [`Code::Argument`](model::error::Code::Argument) where the index is no file.
    #[inline]
    pub(super) fn conn(&self) -> Result<&'c Connection> {
        match self.backend {
            Backend::Sqlite(conn) => Ok(conn),
            #[cfg(feature = "postgres")]
            Backend::Postgres(_) => Err(not_a_file()),
        }
    }

    /// The memory of an agent that it is a view of, if so.
    #[cfg(feature = "postgres")]
    pub(super) const fn postgres(&self) -> Option<&'c postgres::Reader<'c>> {
        match self.backend {
            Backend::Sqlite(_) => None,
            Backend::Postgres(reader) => Some(reader),
        }
    }

    /// Whether it is known that more than `most` chunks hold a term.
    pub(super) fn is_common(&self, generation: GenerationId, term: &str, most: usize) -> Result<bool> {
        let counted = self.counted(generation)?;
        Ok(counted.and_then(|counted| counted.is_in_more(term, most)) == Some(true))
    }

    /// Remembers that more than `most` chunks hold a term.
    pub(super) fn remember_common(&self, generation: GenerationId, term: &str, most: usize) -> Result<()> {
        if let Some(mut counted) = self.counted(generation)? {
            counted.common.insert(term.to_owned(), most);
        }
        Ok(())
    }

    /// Of each of some terms, whether it is known that more than `most` chunks hold it, or that no more do.
    pub(super) fn are_in_more(
        &self,
        generation: GenerationId,
        terms: &[&str],
        most: usize,
    ) -> Result<Vec<Option<bool>>> {
        let counted = self.counted(generation)?;
        Ok(terms.iter().map(|term| counted.as_ref().and_then(|counted| counted.is_in_more(term, most))).collect())
    }

    /// Remembers that no more than `most` chunks hold a term.
    pub(super) fn remember_rare(&self, generation: GenerationId, term: &str, most: usize) -> Result<()> {
        if let Some(mut counted) = self.counted(generation)? {
            counted.rare.insert(term.to_owned(), most);
        }
        Ok(())
    }

    /// What was counted before in what is read now.
    fn counted(&self, generation: GenerationId) -> Result<Option<RefMut<'c, Counted>>> {
        let Some(counted) = self.counted else { return Ok(None) };
        // The version of a snapshot is that of the last commit before it.
        let version = self
            .conn()?
            .prepare_cached("PRAGMA data_version")
            .sql()?
            .query_row([], |row| row.get::<_, i64>(0))
            .sql()?;
        let mut counted = counted.borrow_mut();
        if counted.version != Some((version, generation)) {
            *counted = Counted { version: Some((version, generation)), ..Counted::default() };
        }
        Ok(Some(counted))
    }
}
