//! The ranking over small workspaces in a real store.

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::*;
use model::config::settings::{Chunking, Ranking};
use store::{
    OpenOptions, Store,
    embeddings::NewEmbedding,
    files::{NewChunk, NewFile},
    vectors::Vectors,
};
use text::{analyze::Analyzer, chunk, language::Language, outline::Outline};

mod alike;
mod compounds;
mod continued;
mod documents;
mod presentation;
mod translations;
mod transliterations;

/// 2024-06-15 12:00 UTC.
const NOW_MS: i64 = 1_718_452_800_000;

struct Workspace {
    store: std::sync::Arc<Store>,
    vectors: Option<Vectors>,
    /// The only language that the model knows.
    language: Option<Language>,
    _folder: TempDir,
}

impl Workspace {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("index.sqlite"), OpenOptions::default()).unwrap();
        store.acquire_lease().unwrap();
        let mut analyzer = Analyzer::new();
        let mut prepared = Vec::new();
        for (path, text) in files {
            let outline = Outline::of(text);
            let rows: Vec<NewChunk> = chunk::chunks(text, Chunking { tokens: 400, overlap: 80 })
                .filter(|chunk| !chunk.is_blank())
                .map(|chunk| {
                    let lines: Vec<(u32, &str)> = (chunk.start_line..).zip(chunk.text.split('\n')).collect();
                    let terms = analyzer.chunk(path, &outline, &lines);
                    NewChunk {
                        start_line: chunk.start_line,
                        end_line: chunk.end_line,
                        hash: Sha256::digest(chunk.text.as_bytes()).into(),
                        text: chunk.text.into_owned(),
                        line_terms: terms.lines,
                        fts_terms: terms.fts,
                    }
                })
                .collect();
            prepared.push(((*path).to_owned(), u32::try_from(text.split('\n').count()).unwrap(), rows));
        }
        store
            .write(move |tx| {
                let generation = tx.begin_building("test")?;
                for (path, lines, rows) in &prepared {
                    let source = if path.starts_with("sessions/") { "sessions" } else { "memory" };
                    let file = NewFile { source, path, hash: [0; 32], mtime_ns: 0, size: 1, lines: *lines, terms: 1 };
                    tx.replace_file(generation.id, &file, rows)?;
                }
                Ok(())
            })
            .unwrap();
        Self { store, vectors: None, language: None, _folder: folder }
    }

    /// Gives every chunk the vector that `embed` makes of its text.
    fn with_vectors(mut self, embed: impl Fn(&str) -> Vec<f32>) -> Self {
        let rows = self
            .store
            .read(|reader| {
                let live = reader.live()?.unwrap();
                reader.chunks(&reader.chunk_ids(live.id)?)
            })
            .unwrap();
        let embeddings: Vec<NewEmbedding> = rows
            .into_iter()
            .map(|row| {
                let vector = embed(&row.text);
                NewEmbedding { hash: row.hash.unwrap(), vector }
            })
            .collect();
        self.store
            .write(move |tx| {
                let space = tx.get_or_create_space("test")?;
                tx.insert_embeddings(space.id, &embeddings)?;
                tx.set_active_space(space.id)
            })
            .unwrap();
        self.vectors = self.store.vectors().unwrap();
        self
    }

    fn ask(&self, request: &Request, settings: &QuerySettings, vector: Option<&[f32]>) -> Answer {
        self.store
            .read(|reader| {
                let live = reader.live()?.unwrap();
                let vector = match (&self.vectors, vector) {
                    (Some(index), Some(vector)) => Some(VectorQuery { index, vector, language: self.language }),
                    _ => None,
                };
                search(reader, (live.id, None), (vector, None), settings, request, "UTC")
            })
            .unwrap()
    }

    fn search(&self, query: &str) -> Vec<Hit> {
        self.ask(&request(query, 6), &settings(), None).hits
    }
}

fn request(query: &str, max_results: usize) -> Request {
    Request {
        query: query.to_owned(),
        understood: None,
        max_results,
        after: 0,
        budget: None,
        excerpt: None,
        min_score: None,
        sources: Vec::new(),
        confine: None,
        lexical_only: false,
        curated: std::sync::Arc::default(),
        explain: false,
        now_ms: NOW_MS,
    }
}

fn settings() -> QuerySettings {
    QuerySettings {
        max_results: None,
        budget_chars: 4_200,
        min_score: None,
        ranking: Ranking::Native,
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

/// A note of many lines, so that the answer is not the head of its chunk.
fn long_note(answer: &str) -> String {
    let mut lines: Vec<String> =
        (0..60).map(|n| format!("The weather station reported reading number {n} without anything unusual.")).collect();
    lines[41] = answer.to_owned();
    lines.join("\n")
}

#[test]
fn the_snippet_is_the_passage_that_answers() {
    let note = long_note("The spare key is under the blue flower pot.");
    let workspace = Workspace::of(&[("memory/house.md", &note), ("memory/other.md", "Nothing about locks here.")]);
    let hits = workspace.search("where is the spare key?");
    let first = &hits[0];
    assert!(first.snippet.contains("under the blue flower pot"), "{}", first.snippet);
    assert!(first.start_line <= 42 && 42 <= first.end_line && first.start_line > 30);
    assert!(first.snippet.encode_utf16().count() <= 700);
    for line in first.snippet.lines().filter(|line| *line != "…") {
        assert!(note.lines().any(|known| known == line), "cut inside a line: {line}");
    }
}

#[test]
fn any_word_is_enough_and_all_words_are_best() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "Ana moved to Lisbon."),
        ("memory/b.md", "The parcel from Porto has arrived."),
        ("memory/c.md", "Ana sent a parcel to Lisbon in a hurry."),
    ]);
    let paths: Vec<String> = workspace.search("Ana parcel Lisbon").into_iter().map(|hit| hit.path).collect();
    assert_eq!(paths[0], "memory/c.md");
    assert_eq!(paths.len(), 3);
}

#[test]
fn identifiers_paths_and_phrases_win_outright() {
    let noise = "The gateway service restarts when the error handler of the gateway sees an error again and again.";
    let workspace = Workspace::of(&[
        ("memory/noise.md", noise),
        ("memory/one.md", "Yesterday's log had ERR_QUOTA_4012 once."),
        ("memory/two.md", "ERR_QUOTA_4013 means the disk is full."),
        ("memory/deploy-runbook.md", "First drain the node."),
        ("memory/three.md", "She said the quick brown fox jumps."),
        ("memory/four.md", "A fox that is brown and quick jumps; the fox is quick and brown."),
    ]);
    for (query, path) in [
        ("what is the gateway error ERR_QUOTA_4012 in the error handler", "memory/one.md"),
        ("gateway error handler of memory/deploy-runbook.md", "memory/deploy-runbook.md"),
        ("gateway error deploy-runbook.md", "memory/deploy-runbook.md"),
        ("who said \"quick brown fox\"", "memory/three.md"),
    ] {
        assert_eq!(workspace.search(query).first().map(|hit| hit.path.as_str()), Some(path), "{query}");
    }
}

#[test]
fn a_longer_list_begins_with_the_shorter_one() {
    // A note with fewer of the words may be ranked before one with more: it is short, or stands in a better place.
    let words = ["garden", "fence", "gate", "house"];
    let notes: Vec<(String, String)> = (0..80_usize)
        .map(|n| {
            let some = words.iter().enumerate().filter(|(at, _)| (n * 7 / 3) >> at & 1 == 1).map(|(_, word)| *word);
            let text: Vec<&str> = some.chain(std::iter::repeat_n("kitchen", n * 5 % 11 * 6)).collect();
            (format!("memory/n{n:02}.md"), format!("# Meeting {n}\n\nAbout {n}: {}.\nAgain: {n}\n", text.join(" ")))
        })
        .collect();
    let files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::of(&files);
    let least = QuerySettings { min_score: Some(0.0), ..settings() };
    let ask = |k| workspace.ask(&request("garden fence gate house", k), &least, None).hits;
    // So many are looked at in any case.
    let all = ask(SETTLED);
    assert_eq!(all.len(), SETTLED);
    for k in [1, 2, 5, 12, 29] {
        let some = ask(k);
        assert_eq!(some.len(), k);
        for (a, b) in some.iter().zip(&all) {
            assert_eq!(
                (&a.path, a.start_line, a.score.to_bits()),
                (&b.path, b.start_line, b.score.to_bits()),
                "k = {k}"
            );
        }
    }
    assert!(all.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn small_talk_and_strangers_find_nothing() {
    let workspace = Workspace::of(&[
        ("MEMORY.md", "- Hello world was the first program Ana wrote.\n- The capital gains tax is due in April."),
        ("memory/a.md", "Thanks to Bruno the roof is tight again. 2 + 2 = 4."),
    ]);
    for query in ["hello", "thanks!", "what's 2+2", "how are you?", "zorblax quimby frotz"] {
        assert!(workspace.search(query).is_empty(), "{query}");
    }
}

#[test]
fn asked_days_come_first_and_bury_nothing() {
    let workspace = Workspace::of(&[
        ("memory/2024-06-12.md", "Dinner with Bruno at the harbour."),
        ("memory/2024-03-02.md", "Dinner with Bruno at the station."),
        ("memory/2023-01-20.md", "The violin was repaired."),
    ]);
    let first = |query: &str| workspace.search(query).first().map(|hit| hit.path.clone());
    assert_eq!(first("dinner with Bruno in March").as_deref(), Some("memory/2024-03-02.md"));
    assert_eq!(first("dinner with Bruno this week").as_deref(), Some("memory/2024-06-12.md"));
    assert_eq!(first("was the violin repaired last week?").as_deref(), Some("memory/2023-01-20.md"));
    assert_eq!(first("latest dinner with Bruno").as_deref(), Some("memory/2024-06-12.md"));
}

// Notes of other days that say "week" or the name of the month came first, where a question asks for nothing but a day and a person.
#[test]
fn what_asks_for_a_day_and_a_person_alone_is_answered_from_that_day() {
    let workspace = Workspace::of(&[
        ("memory/2024-02-22.md", "Ana: We went up the hill in thick fog and ate a pie at the top.\n"),
        ("memory/2024-01-10.md", "Ana: I am learning it a week ahead of the others.\nBen: February will be quiet.\n"),
        ("memory/2024-05-30.md", "Ana: That was a week! I have been asleep since Saturday.\n"),
        ("memory/2024-05-18.md", "Ana: The race was yesterday, and I came eleventh.\n"),
    ]);
    let first = |query: &str| workspace.search(query).first().map(|hit| hit.path.clone());
    assert_eq!(first("What did Ana do in the week of 19 February 2024?").as_deref(), Some("memory/2024-02-22.md"));
    assert_eq!(first("What was Ana up to on Saturday 18 May 2024?").as_deref(), Some("memory/2024-05-18.md"));
}

#[test]
fn a_note_that_repeats_a_transcript_counts_once() {
    let said = "user: the router password was changed to something with seven penguins\nassistant: I noted it down.";
    let workspace = Workspace::of(&[
        ("memory/2024-06-01.md", said),
        ("sessions/a.jsonl", said),
        ("memory/other.md", "The router of the office has a new password on the label."),
    ]);
    let hits = workspace.search("router password");
    let said = hits.iter().filter(|hit| hit.snippet.contains("seven penguins")).count();
    assert_eq!((said, hits.len()), (1, 2));
}

#[test]
fn a_note_that_quotes_a_transcript_among_other_things_counts_once() {
    let quoted = "Ana: the router password was changed to something with seven penguins";
    let before = "user: good morning, how did the visit of the plumber go on Tuesday afternoon";
    let after = "assistant: he replaced the valve below the kitchen sink and left an invoice of eighty euros";
    let workspace = Workspace::of(&[
        (
            "memory/2024-06-01.md",
            &format!("- The cellar was painted white by two students.\n- {quoted}\n- Fuses arrived."),
        ),
        ("sessions/a.jsonl", &format!("{before}\nuser: {}\n{after}", &quoted[5..])),
        ("memory/2024-06-02.md", &format!("- {quoted} again, as somebody had shared it at the school fair.")),
    ]);
    let hits = workspace.search("router password penguins");
    let from = |source: Source| hits.iter().filter(|hit| hit.source == source).count();
    // Either the transcript or the note that quotes it, and the note of another day, which says something else.
    assert_eq!(hits.len(), 2, "{hits:?}");
    assert_eq!(from(Source::Memory) + from(Source::Sessions), 2);
    assert!(hits.iter().any(|hit| hit.snippet.contains("school fair")));
}

#[test]
fn declared_importance_breaks_ties_only() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "The dentist recommended a softer brush."),
        ("memory/b.md", "<!-- importance: 9 -->\nThe dentist recommended a harder brush."),
        ("memory/c.md", "<!-- importance: 10 -->\nThe brush was green."),
    ]);
    let paths: Vec<String> =
        workspace.search("what brush did the dentist recommend").into_iter().map(|h| h.path).collect();
    assert_eq!(paths[..2], ["memory/b.md", "memory/a.md"]);
}

// Only the first comment of a line was read, and the host writes the importance behind the triggers.
#[test]
fn importance_is_read_from_any_of_the_comments_of_a_line() {
    let important = "<!-- importance: 9 -->";
    let alone = format!("<!-- trigger: teeth, gums --> {important}\n- The dentist recommended a harder brush.");
    for note in [
        format!("- The dentist recommended a harder brush. <!-- trigger: teeth, gums --> {important}"),
        format!("- The dentist recommended a harder brush. {important} <!-- trigger: teeth, gums -->"),
        format!("- The dentist recommended a harder brush. <!-- trigger: a --><!-- x -->{important} <!-- y"),
        alone,
    ] {
        let workspace = Workspace::of(&[
            ("memory/a.md", "- The dentist recommended a softer brush."),
            ("memory/b.md", &note),
            ("memory/c.md", "The brush was green."),
        ]);
        let ask = Request { explain: true, ..request("what brush did the dentist recommend", 6) };
        let hits = workspace.ask(&ask, &settings(), None).hits;
        let hit = hits.iter().find(|hit| hit.path == "memory/b.md").unwrap();
        let explain = hit.explain.as_ref().unwrap();
        assert!(explain["boosts"]["importance"].as_f64().unwrap() > 0.0, "{note}: {explain}");
    }
}

#[test]
fn a_long_line_is_cut_around_what_was_asked() {
    let filler = "The committee talked about many things that nobody remembers. ".repeat(30);
    let text = format!("{filler}The violin teacher lives in Harbour Street. {filler}");
    let workspace = Workspace::of(&[("memory/minutes.md", &text)]);
    let hits = workspace.search("violin teacher");
    assert!(hits[0].snippet.contains("lives in Harbour Street"), "{}", hits[0].snippet);
    assert!(hits[0].snippet.encode_utf16().count() <= 700);
}

#[test]
fn another_word_of_the_same_meaning_is_found() {
    let workspace = Workspace::of(&[
        ("memory/a.md", "The children start swimming lessons on Monday."),
        ("memory/b.md", "The printer is out of toner."),
    ]);
    let hits =
        workspace.ask(&Request { explain: true, ..request("where do the kids swim", 6) }, &settings(), None).hits;
    assert_eq!(hits[0].path, "memory/a.md");
    let matched = hits[0].explain.as_ref().unwrap()["matched"].as_array().unwrap().clone();
    assert!(matched.iter().any(|m| m["word"] == "kids" && m["as"] == "children"), "{matched:?}");
}

// "PostgreSQL" was told three times: it is looked for whole and in its parts.
#[test]
fn a_word_that_has_parts_is_told_once() {
    let workspace = Workspace::of(&[("memory/a.md", "Falcon stores its data in PostgreSQL.")]);
    let hits = workspace.ask(&Request { explain: true, ..request("Falcon PostgreSQL", 6) }, &settings(), None).hits;
    let matched = hits[0].explain.as_ref().unwrap()["matched"].clone();
    assert_eq!(matched, serde_json::json!([{ "word": "Falcon" }, { "word": "PostgreSQL" }]));
}

/// One direction per subject.
fn by_subject(text: &str) -> Vec<f32> {
    let mut vector: Vec<f32> =
        ["boat", "tax", "violin"].iter().map(|s| if text.contains(s) { 1.0 } else { 0.01 }).collect();
    vector.push(0.3);
    vector
}

#[test]
fn vectors_alone_find_what_words_do_not() {
    let files: Vec<(String, String)> = (0..12)
        .map(|n| (format!("memory/n{n:02}.md"), format!("Note {n} on tax matters of the year.")))
        .chain([("memory/x.md".to_owned(), "The boat is in the yard.".to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::of(&files).with_vectors(by_subject);
    let vector_only = QuerySettings { hybrid_enabled: false, ..settings() };
    for settings in [settings(), vector_only] {
        let answer = workspace.ask(&request("sailing vessel", 3), &settings, Some(&by_subject("boat")));
        assert_eq!(answer.hits[0].path, "memory/x.md");
        assert!(answer.hits[0].vector_score.is_some_and(|cosine| cosine > 0.99));
    }
    let words_only = Request { lexical_only: true, ..request("sailing vessel", 3) };
    assert_eq!(workspace.ask(&words_only, &settings(), Some(&by_subject("boat"))).mode, "fts-only");
}

#[test]
fn a_useless_embedding_model_does_not_hide_the_answer() {
    let noise: Vec<(String, String)> = (0..50)
        .map(|n| (format!("memory/n{n:02}.md"), format!("Entry {n}: the printer needed paper again.")))
        .collect();
    let mut files: Vec<(&str, &str)> = noise.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.push(("memory/key.md", "The spare key is under the flower pot."));
    let of = |text: &str| Sha256::digest(text.as_bytes()).iter().map(|b| f32::from(*b) - 127.5).collect::<Vec<f32>>();
    let workspace = Workspace::of(&files).with_vectors(of);
    for query in ["spare key flower pot", "where is the spare key", "key"] {
        let hits = workspace.ask(&request(query, 6), &settings(), Some(&of(query))).hits;
        assert_eq!(hits[0].path, "memory/key.md", "{query}");
    }
}

// The embedded model knows English and finds any two texts of another language alike: 56 of 56 questions that no note
// answers were shown six notes at 0.7.
#[test]
fn what_a_model_makes_of_a_language_it_does_not_know_is_no_reason() {
    let notes: Vec<(String, String)> = (0..12)
        .map(|n| (format!("memory/n{n:02}.md"), format!("Entry {n} about the yearly tax.")))
        .chain([("memory/x.md".to_owned(), "O eletricista trocou o quadro da cave.".to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    // Whatever is asked lies next to the note in Portuguese.
    let embed = |text: &str| if text.contains("tax") { vec![1.0, 0.0, 0.3] } else { vec![0.0, 1.0, 0.3] };
    let workspace = |language| Workspace { language, ..Workspace::of(&files).with_vectors(embed) };
    let ask = |workspace: &Workspace, query: &str| {
        workspace.ask(&request(query, 6), &settings(), Some(&embed(query))).hits.len()
    };
    let (any, english) = (workspace(None), workspace(Some(Language::English)));
    for unanswered in
        ["quanto custou o meu relógio?", "¿cuánto mide Martina?", "Какая у меня группа крови?", "狗叫什么名字"]
    {
        assert_eq!(ask(&english, unanswered), 0, "{unanswered}");
        assert_eq!(ask(&any, unanswered), 1, "a model of many languages: {unanswered}");
    }
    assert_eq!(ask(&english, "who repaired the switchboard?"), 1);
    assert_eq!(ask(&english, "quem trocou o quadro?"), 1);
}

/// Notes of one person in a language, a line each.
fn diary(lines: &[&str]) -> Workspace {
    let text = format!("# -\n\n{}", lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"));
    let more = "# Other\n\n- The printer needs toner.\n- The bus is late on Mondays.\n- Bruno moved to Porto.\n";
    Workspace::of(&[("memory/a.md", &text), ("memory/b.md", more), ("memory/c.md", "# Empty\n\n- Nothing yet.\n")])
}

// A question whose one rare word stands in a note found nothing: what the notes do not hold outweighed it, and in scripts
// without spaces most of that was no word at all.
#[test]
fn one_rare_word_is_evidence() {
    for (notes, query, answer) in [
        (
            &["Der Chef trinkt Tee.", "Am Betriebsausflug fahren wir in den Spreewald."][..],
            "Wohin geht der Betriebsausflug?",
            4,
        ),
        (&["Las obras duran hasta octubre.", "El recibo de la comunidad sube."], "¿cuánto pagamos de comunidad?", 4),
        (
            &["사내 와이파이는 분기마다 암호가 바뀐다.", "복사기 토너는 삼 층 창고에 있다."],
            "토너가 어디에 있는지 알려줘",
            4,
        ),
        (&["母は毎月第二火曜に大学病院で検査を受ける。", "庭の梅の木は二月に剪定する。"], "母の検査はいつですか", 3),
        (&["名古屋の工場は盆の間は十日間休む。", "新人は経理部に配属された。"], "工場はお盆に何日休みますか", 3),
        (&["Сервер переносили ночью, простой длился сорок минут."], "Сколько времени простаивал сервер?", 3),
        (&["Бабушка принимает таблетки.", "Кот Барсик боится пылесоса."], "Чего боится Барсик?", 4),
    ] {
        let hits = diary(notes).search(query);
        let first = hits.first().unwrap_or_else(|| panic!("nothing: {query}"));
        assert!(first.path == "memory/a.md" && (first.start_line..=first.end_line).contains(&answer), "{query}");
    }
}

// The longer a question was, the smaller a share of it were the words that a note has: of long ones half found nothing.
#[test]
fn a_long_question_is_no_weaker_than_a_short_one() {
    for (notes, query, answer) in [
        (
            &["Das Kellerfenster klemmt.", "Madopar dreimal am Tag, um 8, 13 und 18 Uhr."][..],
            "Welche Dosis Madopar hatte der Neurologe letztens eigentlich aufgeschrieben?",
            4,
        ),
        (
            &["Марципан привезла соседка.", "Забор чинит дядя Миша."],
            "Какую сумму насчитал бригадир за покраску и ремонт забора?",
            4,
        ),
    ] {
        let hits = diary(notes).search(query);
        let first = hits.first().unwrap_or_else(|| panic!("nothing: {query}"));
        assert!(first.path == "memory/a.md" && (first.start_line..=first.end_line).contains(&answer), "{query}");
    }
}

#[test]
fn words_that_any_question_may_have_are_none() {
    for (notes, query) in [
        (&["Стиральная машина стоит в ванной.", "Мама ходит на массаж."][..], "Сколько стоил велосипед?"),
        (
            &["El pan de molde cuesta poco.", "La alarma tiene un mando."],
            "¿cuánto cuesta la matrícula de Inés este trimestre?",
        ),
        (&["Oma bekommt ihre Spritzen.", "Papa hat sein Gerät beim Akustiker."], "Wann war ich zuletzt beim Zahnarzt?"),
        (&["备份只保留多少天还没定。", "例会几点开始看通知。"], "我的护照什么时候到期，要多少钱？"),
        (&["회의가 언제인지 알려줘야 한다.", "자동차 보험은 팔월에 갱신한다."], "내 혈액형이 뭐라고 했지?"),
    ] {
        let hits = diary(notes).search(query);
        assert!(hits.is_empty(), "{query}: {hits:?}");
    }
}
