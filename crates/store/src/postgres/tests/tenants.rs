//! Many agents of two tenants in the same tables: each sees its own, whatever it asks for, and a text is paid for once a tenant.

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    generations::GenerationId,
    ids::ChunkId,
};
use model::error::Result;

const AGENTS: u8 = 50;
/// Chunks that all agents have.
const COMMON: u8 = 4;

/// How many chunks only this agent has.
const fn own(agent: u8) -> u8 {
    agent % 7
}

const TENANTS: [&str; 2] = ["t", "u"];

fn tenant_of(agent: u8) -> &'static str {
    TENANTS[usize::from(agent % 2)]
}

/// The text that an agent says; one that all say where none is named.
fn hash(agent: Option<u8>, n: u8) -> Hash {
    let mut hash = [1; 32];
    (hash[0], hash[1]) = (agent.map_or(0, |agent| agent + 1), n);
    hash
}

fn texts(agent: u8) -> Vec<(Option<u8>, u8)> {
    (0..own(agent)).map(|n| (Some(agent), n)).chain((0..COMMON).map(|n| (None, n))).collect()
}

/// Writes what an agent has, and gives the texts that it had to pay for.
fn fill(agent: &Agent, number: u8) -> Vec<Hash> {
    agent.acquire_lease().unwrap();
    let chunk = |(at, (of, n)): (usize, &(Option<u8>, u8))| NewChunk {
        start_line: at as u32,
        end_line: at as u32,
        hash: hash(*of, *n),
        text: format!("secret of {number}"),
        line_terms: Vec::new(),
        fts_terms: format!("all own{number}"),
    };
    let chunks: Vec<NewChunk> = texts(number).iter().enumerate().map(chunk).collect();
    agent
        .write_indexed(|tx| {
            let generation = tx.begin_building("words")?.id;
            let space = tx.get_or_create_space("a")?.id;
            tx.set_active_space(space)?;
            let path = format!("memory/{number}.md");
            let file =
                NewFile { source: "memory", path: &path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 7 };
            tx.replace_file(generation, &file, &chunks)
        })
        .unwrap();
    let (live, missing): (GenerationId, Vec<Hash>) = agent
        .read(&Cancel::new(), |reader| {
            let (live, space) = (reader.live()?.unwrap().id, reader.space("a")?.unwrap().id);
            let missing = reader.missing_embeddings(live, space, None, 100)?;
            Ok((live, missing.into_iter().map(|text| text.hash).collect()))
        })
        .unwrap();
    let vector = |hash: &Hash| NewEmbedding { hash: *hash, vector: vec![f32::from(hash[0]), f32::from(hash[1]), 1.0] };
    let vectors: Vec<NewEmbedding> = missing.iter().map(vector).collect();
    agent
        .write_indexed(|tx| {
            let space = tx.get_or_create_space("a")?.id;
            tx.insert_embeddings(space, &vectors)?;
            // What others have brought since the file was written, as an engine does in quiet moments.
            assert_eq!(tx.write_codes(live, space, ChunkId::default(), 100)?, None, "all at once");
            Ok(())
        })
        .unwrap();
    agent.release_lease().unwrap();
    missing
}

/// All chunks of an agent, after everything that a search reads was compared with them.
fn checked(agent: &Agent, number: u8) -> Vec<ChunkId> {
    let count = usize::from(own(number) + COMMON);
    let ids = agent
        .read(&Cancel::new(), |reader| {
            let live = reader.live()?.unwrap().id;
            let ids = reader.chunk_ids(live)?;
            assert_eq!(ids.len(), count);
            assert_eq!(reader.chunk_count(live)?, count as u64);
            assert_eq!(reader.files(live, "memory")?.into_keys().collect::<Vec<_>>(), [format!("memory/{number}.md")]);
            let words = ["all".to_owned(), format!("own{number}"), format!("own{}", (number + 2) % AGENTS)];
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(reader.postings_among(live, &words, None)?, [ids.clone(), ids.clone(), Vec::new()]);
            Ok(ids)
        })
        .unwrap();
    let vectors = agent.vectors(&Cancel::new()).unwrap().unwrap();
    assert_eq!(vectors.len(), count);
    ids
}

#[test]
fn fifty_agents_of_two_tenants_see_nothing_of_each_other() {
    let Some((place, schema, database)) = prepared() else { return };
    let agents: Vec<Agent> =
        (0..AGENTS).map(|number| open_in(&database, &schema, tenant_of(number), &format!("agent {number}"))).collect();
    // Four at a time, so that they write in between each other.
    std::thread::scope(|scope| {
        for lane in 0..4 {
            let agents = &agents;
            scope.spawn(move || {
                for number in (lane..AGENTS).step_by(4) {
                    fill(&agents[usize::from(number)], number);
                }
            });
        }
    });
    let ids: Vec<Vec<ChunkId>> = (0..AGENTS).map(|number| checked(&agents[usize::from(number)], number)).collect();
    for (number, agent) in agents.iter().enumerate() {
        // Numbers are an agent's own: what another one has under them, or under numbers that are not there, is not given.
        let mine: &[ChunkId] = &ids[number];
        let mut foreign = ids.concat();
        foreign.sort_unstable();
        foreign.dedup();
        foreign.retain(|id| !mine.contains(id));
        agent
            .read(&Cancel::new(), |reader| -> Result<()> {
                let space = reader.space("a")?.unwrap().id;
                let shown = reader.chunks(&[&foreign, mine].concat())?;
                assert!(shown.iter().all(|chunk| chunk.text == format!("secret of {number}")), "{number}");
                assert_eq!(shown.len(), mine.len());
                let query = [1.0, 2.0, 3.0];
                let near: Vec<ChunkId> =
                    reader.cosines(space, &[&foreign, mine].concat(), &query)?.into_iter().map(|(id, _)| id).collect();
                assert_eq!(near, mine);
                Ok(())
            })
            .unwrap();
    }
    // Whatever the order in which they came: its own texts, and once those that all of a tenant say.
    let expected = (0..AGENTS).map(|number| i64::from(own(number))).sum::<i64>() + 2 * i64::from(COMMON);
    assert_eq!(place.numbers("SELECT count(*) FROM embedding"), [expected]);
    // One who comes later pays for its own texts only.
    for (at, tenant) in TENANTS.iter().enumerate() {
        let late = open_in(&database, &schema, tenant, "late");
        let number = AGENTS + at as u8;
        assert_eq!(fill(&late, number).len(), usize::from(own(number)));
        checked(&late, number);
    }
}
