//! Writes that are numbered: what is there says of which it is, and whether all of it is.

use std::collections::BTreeMap;

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
};
use model::error::Result;

/// How many chunks the nth write has.
fn count(n: u32) -> usize {
    n as usize % 5 + 1
}

fn hash(n: u32, at: usize) -> Hash {
    let mut hash = [7; 32];
    hash[..4].copy_from_slice(&n.to_le_bytes());
    hash[4] = at as u8;
    hash
}

/// The nth write: a file whose chunks all say so, with words and vectors.
pub(super) fn write(agent: &Agent, n: u32) -> Result<()> {
    let path = format!("{}.md", n % 7);
    let chunk = |at| NewChunk {
        start_line: at as u32,
        end_line: at as u32,
        hash: hash(n, at),
        text: n.to_string(),
        line_terms: Vec::new(),
        fts_terms: format!("all n{n}"),
    };
    let chunks: Vec<NewChunk> = (0..count(n)).map(chunk).collect();
    let vectors: Vec<NewEmbedding> =
        (0..count(n)).map(|at| NewEmbedding { hash: hash(n, at), vector: vec![1.0, n as f32, at as f32] }).collect();
    agent.write_indexed(|tx| {
        let generation = tx.begin_building("words")?.id;
        let space = tx.get_or_create_space("a")?.id;
        tx.set_active_space(space)?;
        let file = NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: n };
        tx.replace_file(generation, &file, &chunks)?;
        tx.insert_embeddings(space, &vectors)
    })
}

/// By file the write that it is of, after all has been compared with that.
pub(super) fn stored(agent: &Agent) -> BTreeMap<u32, u32> {
    let read = |reader: &crate::postgres::agent::Reader<'_>| {
        let live = reader.live()?.unwrap().id;
        let mut stored = BTreeMap::new();
        for (path, file) in reader.files(live, "memory")? {
            let n = file.terms;
            assert_eq!(path, format!("{}.md", n % 7));
            let chunks = reader.chunks_of_file(file.id)?;
            assert_eq!(chunks.len(), count(n), "all of a write, or nothing");
            assert!(chunks.iter().all(|chunk| chunk.text == n.to_string()));
            let ids: Vec<_> = chunks.iter().map(|chunk| chunk.id).collect();
            assert_eq!(reader.postings_among(live, &[&format!("n{n}")], None)?, [ids]);
            stored.insert(n % 7, n);
        }
        let all = reader.chunk_ids(live)?;
        assert_eq!(reader.chunk_count(live)?, all.len() as u64);
        assert_eq!(reader.postings_among(live, &["all"], None)?, [all]);
        Ok(stored)
    };
    let stored = agent.read(&Cancel::new(), read).unwrap();
    let vectors = agent.vectors(&Cancel::new()).unwrap().unwrap();
    assert_eq!(vectors.len(), stored.values().map(|n| count(*n)).sum::<usize>());
    stored
}
