//! The chunks that a search looks at closely. As the other store chooses them, in one round trip where files take no part.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use foldhash::fast::RandomState;
use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, int8},
    chunks::COLUMNS,
    connect::{Param, Statement},
    embeddings::{COSINES, Cosines, cosine},
    line_vectors::LINES,
};
use crate::{
    candidates::{Found, Wanted},
    chunks::ChunkRow,
    ids::{ChunkId, SpaceId},
    vectors::Nearest,
};
use model::error::Result;

/// Cosines by chunk, none of those without; of all that were asked for.
type Compared = HashMap<ChunkId, Option<f64>, RandomState>;

/// What is known of chunks before more is asked.
struct Read {
    by_words: Vec<Arc<ChunkRow>>,
    others: Vec<Arc<ChunkRow>>,
    of_files: Vec<Arc<ChunkRow>>,
    compared: Compared,
}

impl Reader<'_> {
    /// The chunks that a search looks at; see [`crate::Reader::candidates`]. One round trip for what is not in memory of rows,
    /// cosines and lines; another one for cosines that could not be foreseen, because rows say whose they are.
    ///
    /// # Errors
    /// What the database answers; [`Code::Argument`](model::error::Code::Argument) when the query vector is not of the
    /// index's length.
    pub fn candidates(&self, wanted: &Wanted<'_>) -> Result<Found> {
        let mut near = wanted.nearest.map(|nearest| nearest.top(wanted.most_nearest)).unwrap_or_default();
        near.extend(wanted.also);
        let Read { by_words, others, of_files, compared } = self.by_words_and_near(wanted, near)?;
        let ids: Vec<ChunkId> = by_words.iter().map(|row| row.id).collect();
        let mut seen: HashSet<ChunkId, RandomState> = HashSet::default();
        let all = by_words.into_iter().chain(others).chain(of_files).filter(|row| seen.insert(row.id));
        let mut rows: Vec<ChunkRow> = all.map(Arc::unwrap_or_clone).collect();
        rows.sort_by(|a, b| (&a.source, &a.path, a.start_line, a.id).cmp(&(&b.source, &b.path, b.start_line, b.id)));
        let cosines = match wanted.nearest {
            Some(nearest) => {
                let all: Vec<ChunkId> = rows.iter().map(|row| row.id).collect();
                self.near_beside(nearest, &all, wanted.exact, compared)?
            }
            None => Vec::new(),
        };
        Ok(Found { rows, by_words: ids, cosines })
    }

    /// Cosines of chunks with the query, best first, with those that are known.
    fn near_beside(
        &self,
        nearest: &Nearest<'_>,
        ids: &[ChunkId],
        exact: usize,
        mut compared: Compared,
    ) -> Result<Vec<(ChunkId, f64)>> {
        let (exact, rest) = nearest.to_be_read(ids, exact);
        compared.extend(exact.iter().filter_map(|id| Some((*id, Some(nearest.known(*id)?)))));
        let unknown: Vec<ChunkId> = exact.iter().copied().filter(|id| !compared.contains_key(id)).collect();
        if !unknown.is_empty() {
            let (space, query) = nearest.asked();
            compared.extend(self.cosines(space, &unknown, query)?);
        }
        let known = |id: ChunkId| Some((id, compared.get(&id).copied().flatten()?));
        let mut cosines: Vec<(ChunkId, f64)> = exact.into_iter().filter_map(known).chain(rest).collect();
        nearest.rank(&mut cosines);
        Ok(cosines)
    }

    /// The first of those by words that are of the sources, all that are near, and chunks of files.
    fn by_words_and_near(&self, wanted: &Wanted<'_>, near: Vec<ChunkId>) -> Result<Read> {
        // Without a source to look for none further down takes the place of one that is gone.
        let (first, of_sources): (&[ChunkId], &[ChunkId]) = match wanted.sources {
            [] => (&wanted.by_words[..wanted.by_words.len().min(wanted.most_by_words)], &[]),
            _ => (&[], wanted.by_words),
        };
        let mut seen: HashSet<ChunkId, RandomState> = HashSet::default();
        let by_id: Vec<ChunkId> = first.iter().copied().chain(near).filter(|id| seen.insert(*id)).collect();
        let rows = self.rows_of(by_id.iter().copied());
        let (of_rows, of_words, of_files) = (rows.params(), Words::of(wanted, of_sources), Files::of(wanted));
        let compared = self.foreseen(wanted, &by_id)?;
        let lines = wanted.lines.map(|space| (space, self.lines_of(space, by_id.iter().copied()).1));
        let lines = lines.filter(|(_, missing)| !missing.is_empty());
        let (words_params, files_params) = (of_words.params(&self.agent), of_files.params(&self.agent));
        let compared_params = compared.as_ref().map(|(asked, ids)| asked.params(ids));
        let lines_params = lines.as_ref().map(|(space, missing)| self.lines_params(space, missing));
        let mut statements: Vec<Statement<'_>> = rows.statements(&of_rows);
        statements.extend((!of_words.ids.is_empty()).then_some((of_words.sql.as_str(), words_params.as_slice())));
        statements.extend((!of_files.ids.is_empty()).then_some((of_files.sql.as_str(), files_params.as_slice())));
        statements.extend(compared_params.as_ref().map(|params| (COSINES, params.as_slice())));
        statements.extend(lines_params.as_ref().map(|params| (LINES, params.as_slice())));
        let answers = if statements.is_empty() { Vec::new() } else { self.tx.rows_of_some(&statements)? };
        let mut answers = answers.into_iter();
        let rows = rows.with(self, &mut answers)?;
        let mut learnt = |is_asked: bool| -> Result<Vec<Arc<ChunkRow>>> {
            let answer = if is_asked { answers.next().unwrap_or_default() } else { Vec::new() };
            answer.iter().map(|row| self.learnt(row)).collect()
        };
        let by_words = learnt(!of_words.ids.is_empty())?;
        let of_files = learnt(!of_files.ids.is_empty())?;
        let compared = match &compared {
            Some((_, ids)) => compared_of(ids, &answers.next().unwrap_or_default())?,
            None => Compared::default(),
        };
        if let Some((space, missing)) = &lines {
            self.learnt_lines(*space, missing, &answers.next().unwrap_or_default())?;
        }
        let found = |ids: &[ChunkId]| ids.iter().filter_map(|id| rows.get(id)).cloned().collect::<Vec<_>>();
        let by_words = if wanted.sources.is_empty() { found(first) } else { by_words };
        Ok(Read { by_words, others: found(&by_id), of_files, compared })
    }

    /// Of which chunks cosines will be needed as far as these are all that are looked at, and the query; none where it is not
    /// known what length the query has to have.
    fn foreseen<'w>(&'w self, wanted: &Wanted<'w>, ids: &[ChunkId]) -> Result<Option<(Cosines<'w>, Vec<ChunkId>)>> {
        let Some(nearest) = wanted.nearest else { return Ok(None) };
        let (space, query) = nearest.asked();
        let known = self.state.get().and_then(|state| state.space.as_ref()).filter(|known| known.id == space);
        let Some(dims) = known.and_then(|known| known.dims) else { return Ok(None) };
        let asked = Cosines::of(self, space, query);
        asked.check(i64::from(dims))?;
        let (mut exact, _) = nearest.to_be_read(ids, wanted.exact);
        exact.retain(|id| nearest.known(*id).is_none());
        Ok(Some((asked, exact)).filter(|(_, exact)| !exact.is_empty()))
    }

    fn lines_params<'p>(&'p self, space: &'p SpaceId, missing: &'p Vec<ChunkId>) -> [Param<'p>; 3] {
        [int8(&self.agent), int8(space), (missing as _, Type::INT8_ARRAY)]
    }
}

/// What [`COSINES`] was answered of chunks.
fn compared_of(ids: &[ChunkId], rows: &[Row]) -> Result<Compared> {
    let mut compared: Compared = ids.iter().map(|id| (*id, None)).collect();
    for row in rows {
        let (id, cosine) = cosine(row)?;
        compared.insert(id, cosine);
    }
    Ok(compared)
}

/// Those by words where sources are named: which of them are of those, only the database knows.
struct Words<'w> {
    ids: &'w [ChunkId],
    sources: Vec<&'w str>,
    most: i64,
    sql: String,
}

impl<'w> Words<'w> {
    fn of(wanted: &Wanted<'w>, ids: &'w [ChunkId]) -> Self {
        let sql = format!(
            "SELECT {COLUMNS} FROM unnest($2) WITH ORDINALITY ids (id, place) \
             JOIN chunk c ON c.agent = $1 AND c.id = ids.id JOIN file f ON f.agent = $1 AND f.id = c.file \
             WHERE f.source = ANY ($3) ORDER BY ids.place LIMIT $4"
        );
        let sources = wanted.sources.iter().map(|source| source.as_str()).collect();
        Self { ids, sources, most: i64::try_from(wanted.most_by_words).unwrap_or(i64::MAX), sql }
    }

    fn params<'p>(&'p self, agent: &'p i64) -> [Param<'p>; 4] {
        [int8(agent), (&self.ids as _, Type::INT8_ARRAY), (&self.sources as _, Type::TEXT_ARRAY), int8(&self.most)]
    }
}

/// Chunks of files, the most wanted first.
struct Files {
    ids: Vec<i64>,
    most: i64,
    sql: String,
}

impl Files {
    fn of(wanted: &Wanted<'_>) -> Self {
        let sql = format!(
            "SELECT {COLUMNS} FROM unnest($2) WITH ORDINALITY ids (id, place) \
             JOIN file f ON f.agent = $1 AND f.id = ids.id JOIN chunk c ON c.agent = $1 AND c.file = f.id \
             ORDER BY ids.place, c.start_line, c.id LIMIT $3"
        );
        let files = if wanted.most_of_files == 0 { &[] } else { wanted.files };
        let ids = files.iter().map(|id| id.number()).collect();
        Self { ids, most: i64::try_from(wanted.most_of_files).unwrap_or(i64::MAX), sql }
    }

    fn params<'p>(&'p self, agent: &'p i64) -> [Param<'p>; 3] {
        [int8(agent), (&self.ids as _, Type::INT8_ARRAY), int8(&self.most)]
    }
}
