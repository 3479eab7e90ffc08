//! Generations: a rebuild grows beside the index that answers searches, and takes over in one update.

use rusqlite::{OptionalExtension, Row};

use super::{
    ids::ChunkId,
    lexical,
    reader::{Reader, or_postgres},
    writer::Tx,
};
use crate::error::SqlResult;
use model::error::{Code, Error, Result};

pub use super::ids::GenerationId;

/// Of what use a generation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerationState {
    /// Grows; searches do not see it.
    Building,
    /// Answers searches.
    Live,
    /// To be removed in small steps.
    Retired,
}

/// One index of the whole workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// Id; grows.
    pub id: GenerationId,
    /// What forces a new generation when it differs (chunking, analyser version), as text.
    pub identity: String,
    /// Of what use it is.
    pub state: GenerationState,
    /// When it was begun, in milliseconds since the epoch.
    pub created_ms: i64,
}

/// Columns of [`Generation`], in the order that [`from_row`] reads.
const COLUMNS: &str = "id, identity, state, created_ms";

fn from_row(row: &Row<'_>) -> rusqlite::Result<Generation> {
    let state = match row.get_ref(2)?.as_str()? {
        "building" => GenerationState::Building,
        "live" => GenerationState::Live,
        _ => GenerationState::Retired,
    };
    Ok(Generation { id: row.get(0)?, identity: row.get(1)?, state, created_ms: row.get(3)? })
}

impl Reader<'_> {
    /// The generation that answers searches; none before the first index.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn live(&self) -> Result<Option<Generation>> {
        or_postgres!(self.live());
        self.generation_in("live")
    }

    /// The generation being built, if any.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn building(&self) -> Result<Option<Generation>> {
        or_postgres!(self.building());
        self.generation_in("building")
    }

    /// The one generation in a state that only one can have.
    fn generation_in(&self, state: &'static str) -> Result<Option<Generation>> {
        // In the text of the statement: there is an index of just these rows, and which is used hangs on the value. Of a
        // parameter SQLite would make the plan anew at each call.
        let sql = format!("SELECT {COLUMNS} FROM generation WHERE state = '{state}'");
        self.conn()?.prepare_cached(&sql).sql()?.query_row([], from_row).optional().sql()
    }

    /// Whether there is something for [`Tx::retire_step`] to do.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) fn has_retired(&self) -> Result<bool> {
        or_postgres!(self.has_retired());
        let mut statement =
            self.conn()?.prepare_cached("SELECT EXISTS (SELECT 1 FROM generation WHERE state = 'retired')").sql()?;
        statement.query_row([], |row| row.get(0)).sql()
    }
}

impl Tx<'_> {
    /// The generation to index into for an identity:
    /// the live one when it has this identity; else the one being built, when it has it (an interrupted rebuild goes
    /// on); else a new one. The very first generation is live at once, so that searches see it grow.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn begin_building(&self, identity: &str) -> Result<Generation> {
        or_postgres!(self.begin_building(identity));
        let live = self.live()?;
        let building = self.building()?;
        let matching = |generation: &Option<Generation>| generation.as_ref().is_some_and(|g| g.identity == identity);
        if let Some(building) = building.as_ref().filter(|building| building.identity != identity || matching(&live)) {
            self.set_state(building.id, "retired")?;
        }
        match (live, building) {
            (Some(live), _) if live.identity == identity => Ok(live),
            (_, Some(building)) if building.identity == identity => Ok(building),
            (Some(_), _) => self.create_generation(identity, GenerationState::Building),
            (None, _) => self.create_generation(identity, GenerationState::Live),
        }
    }

    /// Begins a rebuild with the identity of the live generation (`index --force`). An unfinished rebuild is given up.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn begin_rebuild(&self, identity: &str) -> Result<Generation> {
        or_postgres!(self.begin_rebuild(identity));
        if let Some(building) = self.building()? {
            self.set_state(building.id, "retired")?;
        }
        let state = if self.live()?.is_some() { GenerationState::Building } else { GenerationState::Live };
        self.create_generation(identity, state)
    }

    /// Inserts a generation and its full-text table.
    fn create_generation(&self, identity: &str, state: GenerationState) -> Result<Generation> {
        let name = if state == GenerationState::Live { "live" } else { "building" };
        let created_ms = self.now_ms();
        self.conn()?
            .prepare_cached("INSERT INTO generation (identity, state, created_ms) VALUES (?1, ?2, ?3)")
            .sql()?
            .execute((identity, name, created_ms))
            .sql()?;
        let id = GenerationId::new(self.conn()?.last_insert_rowid());
        lexical::create_table(self.conn()?, id)?;
        Ok(Generation { id, identity: identity.to_owned(), state, created_ms })
    }

    /// Makes the generation being built the live one, and retires the one that was.
    ///
    /// # Errors
    /// When nothing is being built under this id, or the database cannot be written.
    pub fn flip(&self, building: GenerationId) -> Result<()> {
        or_postgres!(self.flip(building));
        if self.building()?.is_none_or(|generation| generation.id != building) {
            return Err(Error::new(Code::Internal, format!("generation {building} is not being built")));
        }
        if let Some(live) = self.live()? {
            self.set_state(live.id, "retired")?;
        }
        self.set_state(building, "live")
    }

    /// Changes the state of a generation.
    fn set_state(&self, id: GenerationId, state: &str) -> Result<()> {
        self.conn()?
            .prepare_cached("UPDATE generation SET state = ?2 WHERE id = ?1")
            .sql()?
            .execute((id, state))
            .sql()?;
        Ok(())
    }

    /// Removes up to `limit` chunks of a retired generation, and at the end the generation itself. True while there
    /// is more to do.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn retire_step(&self, limit: usize) -> Result<bool> {
        or_postgres!(self.retire_step(limit));
        let retired = self.generation_in_any("retired")?;
        let Some(generation) = retired else { return Ok(false) };
        lexical::drop_tables(self.conn()?, generation)?;
        let chunks: Vec<ChunkId> = self
            .conn()?
            .prepare_cached("SELECT id FROM chunk WHERE generation = ?1 LIMIT ?2")
            .sql()?
            .query_map((generation, limit), |row| row.get(0))
            .sql()?
            .collect::<Result<_, _>>()
            .sql()?;
        if !chunks.is_empty() {
            let hashes = self.delete_chunk_rows(&chunks)?;
            self.mark_unused(&hashes)?;
            return Ok(true);
        }
        let files = self
            .conn()?
            .prepare_cached("DELETE FROM file WHERE id IN (SELECT id FROM file WHERE generation = ?1 LIMIT ?2)")
            .sql()?
            .execute((generation, limit))
            .sql()?;
        if files == 0 {
            self.conn()?.prepare_cached("DELETE FROM generation WHERE id = ?1").sql()?.execute([generation]).sql()?;
        }
        Ok(files > 0 || self.has_retired()?)
    }

    /// Any generation in a state that several can have.
    fn generation_in_any(&self, state: &str) -> Result<Option<GenerationId>> {
        let mut statement = self.conn()?.prepare_cached("SELECT id FROM generation WHERE state = ?1 LIMIT 1").sql()?;
        statement.query_row([state], |row| row.get(0)).optional().sql()
    }
}
