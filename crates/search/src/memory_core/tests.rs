use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use model::config::settings::{Chunking, Ranking};
use store::{
    OpenOptions, Store,
    embeddings::NewEmbedding,
    files::{NewChunk, NewFile},
    vectors::Vectors,
};
use text::chunk;

/// 2026-01-31T00:00:00Z.
const NOW: i64 = 1_769_817_600_000;
const DAY: i64 = 86_400_000;
const DIMS: usize = 64;

/// Shared words give a high cosine.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMS];
    for word in words::words(text) {
        let hash = Sha256::digest(word.to_lowercase());
        vector[usize::from(hash[0]) % DIMS] += if hash[1] & 1 == 0 { 1.0 } else { -1.0 };
    }
    vector
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(x * y)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

struct Index {
    _dir: TempDir,
    store: Arc<Store>,
    vectors: Vectors,
    generation: GenerationId,
    tokenizer: FtsTokenizer,
    settings: QuerySettings,
}

fn settings() -> QuerySettings {
    QuerySettings {
        max_results: None,
        budget_chars: 4_200,
        min_score: None,
        ranking: Ranking::MemoryCore,
        deadline_ms: 30_000,
        hybrid_enabled: true,
        vector_weight: 0.7,
        text_weight: 0.3,
        candidate_multiplier: 4,
        decay_enabled: None,
        half_life_days: 30.0,
        mmr_enabled: None,
        mmr_lambda: 0.7,
    }
}

impl Index {
    fn new(files: &[(&str, &str)], tokenizer: FtsTokenizer) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        let files: Vec<(String, String)> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let generation = store
            .write(move |tx| {
                let generation = tx.begin_building("test")?.id;
                let space = tx.get_or_create_space("test")?.id;
                for (path, text) in &files {
                    let chunks: Vec<NewChunk> = chunk::chunk(text, Chunking { tokens: 50, overlap: 0 })
                        .into_iter()
                        .map(|chunk| NewChunk {
                            start_line: chunk.start_line,
                            end_line: chunk.end_line,
                            hash: Sha256::digest(chunk.text.as_bytes()).into(),
                            text: chunk.text.into_owned(),
                            line_terms: Vec::new(),
                            fts_terms: String::new(),
                        })
                        .collect();
                    let source = if path.starts_with("sessions/") { "sessions" } else { "memory" };
                    let mtime_ns = (NOW - 60 * DAY) * 1_000_000;
                    let hash = Sha256::digest(text).into();
                    let file = NewFile { source, path, hash, mtime_ns, size: 1, lines: 1, terms: 1 };
                    tx.replace_file(generation, &file, &chunks)?;
                    for chunk in &chunks {
                        let vector = vector(&chunk.text);
                        tx.insert_embeddings(space, &[NewEmbedding { hash: chunk.hash, vector }])?;
                    }
                }
                tx.compat_build_step(generation, tokenizer, 10_000)?;
                tx.set_active_space(space)?;
                Ok(generation)
            })
            .unwrap();
        let vectors = store.vectors().unwrap().unwrap();
        Self { _dir: dir, store, vectors, generation, tokenizer, settings: settings() }
    }

    fn answer(&self, request: &Request, vector: Option<&[f32]>) -> Answer {
        let vector = vector.map(|vector| VectorQuery { index: &self.vectors, vector, language: None });
        let scope = Scope { generation: self.generation, tokenizer: self.tokenizer, vector, within: None };
        self.store.read(|reader| search(reader, &scope, &self.settings, request)).unwrap()
    }

    fn hybrid(&self, query: &str, min_score: f64) -> Vec<Hit> {
        self.answer(&request(query, min_score), Some(&vector(query))).hits
    }

    fn keyword_only(&self, query: &str, min_score: f64) -> Vec<Hit> {
        self.answer(&request(query, min_score), None).hits
    }
}

fn request(query: &str, min_score: f64) -> Request {
    Request {
        query: query.to_owned(),
        understood: None,
        max_results: 6,
        after: 0,
        budget: None,
        excerpt: None,
        min_score: Some(min_score),
        sources: Vec::new(),
        confine: None,
        lexical_only: false,
        curated: std::sync::Arc::default(),
        explain: true,
        now_ms: NOW,
    }
}

fn paths(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.path.as_str()).collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

const NOTES: [(&str, &str); 5] = [
    ("MEMORY.md", "The router password is on the fridge"),
    ("memory/2026-01-01.md", "Bought a router and a switch for the office"),
    ("memory/2026-01-30.md", "The office party was loud"),
    ("docs/network.md", "Switch ports and cable colours"),
    ("sessions/a.jsonl", "User: which router do we have?"),
];

#[test]
fn hybrid_is_the_weighted_sum_of_both_legs() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    let hits = index.hybrid("router office", -1.0);
    assert_eq!(hits.len(), 5);
    assert_eq!(hits[0].path, "memory/2026-01-01.md", "the only one with both words");
    let query = vector("router office");
    for hit in &hits {
        let (cosine, text) = (cosine(&query, &vector(&hit.snippet)), hit.text_score.unwrap_or(0.0));
        assert!(close(hit.vector_score.unwrap(), cosine), "{}", hit.path);
        assert!(close(hit.score, 0.7 * cosine + 0.3 * text), "{}", hit.path);
    }
    let explain = hits[0].explain.as_ref().unwrap();
    assert_eq!(explain["vector"]["rank"], 1);
    assert_eq!(explain["text"]["rank"], 1);
    let bm25 = -explain["text"]["bm25"].as_f64().unwrap();
    assert!(close(hits[0].text_score.unwrap(), bm25 / (1.0 + bm25)));
    assert!(hits[1].text_score.is_none() && hits[1].explain.as_ref().unwrap().get("text").is_none());
}

#[test]
fn keyword_hits_below_the_threshold_pass_when_nothing_else_does() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    let hits = index.answer(&request("router office", 0.99), Some(&vector("router office"))).hits;
    assert_eq!(paths(&hits), ["memory/2026-01-01.md"]);
    assert_eq!(hits[0].explain.as_ref().unwrap()["minScore"], 0.3);
    // A zero vector leaves the keyword leg, weighed as ever (B6).
    let hits = index.answer(&request("router office", 0.0), Some(&[0.0; DIMS])).hits;
    assert_eq!(paths(&hits), ["memory/2026-01-01.md"]);
    assert!(close(hits[0].score, 0.3 * hits[0].text_score.unwrap()));
}

#[test]
fn without_hybrid_only_vectors_count() {
    let mut index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    index.settings.hybrid_enabled = false;
    let answer = index.answer(&request("router office", 0.1), Some(&vector("router office")));
    assert_eq!(answer.mode, "vector");
    assert!(answer.hits.iter().all(|hit| hit.text_score.is_none() && hit.score == hit.vector_score.unwrap()));
    assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn keyword_only_boosts_what_it_shares_with_the_query() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    let answer = index.answer(&request("network switch", 0.0), None);
    assert_eq!(answer.mode, "fts-only");
    // No chunk has both words: each is asked alone, and the best score per chunk counts. "network" occurs in a path
    // only, which is no hit.
    assert_eq!(
        paths(&answer.hits),
        ["memory/2026-01-01.md", "docs/network.md"].iter().rev().copied().collect::<Vec<_>>()
    );
    let hit = &answer.hits[0];
    let boost = 0.45 + 0.2 / 5.0 + 0.18;
    assert!(close(hit.score, (hit.text_score.unwrap() + boost).min(1.0)));
    let hits = index.keyword_only("cable network", 0.0);
    assert_eq!(hits[0].explain.as_ref().unwrap()["boost"]["asked"], "cable");
}

#[test]
fn a_word_in_the_path_adds_to_a_hit() {
    let index =
        Index::new(&[("docs/switch.md", "the switch"), ("docs/other.md", "the switch")], FtsTokenizer::Unicode61);
    let hits = index.keyword_only("switch", 0.0);
    assert_eq!(paths(&hits), ["docs/switch.md", "docs/other.md"]);
    assert!(close(hits[0].score - hits[1].score, 0.18));
}

#[test]
fn keyword_only_shows_something_below_the_threshold() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    assert_eq!(paths(&index.keyword_only("fridge", 1.5)), ["MEMORY.md"]);
}

#[test]
fn old_notes_lose_and_curated_ones_do_not() {
    let mut index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    let before = index.hybrid("router office", -1.0);
    index.settings.decay_enabled = Some(true);
    let after = index.hybrid("router office", -1.0);
    let score = |hits: &[Hit], path: &str| hits.iter().find(|hit| hit.path == path).unwrap().score;
    for (path, multiplier) in
        [("MEMORY.md", 1.0), ("memory/2026-01-01.md", 0.5), ("docs/network.md", 0.25), ("sessions/a.jsonl", 1.0)]
    {
        assert!(close(score(&after, path), score(&before, path) * multiplier), "{path}");
    }
}

#[test]
fn diversity_lets_something_else_come_first() {
    let files = [("memory/a.md", "red router"), ("memory/b.md", "red router"), ("memory/c.md", "router blue green")];
    let mut index = Index::new(&files, FtsTokenizer::Unicode61);
    assert_eq!(paths(&index.hybrid("red router", -1.0)), ["memory/a.md", "memory/b.md", "memory/c.md"]);
    index.settings.mmr_enabled = Some(true);
    index.settings.mmr_lambda = 0.3;
    let hits = index.hybrid("red router", -1.0);
    assert_eq!(paths(&hits), ["memory/a.md", "memory/c.md", "memory/b.md"]);
    assert_eq!(hits[2].explain.as_ref().unwrap()["diversity"]["maxSimilarity"], 1.0);
}

#[test]
fn a_source_filter_holds_for_both_legs() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    for vector in [Some(vector("router")), None] {
        let request = Request { sources: vec![Source::Sessions], ..request("router", -1.0) };
        assert_eq!(paths(&index.answer(&request, vector.as_deref()).hits), ["sessions/a.jsonl"]);
    }
}

#[test]
fn short_cjk_words_are_found_with_trigrams() {
    let files = [("memory/a.md", "会議は東京で行う"), ("memory/b.md", "100%_done"), ("memory/c.md", "大阪の会議室")];
    let index = Index::new(&files, FtsTokenizer::Trigram);
    let hits = index.keyword_only("東京", 0.0);
    assert_eq!(paths(&hits), ["memory/a.md"]);
    assert!(close(hits[0].text_score.unwrap(), 1.0));
    assert_eq!(paths(&index.keyword_only("会議室 大阪", 0.0)), ["memory/c.md"]);
}

#[test]
fn the_same_part_of_a_line_is_one_result() {
    // Cut into parts of 200 equal characters, all of line 1.
    let index = Index::new(&[("memory/a.md", &"ab ".repeat(400))], FtsTokenizer::Unicode61);
    assert_eq!(index.vectors.len(), 6);
    let hits = index.hybrid("ab", -1.0);
    assert_eq!(hits.len(), 3, "parts that begin with a, b and a space differ");
    assert_eq!(index.keyword_only("ab", 0.0).len(), 3);
}

#[test]
fn blank_queries_and_unknown_words_find_nothing() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    assert!(index.hybrid(" \n", -1.0).is_empty());
    assert!(index.keyword_only("?!", 0.0).is_empty());
    assert!(index.keyword_only("zeppelin", 0.0).is_empty());
}

#[test]
fn without_the_keyword_index_the_answer_is_partial() {
    let mut index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    index.tokenizer = FtsTokenizer::Trigram;
    let answer = index.answer(&request("router", 0.1), Some(&vector("router")));
    assert!(answer.partial && answer.warning.is_some() && !answer.hits.is_empty());
    let answer = index.answer(&request("router", 0.1), None);
    assert!(answer.partial && answer.hits.is_empty());
}

#[test]
fn a_query_vector_of_another_model_is_refused() {
    let index = Index::new(&NOTES, FtsTokenizer::Unicode61);
    let vector = VectorQuery { index: &index.vectors, vector: &[1.0; 3], language: None };
    let scope = Scope { generation: index.generation, tokenizer: index.tokenizer, vector: Some(vector), within: None };
    let error = index.store.read(|reader| search(reader, &scope, &index.settings, &request("x", 0.0))).unwrap_err();
    assert_eq!(error.code(), model::error::Code::ProviderResponse);
}
