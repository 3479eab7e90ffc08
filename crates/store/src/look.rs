//! What a search reads in several steps. A file gives each its own snapshot, which costs microseconds; of a database all see
//! one, so that it is asked once whether something has changed.

use std::time::Instant;

#[cfg(feature = "postgres")]
use super::{Backend, postgres};
use super::{
    Reader, Store,
    vectors::{VectorTurn, Vectors},
    work::{not_run, reading},
};
use model::{cancel::Cancel, error::Result};

/// The steps of a search.
pub struct Look<'s> {
    store: &'s Store,
    cancel: &'s Cancel,
    #[cfg(feature = "postgres")]
    snapshot: Option<&'s postgres::Reader<'s>>,
}

impl Store {
    /// Runs a closure that reads in steps, of the index as it was at some moment after `since`; without one, of the index as
    /// this process knows it. It may be run twice, where the index is in a database and has changed. Blocks.
    ///
    /// # Errors
    /// As [`Self::read_with`].
    pub fn look<T>(
        &self,
        cancel: &Cancel,
        since: Option<Instant>,
        mut f: impl FnMut(&Look<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut value = None;
        self.look_once(cancel, since, &mut |look| f(look).map(|seen| value = Some(seen)))?;
        value.ok_or_else(not_run)
    }

    /// [`Self::look`] without what it gives; see [`work`](super::work).
    fn look_once(
        &self,
        cancel: &Cancel,
        since: Option<Instant>,
        f: &mut dyn FnMut(&Look<'_>) -> Result<()>,
    ) -> Result<()> {
        #[cfg(feature = "postgres")]
        if let Backend::Postgres(served) = &self.backend {
            return served
                .agent()
                .look(cancel, since, |reader| f(&Look { store: self, cancel, snapshot: Some(reader) }));
        }
        // A snapshot of a file is always of now.
        let _ = since;
        f(&Look {
            store: self,
            cancel,
            #[cfg(feature = "postgres")]
            snapshot: None,
        })
    }
}

impl Look<'_> {
    /// Whether all steps see one moment, which is so in a database.
    #[must_use]
    pub const fn is_of_one_moment(&self) -> bool {
        #[cfg(feature = "postgres")]
        return self.snapshot.is_some();
        #[cfg(not(feature = "postgres"))]
        false
    }

    /// Runs a closure on a snapshot; see [`Store::read_with`].
    ///
    /// # Errors
    /// As there.
    pub fn read<T>(&self, f: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        reading(f, |f| {
            #[cfg(feature = "postgres")]
            if let Some(snapshot) = self.snapshot {
                return f(&Reader::of_postgres(snapshot));
            }
            self.store.read_once(self.cancel, f)
        })
    }

    /// The vectors, brought up to date in a turn, which is given back then; see [`VectorTurn::current`]. A second run of the
    /// closure has none left, and needs none.
    ///
    /// # Errors
    /// As there.
    pub fn vectors(&self, turn: Option<VectorTurn>) -> Result<Option<Vectors>> {
        #[cfg(feature = "postgres")]
        if let Some(snapshot) = self.snapshot {
            return snapshot.vectors();
        }
        match turn {
            Some(mut turn) => turn.current(self.store),
            None => self.store.vectors(),
        }
    }
}
