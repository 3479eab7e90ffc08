//! The order of chunks by what they are, kept between snapshots.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio_postgres::Row;

use super::{
    agent::{Reader, column, int8},
    moment::Moment,
};
use crate::{ids::ChunkId, order::ChunkOrder};
use model::error::Result;

/// Where chunks of another file begin, of those with a higher id. An index has all that is sorted here.
pub(super) const RUNS: &str = "SELECT c.id, f.source, f.path FROM (\
       SELECT id, file, lag(file) OVER (ORDER BY id) AS before FROM chunk WHERE agent = $1 AND id > $2) c \
     JOIN file f ON f.agent = $1 AND f.id = c.file WHERE c.before IS DISTINCT FROM c.file ORDER BY c.id";

/// Before the first chunk.
const BEGINNING: ChunkId = ChunkId::new(i64::MIN);

/// What [`RUNS`] was answered, and from which id on it was asked.
pub(super) type Sent = (ChunkId, Vec<Row>);

/// What was read of it, and when.
pub(super) type KnownOrder = Mutex<Option<(Arc<ChunkOrder>, Moment)>>;

impl Reader<'_> {
    /// The order of the chunks, of all generations; see [`crate::Reader::chunk_order`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn chunk_order(&self) -> Result<Arc<ChunkOrder>> {
        self.order_with(None)
    }

    /// From which id on files that begin will be asked for with [`RUNS`]; none where nothing is to be asked.
    pub(super) fn order_wanted(&self) -> Option<ChunkId> {
        let (known, state) = self.known_order.zip(self.state.get())?;
        let newest = ChunkId::new(state.last_id);
        match &*known.lock() {
            Some((order, _)) if order.until() == newest => None,
            Some((order, of))
                if order.until() < newest && !order.is_to_be_made_anew(newest) && state.moment.follows(of) =>
            {
                Some(order.until())
            }
            _ => Some(BEGINNING),
        }
    }

    /// The same with what was sent along with something else.
    pub(super) fn order_with(&self, sent: Option<Sent>) -> Result<Arc<ChunkOrder>> {
        // What a write has not committed is of no use to others.
        let Some(known) = self.known_order else { return Ok(Arc::new(self.whole_order(ChunkId::default(), sent)?)) };
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
                let rows = self.file_runs(order.until(), sent)?;
                let grown = Arc::make_mut(&mut order);
                add_runs(grown, &rows)?;
                grown.seen(newest, false);
                order
            }
            _ => Arc::new(self.whole_order(newest, sent)?),
        };
        // A snapshot of an earlier moment takes nothing away from the others.
        *known = Some(match before.filter(|before| before.until() > newest).zip(of) {
            Some(later) => later,
            None => (Arc::clone(&order), moment),
        });
        Ok(order)
    }

    fn whole_order(&self, newest: ChunkId, sent: Option<Sent>) -> Result<ChunkOrder> {
        let mut order = ChunkOrder::default();
        add_runs(&mut order, &self.file_runs(BEGINNING, sent)?)?;
        order.seen(newest, true);
        Ok(order)
    }

    /// Where files begin in chunks with a higher id.
    fn file_runs(&self, after: ChunkId, sent: Option<Sent>) -> Result<Vec<Row>> {
        match sent {
            Some((of, rows)) if of == after => Ok(rows),
            _ => self.tx.rows(RUNS, &[int8(&self.agent), int8(&after)]),
        }
    }
}

fn add_runs(order: &mut ChunkOrder, rows: &[Row]) -> Result<()> {
    for row in rows {
        order.add(column(row, 0)?, column(row, 1)?, column(row, 2)?);
    }
    Ok(())
}
