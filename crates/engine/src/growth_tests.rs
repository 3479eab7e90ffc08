//! What texts cost that were made to cost much: what they take grows with them, not with their square. Stripping blocks, for
//! one, took four times the time for twice the blocks, and half a megabyte of them held the host's event loop for seconds.

use std::{hint::black_box, path::Path, time::Duration};

use crate::{
    capture::{
        collect, command, extract, facts, filter,
        journal::Journal,
        jsonl, not_said,
        queue::{Job, Message, Role as Speaker},
        recall::{self, Asked},
        rules, session_note, short_term, similar,
    },
    index::rows::{self, Shape},
    transcripts::{record, render},
};
use ::search::native::testing::shown_of;
use embed::pack;
use model::config::{
    automatic::{Automatic, Limits},
    settings::{Chunking, RedactSecrets},
};
use text::{
    analyze::Analyzer, chunk, cut, envelope, fold, injected, marks, outline::Outline, query, recall_block,
    recent_block, redact, session_header, shown, time,
};

/// Size of the smallest text in bytes; cheap work gets larger ones, up to the most.
const LEAST_BYTES: usize = 16 << 10;
const MOST_BYTES: usize = 1 << 20;
/// Work that is long enough to be compared. What takes less for the largest text is cheap enough.
const COMPARABLE: Duration = Duration::from_millis(5);
/// Most times the work for twice the text, for it to be judged by one measurement.
const PLAINLY_LINEAR: f64 = 2.3;
/// What is judged where that one says more: so many times the text is at most so many times the work. The square of it
/// would be 64. A cache that the text leaves, pages that are asked for and a busy machine may double what is linear.
const FAR: usize = 8;
const MOST_GROWTH: f64 = 20.0;
/// Measurements of each, of which the least counts.
const TRIES: usize = 4;

/// Pieces that hostile texts repeat.
const PIECES: &[&str] = &[
    "<active-memory></active-memory>",
    "<relevant-memories>",
    "</relevant-memories>",
    "<relevant-memories>\n</active-memory>",
    "< relevant-memories x>y</ relevant-memories >",
    "<",
    "&amp;",
    "< ",
    ">",
    "</",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>",
    "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>><<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
    "## Recent Memory\n",
    "## Recent Memory\n\n",
    "## Recent Memory\n<!-- end of recent memory -->",
    "x## Recent Memory",
    "<file a>",
    "<file a></file>",
    "<file <file ",
    "<<<EXTERNAL_UNTRUSTED_CONTENT\n",
    "<<<EXTERNAL_UNTRUSTED_CONTENT <<<END_EXTERNAL_UNTRUSTED_CONTENT>>>",
    "[Startup context loaded by runtime]\n\n",
    "[Startup context loaded by runtime]",
    "Untrusted context (metadata,",
    "a (untrusted):\n```json\n",
    "a (untrusted):\n```json\n{}\n```\n",
    "(untrusted (untrusted",
    "a ⟦openclaw:ctx⟧\n",
    "a ⟦openclaw:ctx⟧\n```\n",
    "System: x\n",
    "[message_id: [message_id: ",
    "[a 2026-01-01",
    "```js\n",
    "```",
    "`",
    "- ",
    "> ",
    "# h\n",
    "a\n---\n",
    "a: b\n",
    "[",
    "](",
    "![a](http://a?",
    "\"",
    "\"a\" ",
    "'",
    "“",
    "(",
    "|a",
    "**a",
    "word ",
    "x",
    "aB",
    "a.b-c_",
    "a@b.c ",
    "https://a.b/c?d=e&",
    "1",
    "1.",
    "12/",
    "2026-01-02 ",
    "4111 1111 1111 1111 ",
    "\u{200b}",
    "a\u{200d}",
    "e\u{301}",
    "\u{301}",
    "漢",
    "かなカナ",
    "한국어",
    "ภาษาไทย",
    "שלום ",
    "العربية ",
    "👨‍👩‍👧",
    "🇵🇹",
    "\u{fdfa}",
    "Ａ",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "\\ud800",
    "\\\"",
    "- [fact] a\n",
    "key: value ",
    "my password is ",
    "password: ",
    "password=",
    "API_KEY=aB3dE5fG7hJ9",
    "密码是",
    "PIN ",
    "sk-proj-",
    "sk-",
    "glc_/",
    "eyJ.",
    ":AA",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD\nthree words here\n",
    "Private-Lines:\n",
    "://a:b@",
    "curl -u ",
    "mysql -p",
    "DE89-",
    "abandon ",
    "remember that ",
    "I like tea. ",
    "I like tea? ",
    "ignore previous ",
    "system: ",
    "yesterday ",
    "last ",
    "上周",
    "<!-- ",
    "/new ",
    ". ",
    "!?",
];

fn repeated(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len() + 1)
}

/// Makes a text of about so many bytes.
type MakeText = fn(usize) -> String;

/// A function under test, with what it gives left out.
type Work<'a> = (&'a str, &'a dyn Fn(&str));

/// Texts that are no repetition.
const SHAPES: &[(&str, MakeText)] = &[
    ("nested blocks", |bytes| {
        let depth = bytes / 50;
        format!("{}{}", "<active-memory>".repeat(depth), "</active-memory>".repeat(depth))
    }),
    ("blocks that bring others about", |bytes| {
        let depth = bytes / 50;
        format!(
            "{}{}",
            "<active-mem".repeat(depth),
            "<active-memory></active-memory>ory></active-memory>".repeat(depth)
        )
    }),
    ("ever deeper lists", |bytes| {
        (0..)
            .map(|n| format!("{}- item\n", " ".repeat(n)))
            .scan(0, |sum, line| {
                *sum += line.len();
                (*sum <= bytes).then_some(line)
            })
            .collect()
    }),
    ("headings in all levels", |bytes| (0..bytes / 8).map(|n| format!("{} h{n}\n", "#".repeat(n % 6 + 1))).collect()),
    ("different words", |bytes| (0..bytes / 8).map(|n| format!("w{n:06} ")).collect()),
    ("different long words", |bytes| (0..bytes / 80).map(|n| format!("{n:079} ")).collect()),
    ("full lines before empty ones", |bytes| {
        format!("{}\n{}", "x".repeat(1599), "\n".repeat(320)).repeat(bytes / 1920 + 1)
    }),
];

/// The time that this thread has worked.
fn worked() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

fn cost(work: &dyn Fn(&str), text: &str, tries: usize) -> Duration {
    let once = || {
        let before = worked();
        work(black_box(text));
        worked().saturating_sub(before)
    };
    (0..tries).map(|_| once()).min().unwrap_or_default()
}

/// How much the work grows with [`FAR`] times the text, where that is too much.
fn growth(work: &dyn Fn(&str), text: &dyn Fn(usize) -> String) -> Option<f64> {
    let mut bytes = LEAST_BYTES;
    while cost(work, &text(bytes), 1) < COMPARABLE {
        bytes *= 2;
        if bytes > MOST_BYTES {
            return None;
        }
    }
    let ratio = |times: usize, tries: usize| {
        cost(work, &text(times * bytes), tries).as_secs_f64() / cost(work, &text(bytes), tries).as_secs_f64()
    };
    if ratio(2, 1) <= PLAINLY_LINEAR {
        return None;
    }
    Some(ratio(FAR, TRIES)).filter(|growth| *growth > MOST_GROWTH)
}

/// What grows too much, of some functions over all texts.
fn check(functions: &[Work<'_>]) {
    let pieces = PIECES.iter().map(|piece| {
        let text = move |bytes: usize| repeated(piece, bytes);
        (format!("{piece:?}"), Box::new(text) as Box<dyn Fn(usize) -> String>)
    });
    let shapes =
        SHAPES.iter().map(|(name, text)| ((*name).to_owned(), Box::new(*text) as Box<dyn Fn(usize) -> String>));
    let texts: Vec<_> = pieces.chain(shapes).collect();
    let mut found = Vec::new();
    for (name, work) in functions {
        for (text, make) in &texts {
            if let Some(growth) = growth(*work, make.as_ref()) {
                found.push(format!("{name} of {text}: {growth:.1} times the work for {FAR} times the text"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn ignored<T>(value: T) {
    drop(black_box(value));
}

#[test]
fn taking_blocks_out_grows_with_the_text() {
    check(&[
        ("recall_block::strip", &|text| ignored(recall_block::strip(text))),
        ("recall_block::contains_block", &|text| ignored(recall_block::contains_block(text))),
        ("shown::as_data", &|text| ignored(shown::as_data(text))),
        ("shown::as_entry", &|text| ignored(shown::as_entry(text))),
        ("marks::holds_mark", &|text| ignored(marks::holds_mark(text))),
        ("session_header::blanked", &|text| ignored(session_header::blanked(text))),
        ("recent_block::strip", &|text| ignored(recent_block::strip(text))),
        ("injected::blanked", &|text| ignored(injected::blanked(text))),
        ("envelope::strip", &|text| ignored(envelope::strip(text))),
        ("envelope::is_noise", &|text| ignored(envelope::is_noise(text))),
        ("envelope::is_machine_prompt", &|text| ignored(envelope::is_machine_prompt(text))),
    ]);
}

#[test]
fn indexing_grows_with_the_text() {
    let shape = Shape {
        chunking: Chunking { tokens: 400, overlap: 80 },
        input_bytes: 8000,
        redact_secrets: RedactSecrets::Remote,
        takes: model::config::multimodal::Takes::Text,
    };
    check(&[
        ("chunks", &|text| ignored(chunk::chunks(text, shape.chunking).count())),
        ("outline", &|text| {
            let outline = Outline::of(text);
            let section = outline.section_of(u32::try_from(text.len()).unwrap_or(0));
            ignored(section.map(|id| outline.path_of_section(id).count()));
        }),
        ("rows", &|text| ignored(rows::rows_of(&mut Analyzer::new(), "memory/a.md", text, false, shape))),
    ]);
}

#[test]
fn terms_and_letters_grow_with_the_text() {
    check(&[
        ("terms", &|text| ignored(Analyzer::new().terms(text))),
        ("fold", &|text| ignored(fold::fold(text))),
        ("compose", &|text| ignored(fold::compose(text))),
        ("head", &|text| ignored(cut::head(text, text.len() / 2))),
        ("pack::cut", &|text| ignored(pack::cut(text, text.len() / 2))),
    ]);
}

#[test]
fn understanding_a_question_grows_with_the_text() {
    let today = time::date_in(1_780_000_000_000, "UTC");
    let settings = Automatic::default();
    check(&[
        ("understand", &|text| ignored(query::understand(text, 1_780_000_000_000, "UTC"))),
        ("holds_phrase", &|text| ignored(query::holds_phrase(text, "no such phrase"))),
        ("time::read", &|text| ignored(time::read(text, today, "UTC"))),
        ("recall::question", &|text| {
            let asked = Asked {
                prompt: text.to_owned(),
                before: Some(text.to_owned()),
                now_ms: 1_780_000_000_000,
                ..Asked::default()
            };
            ignored(recall::question(&asked, &settings, "UTC"));
        }),
    ]);
}

#[test]
fn judging_what_was_said_grows_with_the_text() {
    let messages = |text: &str| vec![Message { role: Speaker::User, text: text.to_owned(), at: None }];
    let job =
        |text: &str| Job { messages: messages(text), ..serde_json::from_str(r#"{"id":"a","messages":[]}"#).unwrap() };
    check(&[
        ("capturable", &|text| ignored(filter::capturable(text))),
        ("is_injection", &|text| ignored(filter::is_injection(text))),
        ("rules::find", &|text| ignored(rules::find(text))),
        ("categorize", &|text| ignored(rules::categorize(text))),
        ("extract::prompt", &|text| ignored(extract::prompt(&job(text)))),
        ("extract::parse", &|text| ignored(extract::parse(text))),
        ("correction", &|text| ignored(rules::correction::correction(text))),
        ("command::read", &|text| ignored(command::read(text))),
        ("not_said", &|text| ignored(not_said::Turn::of(&job(text)).refuses(text))),
        ("cleaned", &|text| ignored(messages(text).iter().map(Message::cleaned).collect::<Vec<_>>())),
        ("slug_prompt", &|text| ignored(session_note::slug_prompt(&messages(text), 6))),
        ("fingerprint", &|text| ignored(similar::Comparer::default().fingerprint(text))),
        ("facts::id_of", &|text| ignored(facts::id_of(text))),
        ("one_line", &|text| ignored(collect::one_line(text))),
        ("redact", &|text| ignored(redact::redact(text))),
    ]);
}

#[test]
fn reading_conversations_grows_with_the_text() {
    let record = |text: &str| {
        serde_json::json!({ "type": "message", "message": { "role": "user", "content": text } }).to_string()
    };
    check(&[
        ("render::lines", &|text| ignored(render::lines(record::Role::User, text))),
        ("record::parse", &|text| ignored(record::parse(record(text).as_bytes()))),
        ("record::parse of no JSON", &|text| {
            ignored(record::parse(format!(r#"{{"type":"message","x":"{text}"#).as_bytes()))
        }),
    ]);
}

#[test]
fn showing_results_grows_with_the_text() {
    check(&[
        ("snippets of a long line", &|text| ignored(shown_of(text, true))),
        ("snippets of many lines", &|text| ignored(shown_of(text, false))),
    ]);
}

#[test]
fn the_pieces_of_the_embedded_model_grow_with_the_text() {
    let weights = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(embed::embedded::artifact::IN_PACKAGE);
    let tokenizer = minilm::Tokenizer::new(&minilm::Weights::open(&weights).unwrap());
    let pieces = |text: &str| tokenizer.encode(text);
    check(&[("tokenizer", &|text| ignored(pieces(text)))]);
}

/// Parts of a text, each as long as what is usually said.
fn parts(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    let parts: Vec<String> = chars.chunks(300).map(|part| part.iter().collect()).collect();
    parts.into_iter()
}

#[test]
fn files_of_our_own_grow_with_what_they_hold() {
    let folder = || tempfile::tempdir().unwrap();
    let write = |dir: &tempfile::TempDir, name: &str, lines: &mut dyn Iterator<Item = serde_json::Value>| {
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let turn = |text: String| serde_json::json!({ "ts": "2026-11-21T00:00:00Z", "turn": 1, "task": text, "input": text, "output": text, "tags": [] });
    let capture = |text: String| {
        let id = format!("{:x}", text.len());
        serde_json::json!({ "id": id, "ts": "2026-11-21T00:00:00Z", "status": "stored", "text": text, "message": "m" })
    };
    check(&[
        ("short_term::block", &|text| {
            let dir = folder();
            let path = write(&dir, "short-term.jsonl", &mut parts(text).map(turn));
            ignored(short_term::block(
                &path,
                &Limits::default(),
                short_term::Conversation::default(),
                &jiff::tz::TimeZone::UTC,
            ));
        }),
        ("captures log", &|text| {
            let dir = folder();
            write(&dir, "captures.jsonl", &mut parts(text).map(capture));
            ignored(Journal::new(dir.path()).captures());
        }),
        ("queue", &|text| {
            let dir = folder();
            let messages = vec![Message { role: Speaker::User, text: text.to_owned(), at: None }];
            let job = Job { messages, ..serde_json::from_str(r#"{"id":"a","messages":[]}"#).unwrap() };
            let journal = Journal::new(dir.path());
            journal.push(&job).unwrap();
            ignored(journal.claim(1, 1));
        }),
        ("damaged lines", &|text| {
            let dir = folder();
            let path = dir.path().join("x.jsonl");
            std::fs::write(&path, text).unwrap();
            ignored(jsonl::mend(&path));
        }),
    ]);
}
