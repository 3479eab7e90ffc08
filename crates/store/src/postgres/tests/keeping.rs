//! What is kept in memory of words: never what the database no longer holds, and no older than was said.

use super::*;
use crate::{
    files::{NewChunk, NewFile},
    generations::GenerationId,
    lexical::Term,
};

fn put(agent: &Agent, live: GenerationId, path: &str, words: &str) {
    let (text, fts_terms) = ("text".to_owned(), words.to_owned());
    let chunk = NewChunk { start_line: 1, end_line: 1, hash: [1; 32], text, line_terms: Vec::new(), fts_terms };
    let file = NewFile { source: "memory", path, hash: [0; 32], mtime_ns: 0, size: 0, lines: 0, terms: 0 };
    agent.write(|tx| tx.replace_file(live, &file, &[chunk])).unwrap();
}

/// In how many chunks each of some words is.
fn counted(agent: &Agent, live: GenerationId, words: &[&str]) -> Vec<usize> {
    let terms: Vec<_> = words.iter().map(|text| vec![Term { text, is_required: true }]).collect();
    let found = agent.read(&Cancel::new(), |reader| reader.postings(live, &terms, 100)).unwrap();
    found.into_iter().map(|postings| postings.unwrap()[0].len()).collect()
}

const TABLES: [&str; 6] = ["generation", "file", "chunk", "segment", "lex", "lex_dead"];

// A block is found by the number of its segment, which a backup that was played back gives to another one.
#[test]
fn words_of_a_history_that_is_gone_are_not_found() {
    let Some((place, schema, database)) = prepared() else { return };
    let (agent, other) = (open(&database, &schema, "one"), open(&database, &schema, "one"));
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    put(&agent, live, "a.md", "tea");
    let words = ["tea", "coffee", "cocoa"];
    assert_eq!(counted(&agent, live, &words), [1, 0, 0]);
    place.change("CREATE TABLE old_agent AS SELECT version, next_id, writes FROM agent");
    for table in TABLES {
        place.change(&format!("CREATE TABLE old_{table} AS SELECT * FROM {table}"));
    }
    put(&agent, live, "b.md", "coffee");
    assert_eq!(counted(&agent, live, &words), [1, 1, 0]);
    place.change("UPDATE agent SET version = o.version, next_id = o.next_id, writes = o.writes FROM old_agent o");
    for table in TABLES {
        place.change(&format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM old_{table}"));
    }
    assert_eq!(counted(&agent, live, &words), [1, 0, 0], "as it was then");
    // The same number of writes, and the same number for the segment.
    put(&other, live, "b.md", "cocoa");
    assert_eq!(counted(&agent, live, &words), [1, 0, 1]);
    assert_eq!(counted(&other, live, &words), [1, 0, 1]);
}

#[test]
fn what_another_process_writes_is_seen_after_a_while_at_most_and_what_this_one_writes_at_once() {
    let Some((place, schema, database)) = prepared() else { return };
    let patient = Options { max_staleness: Duration::from_secs(3_600), ..options(&place.url) };
    let (agent, other) = (open(&Arc::new(super::database(&patient)), &schema, "one"), open(&database, &schema, "one"));
    let live = agent.write(|tx| tx.begin_building("words")).unwrap().id;
    put(&agent, live, "a.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [1]);
    put(&other, live, "b.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [1], "it need not ask");
    let before = agent.database().waits();
    assert_eq!(counted(&agent, live, &["tea"]), [1]);
    assert_eq!(agent.database().waits(), before, "nor does it");
    put(&agent, live, "c.md", "tea");
    assert_eq!(counted(&agent, live, &["tea"]), [3]);
}
