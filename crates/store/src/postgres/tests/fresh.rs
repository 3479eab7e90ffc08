//! Tables that have just been filled: the planner knows nothing of them, and takes them for empty.

use super::{open_in, prepared};
use crate::{
    ids::ChunkId,
    postgres::{
        embeddings::{ABSENT, OF_ALL, of_later, page_of_texts},
        line_vectors,
        refusals::is_refused,
    },
};

// Each text without a vector was compared with all vectors and all refusals, and each text with all vectors of lines: of 10,000
// chunks of which half had a vector a page of 1,000 took 1.8 s and read 5.5 million rows, and the count of lines 12 s and 37.
#[test]
fn what_is_missing_is_looked_for_one_by_one_in_tables_of_which_nothing_is_known() {
    let Some((place, schema, database)) = prepared() else { return };
    let agent = open_in(&database, &schema, "t", "one");
    for table in ["chunk", "embedding", "refused_text", "line_vectors"] {
        place.change(&format!("ALTER TABLE {table} SET (autovacuum_enabled = off)"));
    }
    place.change(
        "INSERT INTO chunk SELECT 1, n, 1, n, 1, 1, sha256(n::text::bytea), '', '' FROM generate_series(1, 10000) n; \
         INSERT INTO embedding SELECT 't', 1, sha256(n::text::bytea), 1, '', '[1]' FROM generate_series(1, 5000) n; \
         INSERT INTO refused_text SELECT 't', 1, sha256(n::text::bytea), '', 1, 1 FROM generate_series(5001, 7000) n; \
         INSERT INTO line_vectors SELECT 1, 1, sha256(n::text::bytea), '', '' FROM generate_series(1, 5000) n",
    );
    let absent = format!("{ABSENT} AND NOT {}", is_refused());
    let texts = page_of_texts(&absent, OF_ALL);
    let later = page_of_texts(&absent, &of_later(ChunkId::new(9_990)));
    let lines = line_vectors::first_page_of_lines();
    for (sql, looks, by) in [(texts, 2, "hash > "), (later, 2, "id > 9990"), (lines, 1, "generation = 1")] {
        let sql = ["1", "'t'", "1", "1", "''::bytea", "1000"]
            .into_iter()
            .zip(1..)
            .fold(sql, |sql, (value, n)| sql.replace(&format!("${n}"), value));
        let plan = agent.write(|tx| tx.tx.rows(&format!("EXPLAIN {sql}"), &[])).unwrap();
        let plan: Vec<String> = plan.iter().map(|row| row.get(0)).collect();
        let is_look = |line: &&String| line.contains("Index Cond") && line.contains("hash = c_1.hash");
        assert_eq!(plan.iter().filter(is_look).count(), looks, "{}", plan.join("\n"));
        assert!(plan.iter().any(|line| line.contains("Index Cond") && line.contains(by)), "{}", plan.join("\n"));
    }
}
