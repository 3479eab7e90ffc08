//! What the user had forgotten, for all gateways that share an index. Of an index in a file all processes read the list beside it,
//! and nothing of it is in the database.

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use model::error::Result;

/// One act of forgetting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgottenAct {
    /// As in each of its entries.
    pub id: String,
    /// Its lines of the list, each with a line end; none where it was undone.
    pub entries: String,
    /// Whether it is never to be taken back.
    pub is_final: bool,
    /// Whether it was taken back.
    pub is_undone: bool,
}

impl Reader<'_> {
    /// All acts that gateways told of, in no order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn forgotten_acts(&self) -> Result<Vec<ForgottenAct>> {
        or_postgres!(self.forgotten_acts());
        Ok(Vec::new())
    }
}

impl Tx<'_> {
    /// Tells all gateways of acts. One that is known gets these entries, and holds again where it was undone; what is final stays
    /// so.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn tell_forgotten(&self, acts: &[ForgottenAct]) -> Result<()> {
        or_postgres!(self.tell_forgotten(acts));
        let _ = acts;
        Ok(())
    }

    /// Takes an act back for all gateways, unless it is final. Whether there was one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn undo_forgotten(&self, id: &str) -> Result<bool> {
        or_postgres!(self.undo_forgotten(id));
        let _ = id;
        Ok(false)
    }
}
