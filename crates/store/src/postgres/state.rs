//! What a snapshot sees of an agent's index as a whole, in one round trip, and what of that is kept until the next write.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use foldhash::fast::RandomState;
use parking_lot::Mutex;
use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, column, int8, text},
    blocks::Dead,
    connect::Param,
    covered::KnownCovered,
    far::Compare,
    kept::{Era, Kept},
    moment::Moment,
    vectors::Loaded,
};
use crate::{
    embeddings::{ACTIVE_SPACE, SpaceRow},
    generations::{Generation, GenerationState},
    ids::{ChunkId, GenerationId, SpaceId},
};
use model::{
    error::{Code, Error, Result},
    source::Source,
};

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
    /// Of which of [`SOURCES`] there are files in that generation.
    pub(super) sources: Arc<Vec<String>>,
    /// The words of that generation.
    pub(super) words: Arc<Segments>,
    /// What was answered of it.
    pub(super) answers: Arc<Answers>,
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

/// A statement with values, as text.
type Question = (&'static str, String);

/// What questions that a search asks again and again were answered, as long as nothing was written.
#[derive(Debug, Default)]
pub(super) struct Answers {
    rows: Mutex<HashMap<Question, Arc<Vec<Row>>, RandomState>>,
    /// When files of the notes were changed, by their paths, of a generation.
    pub(super) changed: Mutex<HashMap<(GenerationId, String), i64, RandomState>>,
}

/// Most answers that are kept of an index.
const MOST_ANSWERS: usize = 1024;

/// What was read last, and when, where nothing was written here since.
pub(super) type KnownState = Mutex<Option<(Arc<State>, Option<Instant>)>>;

/// What snapshots share.
#[derive(Clone, Copy)]
pub(super) struct Known<'t> {
    /// What was read last of the index as a whole.
    pub(super) last: &'t KnownState,
    /// Blocks of words.
    pub(super) kept: &'t Kept,
    /// The vectors.
    pub(super) loaded: &'t Mutex<Option<Loaded>>,
    /// Which texts have vectors.
    pub(super) covered: &'t KnownCovered,
    /// Where vectors are compared.
    pub(super) compare: Compare,
    /// How long what was read last is good for.
    pub(super) patience: Duration,
}

/// The sources of which a state says whether there are files.
pub(super) const SOURCES: [&str; 2] = [Source::Memory.as_str(), Source::Sessions.as_str()];

/// Segments and what is gone of them, and sources, are sent only when something was written since.
pub(super) const STATE: &str = "SELECT a.version, a.writes, a.next_id - 1, g.id, g.identity, g.created_ms, g.chunks, s.id, s.key, s.dims, \
       CASE WHEN a.version <> $4 THEN ARRAY(SELECT w.id FROM segment w WHERE w.agent = $1 AND w.generation = g.id \
         ORDER BY w.first_chunk) END, \
       CASE WHEN a.version <> $4 THEN ARRAY(SELECT d.chunk FROM lex_dead d WHERE d.agent = $1 AND d.generation = g.id) END, \
       CASE WHEN a.version <> $4 THEN ARRAY(SELECT s FROM unnest($5) s WHERE EXISTS (\
         SELECT 1 FROM file f WHERE f.agent = $1 AND f.generation = g.id AND f.source = s)) END \
     FROM agent a LEFT JOIN generation g ON g.agent = $1 AND g.state = 'live' \
     LEFT JOIN meta m ON m.agent = $1 AND m.key = $3 \
     LEFT JOIN space s ON s.tenant = $2 AND s.id = m.value::bigint WHERE a.id = $1";

impl State {
    /// Of an agent that has no row any more: what it holds, as after a reset, is nothing.
    pub(super) fn of_nothing() -> Arc<Self> {
        let words = Segments { ids: Vec::new(), dead: Arc::new(Dead::new(Vec::new())), era: Era::new() };
        Arc::new(Self {
            moment: Moment::default(),
            last_id: 0,
            live: None,
            space: None,
            sources: Arc::default(),
            words: Arc::new(words),
            answers: Arc::default(),
        })
    }
}

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
        let Some(row) = self.state_row(version)? else { return Ok(State::of_nothing()) };
        self.state_of(&row, read, known, before)
    }

    /// The index by a row that was asked for at a moment, by whoever knew what was there before.
    pub(super) fn state_of(
        &self,
        row: &Row,
        read: Instant,
        known: Option<&KnownState>,
        before: Option<Arc<State>>,
    ) -> Result<Arc<State>> {
        let version = before.as_ref().map_or(-1, |before| before.moment.version);
        let mut moment = Moment::of(row, 0, self.tx)?;
        let belongs = |moment: &Moment, before: &State| moment.follows(&before.moment) || before.moment.follows(moment);
        let before = before.filter(|before| belongs(&moment, before));
        let anew;
        let row = if before.is_none() && moment.version == version {
            // The same number in another history.
            let Some(row) = self.state_row(-1)? else { return Ok(State::of_nothing()) };
            anew = row;
            moment = Moment::of(&anew, 0, self.tx)?;
            &anew
        } else {
            row
        };
        let same = before.as_ref().filter(|before| before.moment.version == moment.version);
        let words = match same {
            Some(same) => Arc::clone(&same.words),
            None => {
                let dead: Vec<ChunkId> =
                    column::<Option<Vec<i64>>>(row, 11)?.unwrap_or_default().into_iter().map(ChunkId::new).collect();
                let era = before.as_ref().map_or_else(Era::new, |before| before.words.era);
                Arc::new(Segments {
                    ids: column::<Option<Vec<i64>>>(row, 10)?.unwrap_or_default(),
                    dead: Arc::new(Dead::new(dead)),
                    era,
                })
            }
        };
        let live = column::<Option<GenerationId>>(row, 3)?.map(|id| generation(row, id)).transpose()?;
        let space = column::<Option<SpaceId>>(row, 7)?.map(|id| space(row, id)).transpose()?;
        let sources = match same {
            Some(same) => Arc::clone(&same.sources),
            None => Arc::new(column::<Option<Vec<String>>>(row, 12)?.unwrap_or_default()),
        };
        let answers = same.map_or_else(Arc::default, |same| Arc::clone(&same.answers));
        let state = Arc::new(State { moment, last_id: column(row, 2)?, live, space, sources, words, answers });
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

    /// The rows of a statement on what only the agent's own writes change, with values that `of` tells apart. Asked once as
    /// long as nothing is written, where it is known whether something was.
    pub(super) fn answer(&self, sql: &'static str, of: &str, params: &[Param<'_>]) -> Result<Arc<Vec<Row>>> {
        self.answer_that_stays(sql, of, params, |_| true)
    }

    /// The same of what others change too: only rows that never change are not asked for again.
    pub(super) fn answer_that_stays(
        &self,
        sql: &'static str,
        of: &str,
        params: &[Param<'_>],
        stays: impl Fn(&[Row]) -> bool,
    ) -> Result<Arc<Vec<Row>>> {
        let Some(state) = self.state.get() else { return self.tx.rows(sql, params).map(Arc::new) };
        let key = (sql, of.to_owned());
        if let Some(known) = state.answers.rows.lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let rows = Arc::new(self.tx.rows(sql, params)?);
        let mut answers = state.answers.rows.lock();
        if answers.len() < MOST_ANSWERS && stays(&rows) {
            answers.insert(key, Arc::clone(&rows));
        }
        Ok(rows)
    }

    /// None where the agent has no row any more.
    fn state_row(&self, version: i64) -> Result<Option<Row>> {
        let sources = SOURCES.as_slice();
        let params = [
            int8(&self.agent),
            text(&self.tenant),
            text(&ACTIVE_SPACE),
            int8(&version),
            (&sources as _, Type::TEXT_ARRAY),
        ];
        self.tx.row(STATE, &params)
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
