//! Generations: a rebuild grows beside the index that answers searches, and takes over in one transaction.

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8, natural, text, the_row},
    connect::Param,
    files::marked,
};
use crate::generations::{Generation, GenerationId, GenerationState};
use model::error::{Code, Error, Result};

fn from_row(row: &Row) -> Result<Generation> {
    let state = match column(row, 2)? {
        "building" => GenerationState::Building,
        "live" => GenerationState::Live,
        _ => GenerationState::Retired,
    };
    Ok(Generation { id: column(row, 0)?, identity: column(row, 1)?, state, created_ms: column(row, 3)? })
}

impl Reader<'_> {
    /// The generation that answers searches; none before the first index.
    ///
    /// # Errors
    /// What the database answers.
    pub fn live(&self) -> Result<Option<Generation>> {
        match self.state()? {
            Some(state) => Ok(state.live.as_ref().map(|(live, _)| live.clone())),
            None => self.generation_in("live"),
        }
    }

    /// The generation being built, if any.
    ///
    /// # Errors
    /// What the database answers.
    pub fn building(&self) -> Result<Option<Generation>> {
        self.generation_in("building")
    }

    /// Whether there is something for [`Tx::retire_step`] to do.
    ///
    /// # Errors
    /// What the database answers.
    pub(crate) fn has_retired(&self) -> Result<bool> {
        Ok(self.generation_in("retired")?.is_some())
    }

    /// A generation in a state.
    fn generation_in(&self, state: &str) -> Result<Option<Generation>> {
        let sql = "SELECT id, identity, state, created_ms FROM generation WHERE agent = $1 AND state = $2 ORDER BY id LIMIT 1";
        self.tx.row(sql, &[int8(&self.agent), text(&state)])?.as_ref().map(from_row).transpose()
    }
}

impl Tx<'_> {
    /// The generation to index into; see [`crate::Tx::begin_building`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn begin_building(&self, identity: &str) -> Result<Generation> {
        let (live, building) = (self.live()?, self.building()?);
        let is_live = live.as_ref().is_some_and(|live| live.identity == identity);
        if let Some(building) = building.as_ref().filter(|building| building.identity != identity || is_live) {
            self.set_state(building.id, "retired")?;
        }
        match (live, building) {
            (Some(live), _) if is_live => Ok(live),
            (_, Some(building)) if building.identity == identity => Ok(building),
            (Some(_), _) => self.create_generation(identity, GenerationState::Building),
            (None, _) => self.create_generation(identity, GenerationState::Live),
        }
    }

    /// Begins a rebuild with the identity of the live generation. An unfinished rebuild is given up.
    ///
    /// # Errors
    /// What the database answers.
    pub fn begin_rebuild(&self, identity: &str) -> Result<Generation> {
        if let Some(building) = self.building()? {
            self.set_state(building.id, "retired")?;
        }
        let state = if self.live()?.is_some() { GenerationState::Building } else { GenerationState::Live };
        self.create_generation(identity, state)
    }

    fn create_generation(&self, identity: &str, state: GenerationState) -> Result<Generation> {
        let name = if state == GenerationState::Live { "live" } else { "building" };
        let (id, created_ms) = (self.next_ids(1)?, self.now_ms);
        let sql = "INSERT INTO generation (agent, id, identity, state, created_ms) VALUES ($1, $2, $3, $4, $5)";
        self.tx.execute(sql, &[int8(&self.agent), int8(&id), text(&identity), text(&name), int8(&created_ms)])?;
        Ok(Generation { id: GenerationId::new(id), identity: identity.to_owned(), state, created_ms })
    }

    /// Makes the generation being built the live one, and retires the one that was.
    ///
    /// # Errors
    /// When nothing is being built under this id, and what the database answers.
    pub fn flip(&self, building: GenerationId) -> Result<()> {
        if self.building()?.is_none_or(|generation| generation.id != building) {
            return Err(Error::new(Code::Internal, format!("generation {building} is not being built")));
        }
        if let Some(live) = self.live()? {
            self.set_state(live.id, "retired")?;
        }
        self.set_state(building, "live")
    }

    fn set_state(&self, id: GenerationId, state: &str) -> Result<()> {
        let sql = "UPDATE generation SET state = $3 WHERE agent = $1 AND id = $2";
        self.tx.execute(sql, &[int8(&self.agent), int8(&id), text(&state)]).map(drop)
    }

    /// Removes up to `limit` chunks of a retired generation, and at the end the generation itself. True while there is
    /// more to do.
    ///
    /// # Errors
    /// What the database answers.
    pub fn retire_step(&self, limit: usize) -> Result<bool> {
        let Some(retired) = self.generation_in("retired")?.map(|retired| retired.id) else { return Ok(false) };
        self.drop_words(retired)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let params = [int8(&self.agent), int8(&retired), int8(&limit)];
        let delete = |table, id| {
            format!(
                "DELETE FROM {table} WHERE agent = $1 AND {id} = ANY (ARRAY(\
                 SELECT {id} FROM {table} WHERE agent = $1 AND generation = $2 LIMIT $3))"
            )
        };
        if self.tx.execute(&delete("code", "chunk"), &params)? > 0
            || self.retire_chunks(&delete("chunk", "id"), &params)?
        {
            return Ok(true);
        }
        for (table, id) in [("transcript", "file"), ("file", "id")] {
            if self.tx.execute(&delete(table, id), &params)? > 0 {
                return Ok(true);
            }
        }
        self.tx.execute("DELETE FROM generation WHERE agent = $1 AND id = $2", &params[..2])?;
        Ok(self.generation_in("retired")?.is_some())
    }

    /// Deletes chunks, and notes which vectors nobody uses any more. False when there were none.
    fn retire_chunks(&self, delete: &str, [agent, generation, limit]: &[Param<'_>; 3]) -> Result<bool> {
        let sql = format!("WITH dead AS ({delete} RETURNING id, hash), {}SELECT count(*) FROM dead", marked!());
        let (no_version, kept) = (0_i64, Vec::<&[u8]>::new());
        let params = [
            agent.clone(),
            generation.clone(),
            limit.clone(),
            int8(&no_version),
            int8(&no_version),
            int8(&self.now_ms),
            text(&self.tenant),
            (&kept as _, Type::BYTEA_ARRAY),
        ];
        Ok(natural::<u64>(&the_row(self.tx.row(&sql, &params)?)?, 0)? > 0)
    }
}
