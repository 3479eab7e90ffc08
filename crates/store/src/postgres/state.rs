//! What a snapshot sees of an agent's index as a whole, in one round trip, and what of that is kept until the next write.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio_postgres::Row;

use super::{
    agent::{Reader, column, int8, text, the_row},
    blocks::Dead,
    kept::{Era, Kept},
    moment::Moment,
};
use crate::{
    embeddings::{ACTIVE_SPACE, SpaceRow},
    generations::{Generation, GenerationState},
    ids::{ChunkId, GenerationId, SpaceId},
};
use model::error::{Code, Error, Result};

/// The index of an agent at a moment.
#[derive(Debug)]
pub(super) struct State {
    /// When it was read.
    pub(super) moment: Moment,
    /// The last id that was given to anything.
    pub(super) last_id: i64,
    /// The generation that answers searches, and its chunks.
    pub(super) live: Option<(Generation, i64)>,
    /// The space that searches use.
    pub(super) space: Option<SpaceRow>,
    /// The words of that generation.
    pub(super) words: Arc<Segments>,
}

/// Where the words of a generation are.
#[derive(Debug)]
pub(super) struct Segments {
    /// The oldest first.
    pub(super) ids: Vec<i64>,
    /// Chunks that are gone, and still in one of them.
    pub(super) dead: Arc<Dead>,
    /// Under which their blocks are kept.
    pub(super) era: Era,
}

/// What was read last, and when, where nothing was written here since.
pub(super) type KnownState = Mutex<Option<(Arc<State>, Option<Instant>)>>;

/// What snapshots share.
#[derive(Clone, Copy)]
pub(super) struct Known<'t> {
    /// What was read last of the index as a whole.
    pub(super) last: &'t KnownState,
    /// Blocks of words.
    pub(super) kept: &'t Kept,
    /// How long what was read last is good for.
    pub(super) patience: Duration,
}

/// Segments and what is gone of them are sent only when something was written since.
const STATE: &str = "SELECT a.version, a.writes, a.next_id - 1, g.id, g.identity, g.created_ms, g.chunks, s.id, s.key, s.dims, \
       CASE WHEN a.version <> $4 THEN ARRAY(SELECT w.id FROM segment w WHERE w.agent = $1 AND w.generation = g.id \
         ORDER BY w.first_chunk) END, \
       CASE WHEN a.version <> $4 THEN ARRAY(SELECT d.chunk FROM lex_dead d WHERE d.agent = $1 AND d.generation = g.id) END \
     FROM agent a LEFT JOIN generation g ON g.agent = $1 AND g.state = 'live' \
     LEFT JOIN meta m ON m.agent = $1 AND m.key = $3 \
     LEFT JOIN space s ON s.tenant = $2 AND s.id = m.value::bigint WHERE a.id = $1";

impl Reader<'_> {
    /// The index as this snapshot sees it; none in a write, which may have changed it. One round trip at most a snapshot,
    /// and none while what was read last is young enough.
    pub(super) fn state(&self) -> Result<Option<&Arc<State>>> {
        let Some(known) = self.known else { return Ok(None) };
        if let Some(state) = self.state.get() {
            return Ok(Some(state));
        }
        let before = known.last.lock().clone();
        let is_young = |read: &Option<Instant>| read.is_some_and(|read| read.elapsed() < known.patience);
        let state = match &before {
            Some((state, read)) if is_young(read) => Arc::clone(state),
            _ => self.read_state(Some(known.last), before.map(|(state, _)| state))?,
        };
        Ok(Some(self.state.get_or_init(|| state)))
    }

    /// The index as it is now, in a write too.
    pub(super) fn current(&self) -> Result<Arc<State>> {
        match self.state()? {
            Some(state) => Ok(Arc::clone(state)),
            None => self.read_state(None, None),
        }
    }

    fn read_state(&self, known: Option<&KnownState>, before: Option<Arc<State>>) -> Result<Arc<State>> {
        let read = Instant::now();
        let version = before.as_ref().map_or(-1, |before| before.moment.version);
        let mut row = self.state_row(version)?;
        let mut moment = Moment::of(&row, 0, self.tx)?;
        let belongs = |moment: &Moment, before: &State| moment.follows(&before.moment) || before.moment.follows(moment);
        let before = before.filter(|before| belongs(&moment, before));
        if before.is_none() && moment.version == version {
            // The same number in another history.
            row = self.state_row(-1)?;
            moment = Moment::of(&row, 0, self.tx)?;
        }
        let same = before.as_ref().filter(|before| before.moment.version == moment.version);
        let words = match same {
            Some(same) => Arc::clone(&same.words),
            None => {
                let dead: Vec<ChunkId> =
                    column::<Option<Vec<i64>>>(&row, 11)?.unwrap_or_default().into_iter().map(ChunkId::new).collect();
                let era = before.as_ref().map_or_else(Era::new, |before| before.words.era);
                Arc::new(Segments {
                    ids: column::<Option<Vec<i64>>>(&row, 10)?.unwrap_or_default(),
                    dead: Arc::new(Dead::new(dead)),
                    era,
                })
            }
        };
        let live = column::<Option<GenerationId>>(&row, 3)?.map(|id| generation(&row, id)).transpose()?;
        let space = column::<Option<SpaceId>>(&row, 7)?.map(|id| space(&row, id)).transpose()?;
        let state = Arc::new(State { moment, last_id: column(&row, 2)?, live, space, words });
        let Some(mut known) = known.map(Mutex::lock) else { return Ok(state) };
        // A snapshot of an earlier moment takes nothing away from the others.
        let is_later = |(last, _): &(Arc<State>, Option<Instant>)| {
            last.moment.version > state.moment.version && last.moment.follows(&state.moment)
        };
        if !known.as_ref().is_some_and(is_later) {
            *known = Some((Arc::clone(&state), Some(read)));
        }
        Ok(state)
    }

    fn state_row(&self, version: i64) -> Result<Row> {
        let params = [int8(&self.agent), text(&self.tenant), text(&ACTIVE_SPACE), int8(&version)];
        the_row(self.tx.row(STATE, &params)?)
    }
}

fn generation(row: &Row, id: GenerationId) -> Result<(Generation, i64)> {
    let generation =
        Generation { id, identity: column(row, 4)?, state: GenerationState::Live, created_ms: column(row, 5)? };
    Ok((generation, column(row, 6)?))
}

fn space(row: &Row, id: SpaceId) -> Result<SpaceRow> {
    let dims = column::<Option<i64>>(row, 9)?.map(u32::try_from).transpose();
    let dims = dims.map_err(|_| Error::new(Code::Corrupt, "the database holds vectors of no possible length"))?;
    Ok(SpaceRow { id, key: column(row, 8)?, dims })
}
