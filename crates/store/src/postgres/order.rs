//! The order of chunks by what they are, kept between snapshots.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{
    agent::{Reader, column, int8},
    moment::Moment,
};
use crate::{ids::ChunkId, order::ChunkOrder};
use model::error::Result;

/// Where chunks of another file begin, of those with a higher id. An index has all that is sorted here.
const RUNS: &str = "SELECT c.id, f.source, f.path FROM (\
       SELECT id, file, lag(file) OVER (ORDER BY id) AS before FROM chunk WHERE agent = $1 AND id > $2) c \
     JOIN file f ON f.agent = $1 AND f.id = c.file WHERE c.before IS DISTINCT FROM c.file ORDER BY c.id";

/// What was read of it, and when.
pub(super) type KnownOrder = Mutex<Option<(Arc<ChunkOrder>, Moment)>>;

impl Reader<'_> {
    /// The order of the chunks, of all generations; see [`crate::Reader::chunk_order`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_order(&self) -> Result<Arc<ChunkOrder>> {
        // What a write has not committed is of no use to others.
        let Some(known) = self.known_order else { return Ok(Arc::new(self.whole_order(ChunkId::default())?)) };
        let state = self.current()?;
        let (newest, moment) = (ChunkId::new(state.last_id), state.moment.clone());
        let mut known = known.lock();
        let (before, of) = known.take().unzip();
        // A snapshot of an earlier moment says nothing about what came after it.
        let belongs = of.as_ref().is_none_or(|of| moment.follows(of) || of.follows(&moment));
        let before: Option<Arc<ChunkOrder>> = before.filter(|_| belongs);
        let order = match before.clone() {
            Some(order) if order.until() == newest => order,
            Some(mut order) if order.until() < newest && !order.is_to_be_made_anew(newest) => {
                let grown = Arc::make_mut(&mut order);
                self.add_runs(grown, grown.until())?;
                grown.seen(newest, false);
                order
            }
            _ => Arc::new(self.whole_order(newest)?),
        };
        // A snapshot of an earlier moment takes nothing away from the others.
        *known = Some(match before.filter(|before| before.until() > newest).zip(of) {
            Some(later) => later,
            None => (Arc::clone(&order), moment),
        });
        Ok(order)
    }

    fn whole_order(&self, newest: ChunkId) -> Result<ChunkOrder> {
        let mut order = ChunkOrder::default();
        self.add_runs(&mut order, ChunkId::new(i64::MIN))?;
        order.seen(newest, true);
        Ok(order)
    }

    fn add_runs(&self, order: &mut ChunkOrder, after: ChunkId) -> Result<()> {
        for row in self.tx.rows(RUNS, &[int8(&self.agent), int8(&after)])? {
            order.add(column(&row, 0)?, column(&row, 1)?, column(&row, 2)?);
        }
        Ok(())
    }
}
