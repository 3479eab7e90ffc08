//! Files of a generation, each replaced as a whole together with its chunks.

use std::collections::{HashMap, HashSet};

use tokio_postgres::{Row, types::Type};

use super::{
    agent::{Reader, Tx, column, int8, natural, text},
    codes::OF_NEW_CHUNKS,
    connect::{Param, Statement},
    state::SOURCES,
    transaction::Owned,
};
use crate::{
    files::{FileRow, Hash, NewChunk, NewFile},
    generations::GenerationId,
    ids::FileId,
};
use model::error::{Code, Error, Result};

/// A hash as it is stored.
pub(super) fn hash(bytes: &[u8]) -> Result<Hash> {
    bytes.try_into().map_err(|_| Error::new(Code::Corrupt, "the database holds a hash of another length"))
}

/// A file of six columns, from this one on.
pub(super) fn file_row(row: &Row, first: usize) -> Result<FileRow> {
    Ok(FileRow {
        id: column(row, first)?,
        hash: hash(column(row, first + 1)?)?,
        mtime_ns: column(row, first + 2)?,
        size: natural(row, first + 3)?,
        lines: natural(row, first + 4)?,
        terms: natural(row, first + 5)?,
    })
}

impl Reader<'_> {
    /// Whether there is any file of a source.
    ///
    /// # Errors
    /// What the database answers.
    pub fn has_files(&self, generation: GenerationId, source: &str) -> Result<bool> {
        let known = self.state.get().filter(|state| state.live.as_ref().is_some_and(|(live, _)| live.id == generation));
        if let Some(state) = known.filter(|_| SOURCES.contains(&source)) {
            return Ok(state.sources.iter().any(|known| known == source));
        }
        let sql = "SELECT 1 FROM file WHERE agent = $1 AND generation = $2 AND source = $3 LIMIT 1";
        Ok(self.tx.row(sql, &[int8(&self.agent), int8(&generation), text(&source)])?.is_some())
    }

    /// All files of a source, by path.
    ///
    /// # Errors
    /// What the database answers.
    pub fn files(&self, generation: GenerationId, source: &str) -> Result<HashMap<String, FileRow>> {
        let sql = "SELECT path, id, hash, mtime_ns, size, lines, terms FROM file \
                   WHERE agent = $1 AND generation = $2 AND source = $3";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation), text(&source)])?;
        rows.iter().map(|row| Ok((column(row, 0)?, file_row(row, 1)?))).collect()
    }

    /// One file of a source.
    ///
    /// # Errors
    /// What the database answers.
    pub fn file(&self, generation: GenerationId, source: &str, path: &str) -> Result<Option<FileRow>> {
        let sql = "SELECT id, hash, mtime_ns, size, lines, terms FROM file \
                   WHERE agent = $1 AND generation = $2 AND source = $3 AND path = $4";
        let params = [int8(&self.agent), int8(&generation), text(&source), text(&path)];
        self.tx.row(sql, &params)?.map(|row| file_row(&row, 0)).transpose()
    }

    /// How many files a source has.
    ///
    /// # Errors
    /// What the database answers.
    pub fn file_count(&self, generation: GenerationId, source: &str) -> Result<u64> {
        let sql = "SELECT count(*) FROM file WHERE agent = $1 AND generation = $2 AND source = $3";
        let row = self.tx.row(sql, &[int8(&self.agent), int8(&generation), text(&source)])?;
        row.map_or(Ok(0), |row| natural(&row, 0))
    }

    /// Source and path of all files, by id.
    ///
    /// # Errors
    /// What the database answers.
    pub fn file_paths(&self, generation: GenerationId) -> Result<Vec<(FileId, String, String)>> {
        let sql = "SELECT id, source, path FROM file WHERE agent = $1 AND generation = $2";
        let rows = self.tx.rows(sql, &[int8(&self.agent), int8(&generation)])?;
        rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?, column(row, 2)?))).collect()
    }

    /// When files were changed last; see [`crate::Reader::changed_ms`].
    ///
    /// # Errors
    /// What the database answers.
    pub fn changed_ms(&self, generation: GenerationId, paths: &[&str]) -> Result<HashMap<String, i64>> {
        let sql = "SELECT DISTINCT ON (path) path, CASE WHEN mtime_ns > 0 THEN mtime_ns / 1000000 ELSE indexed_ms END \
                   FROM file WHERE agent = $1 AND generation = $2 AND source = ANY ($3) AND path = ANY ($4) \
                   ORDER BY path, source COLLATE \"C\"";
        if let Some(state) = self.state.get() {
            let changed = state.answers.changed.lock();
            let known = |path: &&str| Some(((*path).to_owned(), *changed.get(&(generation, (*path).to_owned()))?));
            if let Some(known) = paths.iter().map(known).collect() {
                return Ok(known);
            }
        }
        let sources = SOURCES;
        let params = [
            int8(&self.agent),
            int8(&generation),
            (&sources.as_slice() as _, Type::TEXT_ARRAY),
            (&paths as _, Type::TEXT_ARRAY),
        ];
        let rows = self.answer(sql, &format!("{generation} {}", paths.join("\0")), &params)?;
        rows.iter().map(|row| Ok((column(row, 0)?, column(row, 1)?))).collect()
    }
}

/// SQL that notes that vectors of the texts of chunks `dead` were in use until `$6`, where agent `$1` of tenant `$7` has the
/// text nowhere else and it is not in `$8`. What another agent is at, that one notes: nobody waits for it.
macro_rules! marked {
    () => {
        "unused AS MATERIALIZED (SELECT e.tenant, e.space, e.hash \
           FROM (SELECT DISTINCT hash FROM dead WHERE hash <> ALL ($8)) d JOIN space s ON s.tenant = $7 \
           JOIN embedding e ON e.tenant = s.tenant AND e.space = s.id AND e.hash = d.hash \
           WHERE NOT EXISTS (SELECT 1 FROM generation g JOIN chunk c ON c.agent = $1 AND c.generation = g.id \
             AND c.hash = d.hash WHERE g.agent = $1 AND g.state <> 'retired' AND c.id NOT IN (SELECT id FROM dead)) \
           FOR NO KEY UPDATE OF e SKIP LOCKED), \
         marked AS (UPDATE embedding e SET used_ms = $6 FROM unused u \
           WHERE e.tenant = u.tenant AND e.space = u.space AND e.hash = u.hash) "
    };
}
pub(super) use marked;

/// Deletes files with their chunks, and gives the number of files. All parts see the same moment, and each row once. With
/// [`marked`]. Lists cannot be made joins, which would read whole tables of which the database knows nothing yet.
const DELETE: &str = concat!(
    "WITH gone AS (DELETE FROM file WHERE agent = $1 AND id = ANY (ARRAY(\
           SELECT f.id FROM unnest($3, $4) AS p (source, path) CROSS JOIN LATERAL (\
             SELECT f.id FROM file f WHERE f.agent = $1 AND f.generation = $2 AND f.source = p.source AND f.path = p.path \
             LIMIT 1) f)) RETURNING id), \
        dead AS (DELETE FROM chunk WHERE agent = $1 AND file = ANY (ARRAY(SELECT id FROM gone)) RETURNING id, hash), \
        noted AS (INSERT INTO lex_dead (agent, generation, chunk, seq) SELECT $1, $2, id, $5 FROM dead), \
        untold AS (DELETE FROM transcript WHERE agent = $1 AND file = ANY (ARRAY(SELECT id FROM gone))), \
        uncoded AS (DELETE FROM code WHERE agent = $1 AND chunk = ANY (ARRAY(SELECT id FROM dead))), \
        counted AS (UPDATE generation SET chunks = chunks - (SELECT count(*) FROM dead), \
                    hashed = hashed - (SELECT count(hash) FROM dead) \
                    WHERE agent = $1 AND id = $2 AND EXISTS (SELECT 1 FROM dead)), ",
    marked!(),
    "SELECT count(*) FROM gone"
);

fn size(file: &NewFile<'_>) -> Result<i64> {
    i64::try_from(file.size).map_err(|_| Error::new(Code::Argument, "a file is too large for the index"))
}

/// A file as it is sent.
pub(super) struct FileParams<'f> {
    file: &'f NewFile<'f>,
    hash: &'f [u8],
    size: i64,
    lines: i64,
    terms: i64,
}

impl<'f> FileParams<'f> {
    pub(super) const INSERT: &'static str = "INSERT INTO file (agent, id, generation, source, path, hash, mtime_ns, size, \
         lines, terms, indexed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

    /// Of one that stays where it is.
    pub(super) const UPDATE: &'static str = "UPDATE file SET hash = $6, mtime_ns = $7, size = $8, lines = $9, terms = $10, \
         indexed_ms = $11 WHERE agent = $1 AND id = $2 AND generation = $3 AND source = $4 AND path = $5";

    pub(super) fn new(file: &'f NewFile<'f>) -> Result<Self> {
        Ok(Self {
            file,
            hash: &file.hash,
            size: size(file)?,
            lines: i64::from(file.lines),
            terms: i64::from(file.terms),
        })
    }

    pub(super) fn all<'a>(
        &'a self,
        agent: &'a i64,
        id: &'a i64,
        generation: &'a GenerationId,
        now_ms: &'a i64,
    ) -> [Param<'a>; 11] {
        [
            int8(agent),
            int8(id),
            int8(generation),
            text(&self.file.source),
            text(&self.file.path),
            (&self.hash as _, Type::BYTEA),
            int8(&self.file.mtime_ns),
            int8(&self.size),
            int8(&self.lines),
            int8(&self.terms),
            int8(now_ms),
        ]
    }
}

/// Files as they are sent, all in one statement.
struct FileRows<'f> {
    sources: Vec<&'f str>,
    paths: Vec<&'f str>,
    hashes: Vec<&'f [u8]>,
    mtimes_ns: Vec<i64>,
    sizes: Vec<i64>,
    lines: Vec<i64>,
    terms: Vec<i64>,
}

impl<'f> FileRows<'f> {
    const INSERT: &'static str = "INSERT INTO file (agent, id, generation, source, path, hash, mtime_ns, size, lines, terms, \
           indexed_ms) SELECT $1, f.id, $2, f.source, f.path, f.hash, f.mtime_ns, f.size, f.lines, f.terms, $3 \
         FROM unnest($4, $5, $6, $7, $8, $9, $10, $11) f (id, source, path, hash, mtime_ns, size, lines, terms)";

    fn new(files: impl Iterator<Item = &'f NewFile<'f>> + Clone) -> Result<Self> {
        let all = || files.clone();
        Ok(Self {
            sources: all().map(|file| file.source).collect(),
            paths: all().map(|file| file.path).collect(),
            hashes: all().map(|file| file.hash.as_slice()).collect(),
            mtimes_ns: all().map(|file| file.mtime_ns).collect(),
            sizes: all().map(size).collect::<Result<_>>()?,
            lines: all().map(|file| i64::from(file.lines)).collect(),
            terms: all().map(|file| i64::from(file.terms)).collect(),
        })
    }

    /// Sources and paths.
    fn names(&self) -> [Param<'_>; 2] {
        [(&self.sources as _, Type::TEXT_ARRAY), (&self.paths as _, Type::TEXT_ARRAY)]
    }

    fn all<'a>(
        &'a self,
        agent: &'a i64,
        ids: &'a Vec<i64>,
        generation: &'a GenerationId,
        now_ms: &'a i64,
    ) -> [Param<'a>; 11] {
        let [sources, paths] = self.names();
        [
            int8(agent),
            int8(generation),
            int8(now_ms),
            (ids as _, Type::INT8_ARRAY),
            sources,
            paths,
            (&self.hashes as _, Type::BYTEA_ARRAY),
            (&self.mtimes_ns as _, Type::INT8_ARRAY),
            (&self.sizes as _, Type::INT8_ARRAY),
            (&self.lines as _, Type::INT8_ARRAY),
            (&self.terms as _, Type::INT8_ARRAY),
        ]
    }
}

/// Chunks as they are sent.
pub(super) struct ChunkRows<'c> {
    agent: i64,
    tenant: &'c str,
    version: i64,
    generation: GenerationId,
    /// The first id, and the last.
    range: (i64, i64),
    files: Vec<i64>,
    ids: Vec<i64>,
    starts: Vec<i64>,
    ends: Vec<i64>,
    hashes: Vec<Option<&'c [u8]>>,
    bodies: Vec<&'c [u8]>,
    lines: Vec<&'c [u8]>,
    /// How many there are, and how many with a text.
    counts: (i64, i64),
}

impl<'c> ChunkRows<'c> {
    /// Those of files, each with its id and that of its first chunk, which the others follow. The ids of files grow.
    pub(super) fn new<'f>(
        tx: &Tx<'c>,
        generation: GenerationId,
        files: impl Iterator<Item = (i64, i64, &'f [NewChunk])> + Clone,
    ) -> Result<Self>
    where
        'f: 'c,
    {
        let chunks = || files.clone().flat_map(|(.., chunks)| chunks);
        let hashes: Vec<_> = chunks().map(|chunk| (!chunk.text.trim().is_empty()).then_some(&chunk.hash[..])).collect();
        let counts = (hashes.len() as i64, hashes.iter().flatten().count() as i64);
        let places =
            files.clone().flat_map(|(file, first, chunks)| (first..).take(chunks.len()).map(move |id| (file, id)));
        let (of_files, ids): (Vec<i64>, Vec<i64>) = places.unzip();
        Ok(Self {
            agent: tx.agent,
            tenant: tx.tenant,
            version: tx.version()?,
            generation,
            range: (ids.first().copied().unwrap_or(0), ids.last().copied().unwrap_or(-1)),
            files: of_files,
            ids,
            starts: chunks().map(|chunk| i64::from(chunk.start_line)).collect(),
            ends: chunks().map(|chunk| i64::from(chunk.end_line)).collect(),
            hashes,
            bodies: chunks().map(|chunk| chunk.text.as_bytes()).collect(),
            lines: chunks().map(|chunk| chunk.line_terms.as_slice()).collect(),
            counts,
        })
    }

    /// What writes and counts them, with the codes of those whose vectors are there.
    pub(super) fn statements(&self) -> [(&'static str, Vec<Param<'_>>); 3] {
        let agent = || int8(&self.agent);
        [
            (
                "INSERT INTO chunk (agent, generation, file, id, start_line, end_line, hash, body, lines) \
                 SELECT $1, $2, c.* FROM unnest($3, $4, $5, $6, $7, $8, $9) c",
                vec![
                    agent(),
                    int8(&self.generation),
                    (&self.files as _, Type::INT8_ARRAY),
                    (&self.ids as _, Type::INT8_ARRAY),
                    (&self.starts as _, Type::INT8_ARRAY),
                    (&self.ends as _, Type::INT8_ARRAY),
                    (&self.hashes as _, Type::BYTEA_ARRAY),
                    (&self.bodies as _, Type::BYTEA_ARRAY),
                    (&self.lines as _, Type::BYTEA_ARRAY),
                ],
            ),
            (
                "UPDATE generation SET chunks = chunks + $3, hashed = hashed + $4 WHERE agent = $1 AND id = $2",
                vec![agent(), int8(&self.generation), int8(&self.counts.0), int8(&self.counts.1)],
            ),
            (
                OF_NEW_CHUNKS,
                vec![agent(), text(&self.tenant), int8(&self.version), int8(&self.range.0), int8(&self.range.1)],
            ),
        ]
    }
}

impl Tx<'_> {
    /// What [`DELETE`] is told.
    fn to_delete<'p>(
        &'p self,
        (generation, version): (&'p GenerationId, &'p i64),
        [sources, paths, kept]: [Param<'p>; 3],
    ) -> [Param<'p>; 8] {
        [
            int8(&self.agent),
            int8(generation),
            sources,
            paths,
            int8(version),
            int8(&self.now_ms),
            text(&self.tenant),
            kept,
        ]
    }

    /// Stores a file and its chunks in place of what was stored under its path. Gives the id of the file.
    ///
    /// # Errors
    /// What the database answers.
    pub fn replace_file(&self, generation: GenerationId, file: &NewFile<'_>, chunks: &[NewChunk]) -> Result<FileId> {
        self.replace_all(generation, &[(file, chunks)])
    }

    /// [`Self::replace_file`] for several files, in one round trip. Where a path is there twice, the last one holds.
    ///
    /// # Errors
    /// What the database answers.
    pub fn replace_files(&self, generation: GenerationId, files: &[(NewFile<'_>, &[NewChunk])]) -> Result<()> {
        let mut paths = HashSet::new();
        let last = files.iter().rev().filter(|(file, _)| paths.insert((file.source, file.path)));
        let mut files: Vec<_> = last.map(|(file, chunks)| (file, *chunks)).collect();
        files.reverse();
        if files.is_empty() { Ok(()) } else { self.replace_all(generation, &files).map(drop) }
    }

    /// Stores files; gives the id of the first.
    fn replace_all(&self, generation: GenerationId, files: &[(&NewFile<'_>, &[NewChunk])]) -> Result<FileId> {
        let ids = files.iter().map(|(_, chunks)| self.next_ids(1 + chunks.len())).collect::<Result<Vec<i64>>>()?;
        let all_chunks = || files.iter().flat_map(|(_, chunks)| *chunks);
        let rows = ids.iter().zip(files).map(|(id, (_, chunks))| (*id, id + 1, *chunks));
        let rows = ChunkRows::new(self, generation, rows)?;
        let of_files = FileRows::new(files.iter().map(|(file, _)| *file))?;
        let version = self.version()?;
        let kept: Vec<&[u8]> = all_chunks().map(|chunk| chunk.hash.as_slice()).collect();
        let [sources, paths] = of_files.names();
        let old = [sources, paths, (&kept as _, Type::BYTEA_ARRAY)];
        let gone = self.to_delete((&generation, &version), old);
        let of_files = of_files.all(&self.agent, &ids, &generation, &self.now_ms);
        let of_chunks = rows.statements();
        let mut all: Vec<Statement<'_>> = vec![(DELETE, &gone), (FileRows::INSERT, &of_files)];
        all.extend(of_chunks.iter().map(|(sql, params)| (*sql, params.as_slice())));
        self.tx.execute_all_meanwhile(&all, || {
            for (id, (_, chunks)) in ids.iter().zip(files) {
                self.add_words(generation, id + 1, chunks);
            }
            self.sort_words();
        })?;
        Ok(FileId::new(ids.first().copied().unwrap_or_default()))
    }

    /// Notes a new modification time of a file whose content is the same.
    ///
    /// # Errors
    /// What the database answers.
    pub fn touch_file(&self, file: FileId, mtime_ns: i64) -> Result<()> {
        let sql = "UPDATE file SET mtime_ns = $3 WHERE agent = $1 AND id = $2";
        let number = |number: i64| -> Owned { (Box::new(number), Type::INT8) };
        self.tx.execute_later(sql, vec![number(self.agent), number(file.number()), number(mtime_ns)]);
        Ok(())
    }

    /// Removes a file with its chunks. False when there was none.
    ///
    /// # Errors
    /// What the database answers.
    pub fn delete_file(&self, generation: GenerationId, source: &str, path: &str) -> Result<bool> {
        let (kept, version) = (Vec::<&[u8]>::new(), self.version()?);
        let (sources, paths) = (vec![source], vec![path]);
        let old = [(&sources as _, Type::TEXT_ARRAY), (&paths as _, Type::TEXT_ARRAY), (&kept as _, Type::BYTEA_ARRAY)];
        let params = self.to_delete((&generation, &version), old);
        self.tx.row(DELETE, &params)?.map_or(Ok(false), |row| Ok(column::<i64>(&row, 0)? > 0))
    }
}
