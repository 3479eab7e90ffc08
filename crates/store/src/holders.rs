//! Who has the files of an index that several gateways share. An index in a file is that of one machine, and knows none.

use serde::Serialize;

use super::{
    reader::{Reader, or_postgres},
    writer::Tx,
};
use model::error::Result;

/// How long a gateway that gives no sign counts as one that has its files, in milliseconds: thirty days.
pub const GONE_AFTER_MS: i64 = 30 * 86_400_000;
/// How often it gives one, in milliseconds: each is a write, after which all others read anew.
pub const SIGN_EVERY_MS: i64 = 86_400_000;

/// A gateway that has files of its own in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// The id that it made for itself.
    #[serde(skip)]
    pub id: String,
    /// Name of its machine.
    pub host: String,
    /// When it last gave a sign, to a day, in milliseconds since the epoch.
    pub seen_ms: i64,
    /// Whether that is so long ago that nobody waits for it any more.
    pub is_gone: bool,
    /// Whether it is time for it to give the next one.
    #[serde(skip)]
    pub is_due: bool,
    /// How many files it has.
    pub files: u64,
}

/// A file that somebody has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// As in [`Holder::id`].
    pub holder: String,
    /// As in [`crate::files::NewFile::path`].
    pub path: String,
}

impl Reader<'_> {
    /// All gateways that ever gave a sign and are not forgotten, by the name of their machine.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn holders(&self) -> Result<Vec<Holder>> {
        or_postgres!(self.holders());
        Ok(Vec::new())
    }

    /// The files of a source that gateways have which are not gone, in no order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn held(&self, source: &str) -> Result<Vec<Held>> {
        or_postgres!(self.held(source));
        let _ = source;
        Ok(Vec::new())
    }
}

impl Tx<'_> {
    /// A gateway gives a sign.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn give_sign(&self, holder: &str) -> Result<()> {
        or_postgres!(self.give_sign(holder));
        let _ = holder;
        Ok(())
    }

    /// Those that are gone are forgotten, with what they had.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_gone_holders(&self) -> Result<()> {
        or_postgres!(self.forget_gone_holders());
        Ok(())
    }

    /// A gateway gives a sign, and has these files of a source.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn hold(&self, holder: &str, source: &str, paths: &[&str]) -> Result<()> {
        or_postgres!(self.hold(holder, source, paths));
        let _ = (holder, source, paths);
        Ok(())
    }

    /// It has these no more.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn let_go(&self, holder: &str, source: &str, paths: &[&str]) -> Result<()> {
        or_postgres!(self.let_go(holder, source, paths));
        let _ = (holder, source, paths);
        Ok(())
    }

    /// All gateways but this one are forgotten, with what they had; those that are there tell it anew.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_other_holders(&self, holder: &str) -> Result<()> {
        or_postgres!(self.forget_other_holders(holder));
        let _ = holder;
        Ok(())
    }
}
