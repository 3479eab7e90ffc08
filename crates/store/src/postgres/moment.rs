//! Whether what is kept in memory still belongs to what the database holds. A standby that took over, or a backup that was
//! played back, may lack the last writes, and later ones have their numbers and ids.

use tokio_postgres::Row;

use super::{agent::column, connect::Transaction};
use model::error::Result;

/// When an agent's rows were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The number of the last write.
    pub(super) version: i64,
    /// What the last writes call themselves, the latest first.
    writes: Vec<i64>,
    /// How many connections the process had made.
    made: u64,
}

impl Moment {
    /// Of a row with the agent's `version` and `writes` from a column on.
    pub(super) fn of(row: &Row, at: usize, tx: &Transaction<'_>) -> Result<Self> {
        Self::over(row, at, tx.made)
    }

    /// The same of a process that had made so many connections.
    pub(super) fn over(row: &Row, at: usize, made: u64) -> Result<Self> {
        Ok(Self { version: column(row, at)?, writes: column(row, at + 1)?, made })
    }

    /// Whether nothing was written in between, of the same history.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.version == other.version && self.writes.first() == other.writes.first()
    }

    /// Whether all that was there at an earlier moment was still so when later writes came. Of a moment too many writes ago
    /// it is taken for granted while the process still has the connections it had: no other server took over.
    pub(super) fn follows(&self, earlier: &Self) -> bool {
        let Ok(since) = usize::try_from(self.version - earlier.version) else { return false };
        match self.writes.get(since) {
            Some(write) => earlier.writes.first() == Some(write),
            None => self.made == earlier.made || *self == *earlier,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    fn moment(version: i64, writes: &[i64], made: u64) -> Moment {
        Moment { version, writes: writes.to_vec(), made }
    }

    #[test]
    fn another_history_is_told_by_its_writes_and_where_those_are_forgotten_by_connections() {
        let before = moment(5, &[55, 54, 53], 1);
        for (now, follows) in [
            (moment(5, &[55, 54, 53], 9), true),
            (moment(7, &[57, 56, 55], 9), true),
            (moment(7, &[97, 96, 95], 1), false),
            (moment(4, &[54, 53, 52], 1), false),
            (moment(9, &[59, 58, 57], 1), true),
            (moment(9, &[59, 58, 57], 2), false),
        ] {
            assert_eq!(now.follows(&before), follows, "{now:?}");
        }
        assert!(moment(0, &[], 1).follows(&moment(0, &[], 1)), "nothing was written yet");
    }
}
