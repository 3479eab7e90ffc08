//! What stays of an agent that left: nothing, and nothing less of the others of its tenant.

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    lease::Lease,
    leaving::AgentRows,
};
use std::time::Instant;

use model::error::Code;

/// An agent with a file of these texts, each with a vector.
fn filled(place: &(Place, Schema, Arc<Database>), name: &str, texts: &[u8]) -> Agent {
    let agent = open_in(&place.2, &place.1, "t", name);
    let chunk = |n: &u8| NewChunk {
        start_line: 1,
        end_line: 1,
        hash: [*n; 32],
        text: format!("text {n}"),
        line_terms: Vec::new(),
        fts_terms: "all".to_owned(),
    };
    let chunks: Vec<NewChunk> = texts.iter().map(chunk).collect();
    let vectors: Vec<NewEmbedding> =
        texts.iter().map(|n| NewEmbedding { hash: [*n; 32], vector: vec![f32::from(*n), 1.0] }).collect();
    agent.acquire_lease().unwrap();
    agent
        .write_indexed(|tx| {
            let generation = tx.begin_building("words")?.id;
            let space = tx.get_or_create_space("a")?.id;
            let file = NewFile {
                source: "memory",
                path: "memory/a.md",
                hash: Hash::default(),
                mtime_ns: 0,
                size: 0,
                lines: 0,
                terms: 1,
            };
            tx.replace_file(generation, &file, &chunks)?;
            tx.insert_embeddings(space, &vectors)?;
            tx.set_meta("known", name)
        })
        .unwrap();
    agent.release_lease().unwrap();
    agent
}

// `reset --everything` left all texts in the database. A table that is added and not named would keep its rows as quietly.
#[test]
fn an_agent_that_leaves_takes_its_rows_with_it_and_no_vector_of_others() {
    let Some(place) = prepared() else { return };
    let [one, two] = [filled(&place, "one", &[1, 2]), filled(&place, "two", &[2, 3])];
    let rows = |agent: &Agent| agent.read(&Cancel::new(), |reader| reader.rows_of_agent()).unwrap();
    assert_eq!(rows(&one), AgentRows { notes: 0, files: 1, chunks: 2, forgotten: 0 });
    one.write(|tx| tx.remove_agent()).unwrap();
    let tables = |column: &str| {
        format!(
            "SELECT string_agg(format('SELECT count(*) n FROM %I', table_name), ' UNION ALL ') FROM \
             information_schema.columns WHERE table_schema = '{}' AND column_name = '{column}'",
            place.0.schema
        )
    };
    let count = |column: &str, of: &str| {
        let setting = Setting { search_path: &place.0.schema, ..PLAIN };
        let found = place.0.database.transact(&Cancel::new(), &setting, |tx| tx.row(&tables(column), &[]));
        let counts: String = found.unwrap().unwrap().get(0);
        let each = counts.split(" UNION ALL ").map(|sql| format!("{sql} WHERE {column} {of}"));
        place.0.numbers(&format!("SELECT sum(n)::bigint FROM ({}) x", each.collect::<Vec<_>>().join(" UNION ALL ")))[0]
    };
    assert_eq!(count("agent", "NOT IN (SELECT id FROM agent)"), 0, "a row of nobody");
    assert_eq!(place.0.numbers("SELECT count(*) FROM agent"), [1]);
    assert_eq!(place.0.numbers("SELECT count(*) FROM embedding"), [2], "what the other one has a text of stays");
    assert_eq!(rows(&two), AgentRows { notes: 0, files: 1, chunks: 2, forgotten: 0 });
    assert!(one.write(|tx| tx.set_meta("known", "again")).is_err(), "whoever is at work writes nothing any more");
    // The last one takes the tenant's vectors along.
    two.write(|tx| tx.remove_agent()).unwrap();
    assert_eq!(count("tenant", "IS NOT NULL") + count("agent", "IS NOT NULL"), 0);
}

// Every gateway of the tenant had no memory until it was started again: what was open kept asking for the row by its id.
#[test]
fn whoever_has_the_agent_open_when_it_leaves_finds_it_empty_and_begins_anew() {
    let Some(place) = prepared() else { return };
    let [here, there] = [filled(&place, "one", &[1, 2]), open_in(&place.2, &place.1, "t", "one")];
    let look = |agent: &Agent| agent.look(&Cancel::new(), Some(Instant::now()), |reader| reader.live()).unwrap();
    let version = |agent: &Agent| agent.version().unwrap();
    here.write(|tx| tx.set_meta("known", "before")).unwrap();
    assert!(look(&here).is_some() && look(&there).is_some());
    let before = version(&there).max(version(&here));
    open_in(&place.2, &place.1, "t", "one").write(|tx| tx.remove_agent()).unwrap();
    for agent in [&here, &there] {
        let lease = agent.read(&Cancel::new(), |reader| reader.lease()).unwrap();
        assert_eq!((look(agent), lease), (None, None), "as after a reset");
        let refused = agent.write(|tx| tx.set_meta("known", "again")).unwrap_err();
        assert!(refused.code() == Code::Busy && refused.remedy.is_some(), "{refused}");
    }
    for agent in [&here, &there] {
        assert!(matches!(agent.acquire_lease().unwrap(), Lease::Held { .. }));
        agent.write_indexed(|tx| tx.set_meta("known", "again")).unwrap();
        agent.release_lease().unwrap();
        assert!(version(agent) > before, "no number of before is one of now");
        assert_eq!(agent.read(&Cancel::new(), |reader| reader.meta("known")).unwrap().as_deref(), Some("again"));
    }
    assert_eq!(place.0.numbers("SELECT count(*) FROM agent"), [1], "both have the same row");
}
