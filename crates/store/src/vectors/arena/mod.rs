//! All vectors of the index in memory, quantised, for one fast pass per query.
//!
//! Sign bits of all, and bytes while they take at most 48 MB: 100,000 vectors of 1,536 dimensions fit in 20 MB. What a
//! pass finds is approximate; the store scores the best of it exactly.

mod bits;
mod centroid;
mod code;
mod int8;
mod packed;

use std::collections::HashMap;

use foldhash::fast::RandomState;

use bits::BitCodes;
use centroid::Centroids;
pub use code::code;
pub use int8::CodedQuery;
use int8::Int8Codes;
pub(crate) use packed::{Block, PackedRow, pack};

use model::error::{Code, Error, Result};
use model::source::Source;

/// Bytes of code beyond which an arena keeps sign bits only.
pub(crate) const INT8_LIMIT: usize = 48 << 20;

/// Bytes of code beyond which bits choose what is compared by bytes: reading all of them takes longer than that.
const COARSE_FROM: usize = 4 << 20;
/// Least number of rows that bits choose. With eight times as many as are wanted, bits miss 0.4 % of the best 200.
const REFINED: usize = 2048;
/// How many times as many as are wanted are compared by bytes at once; of the others those that these do not rule out.
const FIRST_REFINED: usize = 4;
/// How far above its bits another may be, as a share of the spread of these.
const MARGIN: f32 = 0.7;

/// How much of each vector an arena keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    /// One byte a dimension.
    Int8,
    /// One bit a dimension.
    Bits,
}

impl Precision {
    /// How much is kept of so many vectors.
    #[must_use]
    pub(crate) const fn of(dims: usize, rows: usize) -> Self {
        if dims.saturating_mul(rows) <= INT8_LIMIT { Self::Int8 } else { Self::Bits }
    }
}

/// A chunk that may be similar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The chunk's id in the store.
    pub chunk_id: i64,
    /// Approximate cosine similarity, −1 to 1.
    pub similarity: f32,
}

/// The quantised vectors of all chunks of one generation and one embedding space.
#[derive(Debug, Clone)]
pub struct Arena {
    dims: usize,
    chunk_ids: Vec<i64>,
    embedding_ids: Vec<i64>,
    sources: Vec<Source>,
    /// Row of each chunk.
    rows: HashMap<i64, usize, RandomState>,
    bits: BitCodes,
    bytes: Option<Bytes>,
}

/// What is kept while there is room for bytes.
#[derive(Debug, Clone)]
struct Bytes {
    codes: Int8Codes,
    centroids: Centroids,
}

impl Arena {
    /// An empty arena for vectors of `dims` dimensions.
    #[must_use]
    pub fn new(dims: usize) -> Self {
        Self::with_capacity(dims, 0)
    }

    /// An empty arena that will soon hold `rows` vectors of `dims` dimensions.
    #[must_use]
    pub fn with_capacity(dims: usize, rows: usize) -> Self {
        let bytes = (Precision::of(dims, rows) == Precision::Int8)
            .then(|| Bytes { codes: Int8Codes::with_capacity(dims, rows), centroids: Centroids::new(dims) });
        Self {
            dims,
            chunk_ids: Vec::with_capacity(rows),
            embedding_ids: Vec::with_capacity(rows),
            sources: Vec::with_capacity(rows),
            rows: HashMap::with_capacity_and_hasher(rows, RandomState::default()),
            bits: BitCodes::with_capacity(dims, rows),
            bytes,
        }
    }

    /// One that stays empty, as precise as one of so many vectors.
    #[cfg(feature = "postgres")]
    pub(crate) fn of_none(dims: usize, rows: usize) -> Self {
        let mut none = Self::new(dims);
        if Precision::of(dims, rows) == Precision::Bits {
            none.bytes = None;
        }
        none
    }

    /// Bytes that an arena of so many vectors takes, about.
    #[cfg(feature = "postgres")]
    #[must_use]
    pub(crate) const fn expected_bytes(dims: usize, rows: usize) -> usize {
        let bytes = match Precision::of(dims, rows) {
            Precision::Int8 => dims + size_of::<f32>(),
            Precision::Bits => 0,
        };
        // Signs with what turns them into cosines, both ids, and the way from a chunk to its row.
        let row = bits::words(dims) * size_of::<u64>()
            + 4 * size_of::<i64>()
            + size_of::<Source>()
            + size_of::<(i64, usize)>();
        rows.saturating_mul(row + bytes)
    }

    /// Adds a chunk with the id and the stored [`code`] of its embedding, or replaces the one it has.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when the code has another number of dimensions.
    pub fn append(&mut self, chunk_id: i64, embedding_id: i64, source: Source, code: &[u8]) -> Result<()> {
        self.make_room(chunk_id, code.len())?;
        self.bits.push(bytemuck::cast_slice(code));
        self.push(chunk_id, embedding_id, source, Some(code));
        Ok(())
    }

    /// [`Self::append`] of a row that [`pack`] has made.
    ///
    /// # Errors
    /// [`Code::Corrupt`] when it has no code although bytes are kept, or one of another number of dimensions.
    pub(crate) fn append_packed(
        &mut self,
        chunk_id: i64,
        embedding_id: i64,
        source: Source,
        row: PackedRow<'_>,
    ) -> Result<()> {
        let found = match row.code {
            Some(code) => code.len(),
            None if row.signs.len() == size_of::<u64>() * bits::words(self.dims) && self.bytes.is_none() => self.dims,
            None => 0,
        };
        self.make_room(chunk_id, found)?;
        self.bits.push_packed(row.scale, row.signs);
        self.push(chunk_id, embedding_id, source, row.code);
        Ok(())
    }

    /// Makes room for a row of so many dimensions.
    fn make_room(&mut self, chunk_id: i64, found: usize) -> Result<()> {
        if found != self.dims || self.dims == 0 {
            let message = format!("the vector of chunk {chunk_id} has {found} dimensions, not {}", self.dims);
            return Err(Error::new(Code::Corrupt, message).remedy("Run `openclaw memory index --force`"));
        }
        self.remove(chunk_id);
        if Precision::of(self.dims, self.chunk_ids.len() + 1) == Precision::Bits {
            self.bytes = None;
        }
        Ok(())
    }

    /// Adds the row whose signs were added last.
    fn push(&mut self, chunk_id: i64, embedding_id: i64, source: Source, code: Option<&[u8]>) {
        if let (Some(bytes), Some(code)) = (&mut self.bytes, code) {
            bytes.codes.push(bytemuck::cast_slice(code));
            let (row, inverse_length) = bytes.codes.row(self.dims, self.chunk_ids.len());
            bytes.centroids.add(source, row, inverse_length);
        }
        self.rows.insert(chunk_id, self.chunk_ids.len());
        self.chunk_ids.push(chunk_id);
        self.embedding_ids.push(embedding_id);
        self.sources.push(source);
    }

    /// Removes a chunk; false when it was not there. Leaves no gap: the last row takes its place.
    pub fn remove(&mut self, chunk_id: i64) -> bool {
        let Some(row) = self.rows.remove(&chunk_id) else { return false };
        self.bits.swap_remove(self.dims, row);
        if let Some(bytes) = &mut self.bytes {
            let (code, inverse_length) = bytes.codes.row(self.dims, row);
            bytes.centroids.remove(self.sources[row], code, inverse_length);
            bytes.codes.swap_remove(self.dims, row);
        }
        self.sources.swap_remove(row);
        self.chunk_ids.swap_remove(row);
        self.embedding_ids.swap_remove(row);
        if let Some(&moved) = self.chunk_ids.get(row) {
            self.rows.insert(moved, row);
        }
        true
    }

    /// Removes every chunk that `keep` does not want.
    pub fn retain(&mut self, keep: impl Fn(i64) -> bool) {
        let gone: Vec<i64> = self.chunk_ids.iter().copied().filter(|&chunk_id| !keep(chunk_id)).collect();
        for chunk_id in gone {
            self.remove(chunk_id);
        }
    }

    /// The embedding of a chunk in the store; none when it has none.
    #[must_use]
    pub(crate) fn embedding_of(&self, chunk_id: i64) -> Option<i64> {
        self.rows.get(&chunk_id).map(|&row| self.embedding_ids[row])
    }

    /// Dimensions of the vectors.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.dims
    }

    /// Number of chunks.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.chunk_ids.len()
    }

    /// Whether there is no chunk.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.chunk_ids.is_empty()
    }

    /// How much of each vector is kept.
    #[must_use]
    pub(crate) const fn precision(&self) -> Precision {
        if self.bytes.is_some() { Precision::Int8 } else { Precision::Bits }
    }

    /// Memory in use, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bits.bytes()
            + self.bytes.as_ref().map_or(0, |bytes| bytes.codes.bytes())
            + (self.chunk_ids.capacity() + self.embedding_ids.capacity()) * size_of::<i64>()
            + self.sources.capacity() * size_of::<Source>()
            + self.rows.capacity() * size_of::<(i64, usize)>()
    }

    /// How many candidates to score exactly so that the best `k` are among them. Measured: with bytes all of them;
    /// with bits 99.9 % of the best 24 and of the best 200 of 9,000 MiniLM vectors (384 dimensions), 99.9 % and
    /// 99.6 % of 50,000 made vectors of 1,536 dimensions.
    #[must_use]
    pub(crate) fn oversample(&self, k: usize) -> usize {
        match self.precision() {
            Precision::Int8 => k.saturating_add(64),
            Precision::Bits => k.saturating_mul(8).max(512),
        }
    }

    /// Compares a query with all chunks of the sources (none named = all). None when the query has no direction or another
    /// number of dimensions.
    ///
    /// On this thread alone: with one more busy thread 32 searches at once on two cores delay the event loop by 4.9 ms
    /// instead of 1.9 at p99.
    #[must_use]
    pub fn scan(&self, query: &[f32], sources: &[Source]) -> Option<Scan<'_>> {
        let directed = query.iter().all(|x| x.is_finite()) && query.iter().any(|&x| x != 0.0);
        if query.len() != self.dims || !directed {
            return None;
        }
        let mut similarities = Vec::with_capacity(self.len());
        let coarse = self.bytes.as_ref().filter(|_| self.len() * self.dims > COARSE_FROM);
        match &self.bytes {
            Some(bytes) if coarse.is_none() => bytes.codes.scan(query, &mut similarities),
            _ => self.bits.scan(query, &mut similarities),
        }
        if !sources.is_empty() {
            for (similarity, source) in similarities.iter_mut().zip(&self.sources) {
                if !sources.contains(source) {
                    *similarity = f32::NAN;
                }
            }
        }
        let refine = coarse.map(|bytes| (CodedQuery::new(query), bytes));
        let mean = match &refine {
            Some((query, bytes)) => bytes.centroids.mean_cosine(query, sources),
            None => mean(&similarities),
        };
        Some(Scan { arena: self, similarities, refine, mean })
    }
}

/// Mean of similarities, NaN aside; 0 when there is none. Summed as whole numbers: rows are in the order in which they
/// came and went, and a sum of floats depends on it.
fn mean(similarities: &[f32]) -> f64 {
    const ONE: f64 = (1_u64 << 32) as f64;
    let (mut count, mut sum) = (0_u32, 0_i64);
    for similarity in similarities.iter().copied().filter(|x| !x.is_nan()) {
        count += 1;
        sum += (f64::from(similarity) * ONE) as i64;
    }
    sum as f64 / (ONE * f64::from(count.max(1)))
}

/// A query's similarity to every chunk.
#[derive(Debug, Clone)]
pub struct Scan<'a> {
    arena: &'a Arena,
    /// In row order; NaN for chunks that are left out.
    similarities: Vec<f32>,
    /// Where these are those of bits, the query to compare with bytes.
    refine: Option<(CodedQuery, &'a Bytes)>,
    mean: f64,
}

impl Scan<'_> {
    /// Mean of all similarities; 0 when there is none.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// Leaves out all chunks that `is_wanted` does not choose. The mean stays that of all, so that what is left is as near
    /// as it was.
    pub fn confine(&mut self, is_wanted: impl Fn(i64) -> bool) {
        for (similarity, chunk_id) in self.similarities.iter_mut().zip(&self.arena.chunk_ids) {
            if !is_wanted(*chunk_id) {
                *similarity = f32::NAN;
            }
        }
    }

    /// The approximate similarity of one chunk; none when it has no vector or is left out.
    #[must_use]
    pub fn similarity(&self, chunk_id: i64) -> Option<f32> {
        let row = *self.arena.rows.get(&chunk_id)?;
        (!self.similarities[row].is_nan()).then(|| self.refined(row))
    }

    /// The similarity of a row as precise as it is kept.
    fn refined(&self, row: usize) -> f32 {
        match &self.refine {
            Some((query, bytes)) => bytes.codes.cosine(query, row),
            None => self.similarities[row],
        }
    }

    /// The `n` most similar chunks, best first. Chunks of the same text are equally similar: `place` says, by chunk id,
    /// which comes first.
    #[must_use]
    pub fn top<P: Ord>(&self, n: usize, place: impl Fn(i64) -> P) -> Vec<Candidate> {
        let candidate = |(row, similarity)| Candidate { chunk_id: self.arena.chunk_ids[row], similarity };
        let better = |a: &Candidate, b: &Candidate| {
            b.similarity.total_cmp(&a.similarity).then_with(|| place(a.chunk_id).cmp(&place(b.chunk_id)))
        };
        let mut best: Vec<Candidate> = match &self.refine {
            Some((query, bytes)) if n > 0 => {
                let rows = self.best_rows(n.saturating_mul(8).max(REFINED), &place);
                refined(rows, n, |row| bytes.codes.cosine(query, row)).into_iter().map(candidate).collect()
            }
            _ => self.best_rows(n, &place).into_iter().map(candidate).collect(),
        };
        best.sort_unstable_by(better);
        best.truncate(n);
        best
    }

    /// The `n` best rows in no particular order. Of equals at the border, those of the first places.
    fn best_rows<P: Ord>(&self, n: usize, place: impl Fn(i64) -> P) -> Vec<(usize, f32)> {
        if n == 0 {
            return Vec::new();
        }
        let least = self.nth(n);
        let mut best: Vec<(usize, f32)> = Vec::with_capacity(n);
        // Also false for NaN.
        best.extend(self.similarities.iter().copied().enumerate().filter(|(_, similarity)| *similarity >= least));
        if best.len() > n {
            let better = |a: &(usize, f32), b: &(usize, f32)| {
                let place = |row: usize| place(self.arena.chunk_ids[row]);
                b.1.total_cmp(&a.1).then_with(|| place(a.0).cmp(&place(b.0)))
            };
            best.select_nth_unstable_by(n - 1, better);
            best.truncate(n);
        }
        best
    }

    /// The `n`th highest similarity; the lowest there is where there are fewer. Found without asking which of equals comes
    /// first: of bits thousands are equal, and all that are at the border would be put in order again and again.
    fn nth(&self, n: usize) -> f32 {
        // A buffer of twice the size, cut to the best half whenever it is full, touches each row about once.
        let room = n.saturating_mul(2);
        let mut best: Vec<f32> = Vec::new();
        let mut floor = f32::NEG_INFINITY;
        for similarity in self.similarities.iter().copied() {
            // Also false for NaN.
            if similarity > floor {
                best.push(similarity);
                if best.len() >= room {
                    floor = *best.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a)).1;
                    best.truncate(n);
                }
            }
        }
        if best.len() < n {
            return f32::NEG_INFINITY;
        }
        *best.select_nth_unstable_by(n - 1, |a, b| b.total_cmp(a)).1
    }
}

/// Of rows with the similarities that bits tell, those that may be among the `n` best by `precise`, with what that says.
///
/// The best by bits are asked first. They show how far bits are wrong at most, and so which others can still be better than
/// the `n`th of these: mostly few, so that a third of the bytes is read.
fn refined(mut rows: Vec<(usize, f32)>, n: usize, precise: impl Fn(usize) -> f32) -> Vec<(usize, f32)> {
    let first = n.saturating_mul(FIRST_REFINED);
    if rows.len() <= first {
        return rows.into_iter().map(|(row, _)| (row, precise(row))).collect();
    }
    // All that are as good as the last of the first are asked too: which of them came first is chance.
    let border = rows.select_nth_unstable_by(first - 1, |a, b| b.1.total_cmp(&a.1)).1.1;
    let (mut best, rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(_, coarse)| *coarse >= border);
    // From the worst to the best that bits were off: the best by bits are those that bits flatter, so the upper end alone
    // would say too little of the others.
    let (mut worst, mut best_off) = (f32::INFINITY, f32::NEG_INFINITY);
    for (row, similarity) in &mut best {
        let coarse = std::mem::replace(similarity, precise(*row));
        worst = worst.min(*similarity - coarse);
        best_off = best_off.max(*similarity - coarse);
    }
    let off = best_off - worst;
    let least = best.select_nth_unstable_by(n - 1, |a, b| b.1.total_cmp(&a.1)).1.1;
    let may_be_better = rest.into_iter().filter(|(_, coarse)| coarse + MARGIN * off >= least);
    best.extend(may_be_better.map(|(row, _)| (row, precise(row))));
    best
}

#[cfg(test)]
mod tests;
