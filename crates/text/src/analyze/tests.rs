use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::lines::{LineBlob, LineKind};
use super::super::script::script;
use super::*;
use model::error::Result;

fn terms(text: &str) -> Vec<String> {
    Analyzer::new().terms(text)
}

/// One chunk of the whole text.
fn chunk(path: &str, text: &str) -> ChunkTerms {
    let lines: Vec<(u32, &str)> = (1..).zip(text.split('\n')).collect();
    Analyzer::new().chunk(path, &Outline::of(text), &lines)
}

#[test]
fn words_of_many_languages() {
    for (text, want) in [
        ("The deployments are running", &["deploy", "run"][..]),
        ("as reuniões da equipe foram canceladas", &["reunia", "equip", "cancel"]),
        ("las canciones que me gustan", &["cancion", "gust"]),
        ("die Häuser und die Straßen", &["haus", "strass"]),
        ("новые книги для детей", &["нов", "книг", "дет"]),
        ("我的猫", &["我", "的", "我的", "猫", "的猫"]),
        ("猫", &["猫"]),
        ("りんご", &["りん", "んご"]),
        ("ラーメンの店", &["ラー", "ーメ", "メン", "ンの", "店", "の店"]),
        ("고양이가 집에", &["고양", "양이", "이가", "고양이가", "고양이", "집에", "집"]),
        ("แมวดำ", &["แม", "มว", "วดํ", "ดํา"]),
        ("ＡＢＣ", &["abc"]),
    ] {
        assert_eq!(terms(text), want, "{text}");
    }
}

/// What web pages and keyboards put between letters was a border of pairs, and stood in terms of Korean.
#[test]
fn joiners_and_variation_selectors_change_no_term() {
    for (text, plain) in [
        ("東\u{2060}京\u{FE00}都", "東京都"),
        ("한국\u{2060}어를", "한국어를"),
        ("\u{A960}\u{FE00}", "\u{A960}"),
        ("แม\u{200D}ว", "แมว"),
        ("می\u{200C}خواهم", "میخواهم"),
        ("e\u{200D}\u{301}te\u{AD}rnel", "éternel"),
        ("a.\u{FEFF}b_c", "a.b_c"),
    ] {
        assert_eq!(terms(text), terms(plain), "{text}");
        assert!(!terms(text).is_empty(), "{text}");
    }
}

#[test]
fn names_whole_and_in_parts() {
    for (text, want) in [
        ("a.b_c", &["a_b_c"][..]),
        ("config.max_size", &["config_max_size", "config", "max", "size"]),
        ("fooBar", &["foobar", "foo", "bar"]),
        ("ERR_1234", &["err_1234", "err", "1234"]),
        ("src/text/foo.rs", &["src_text_foo_rs", "foo_rs", "text_foo_rs", "src", "text", "foo", "rs"]),
        ("192.168.1.1", &["192_168_1_1", "192", "168"]),
        ("std::fs", &["std_fs", "std", "fs"]),
        ("v1.2.3", &["v1_2_3", "1_2_3", "v1"]),
        ("V0𞤀-¹", &["v0𞤢_1", "0𞤢_1", "v0𞤢"]),
        ("#1234", &["1234", "_1234"]),
        ("ana.b@mail.example.com", &["ana_b_mail_example_com", "mail_example_com", "ana", "mail", "exampl", "com"]),
        (
            "https://www.example.org/a/page?x=1",
            &["example_org_a_page", "example_org", "exampl", "org", "page", "x", "1"],
        ),
        ("3.5", &["3_5"]),
        ("1,500", &["1500"]),
        ("1.500", &["1_500", "1500"]),
        ("2024-05-08", &["2024_05_08", "2024", "05", "08"]),
        ("kube-proxy", &["kube_proxy", "kube", "proxi"]),
        ("e-mail", &["e_mail", "email", "mail"]),
        ("C++ and C#", &["cpp", "c", "csharp", "c"]),
        ("les prix de l'amour et de l'art", &["prix", "amour", "art"]),
        ("Ana's dog", &["ana", "dog"]),
        ("O'Brien", &["obrien", "brien"]),
        ("报告_2024.pdf", &["报告_2024_pdf", "报", "告", "报告", "2024", "pdf"]),
        ("30km", &["30km", "30"]),
    ] {
        assert_eq!(terms(text), want, "{text}");
    }
}

#[test]
fn each_line_has_its_language() {
    let text = "we should not have moved the meetings\nnós não devíamos ter mudado as reuniões para a tarde";
    let terms = terms(text);
    assert!(terms.contains(&"meet".into()) && terms.contains(&"reunia".into()), "{terms:?}");
}

#[test]
fn a_chunk_has_headings_path_and_blob() -> Result<()> {
    let chunk = chunk("memory/trips.md", "# Travel\n## Japan\nWe flew to Osaka\n\n```\ncode\n```");
    let fts: BTreeSet<&str> = chunk.fts.split(' ').collect();
    for term in ["travel", "japan", "we", "flew", "osaka", "code", "trip", "memory_trips_md", "trips_md"] {
        assert!(fts.contains(term), "{term} in {fts:?}");
    }
    assert_eq!(fts.len(), chunk.fts.split(' ').count(), "terms are distinct");
    let blob = LineBlob::parse(&chunk.lines)?;
    let kinds: Vec<LineKind> = blob.iter().map(|l| l.kind).collect();
    use LineKind::{Blank, Code, Fence, Heading, Text};
    assert_eq!(kinds, [Heading, Heading, Text, Blank, Fence, Code, Fence]);
    let Some(line) = blob.iter().nth(2) else { panic!("third line") };
    assert_eq!(line.terms.iter().collect::<Vec<_>>(), ["flew", "osaka"].map(term_hash));
    let section = blob.section(line.section.unwrap_or(99));
    assert_eq!(section.iter().collect::<Vec<_>>(), ["travel", "japan"].map(term_hash));
    assert_eq!(line.units, 16);
    Ok(())
}

#[test]
fn what_stands_above_a_chunk_and_whose_note_it_is_are_marked() {
    let marked = |path: &str| -> BTreeSet<String> {
        let chunk = chunk(path, "---\ntitle: Album limits\n---\n## Of the photos\nWe flew to Osaka");
        chunk.fts.split(' ').filter(|term| term.starts_with('=')).map(str::to_owned).collect()
    };
    let of = |terms: &[&str]| terms.iter().map(|term| (*term).to_owned()).collect::<BTreeSet<_>>();
    let above = ["=album", "=limit", "=photo", "=trip", "=md", "=trips_md"];
    assert_eq!(marked("memory/trips.md"), of(&[&above[..], &[OWN_NOTE]].concat()));
    assert_eq!(marked("memory/docs/trips.md"), of(&[&above[..], &["=doc", "=docs_trips_md"]].concat()));
}

#[test]
fn hostile_text_stays_small() {
    let long = "x".repeat(1_000_000);
    assert_eq!(terms(&long), ["x".repeat(64)]);
    let marks = format!("ก{}", "่".repeat(100_000));
    assert!(terms(&marks).iter().all(|t| t.chars().count() <= 64));
    let name = "a.".repeat(200_000);
    assert!(terms(&name).iter().all(|t| t.chars().count() <= 64));
    assert!(terms("\u{0}\u{FFFD}\u{202E} ---- ////").is_empty());
}

/// What the store's tokenizer makes of an FTS string.
fn stored_terms(strings: &[String]) -> rusqlite::Result<BTreeSet<String>> {
    let db = rusqlite::Connection::open_in_memory()?;
    db.execute_batch(
        "CREATE VIRTUAL TABLE f USING fts5(terms, content='', contentless_delete=1, detail=none,
           tokenize=\"unicode61 remove_diacritics 0 categories 'L* N* M* Co' tokenchars '_'\");
         CREATE VIRTUAL TABLE v USING fts5vocab(f, row);",
    )?;
    for fts in strings {
        db.execute("INSERT INTO f(terms) VALUES (?1)", [fts])?;
    }
    let mut query = db.prepare("SELECT term FROM v")?;
    let terms = query.query_map([], |row| row.get(0))?;
    terms.collect()
}

#[test]
fn sqlite_keeps_every_character_of_a_term() -> rusqlite::Result<()> {
    // Every character there is, between two letters: SQLite must not cut where the analyzer does not.
    let mut analyzer = Analyzer::new();
    let mut terms = BTreeSet::new();
    for block in (0..=u32::from(char::MAX)).collect::<Vec<_>>().chunks(4096) {
        let text: String = block
            .iter()
            .filter_map(|c| char::from_u32(*c))
            .filter(|c| script(*c) != Script::None)
            .map(|c| format!("x{c}y\n"))
            .collect();
        terms.extend(analyzer.terms(&text));
    }
    let terms: Vec<String> = terms.into_iter().collect();
    let stored = stored_terms(&terms)?;
    let lost: Vec<&String> = terms.iter().filter(|t| !stored.contains(*t)).collect();
    assert!(lost.is_empty(), "{} of {}: {:?}", lost.len(), terms.len(), &lost[..lost.len().min(400)]);
    Ok(())
}

proptest! {
    #[test]
    fn any_text_gives_clean_terms(text in "\\PC{0,60}") {
        for term in terms(&text) {
            prop_assert!(!term.is_empty());
            prop_assert!(term.chars().all(|c| c == '_' || script(c) != Script::None), "{term:?}");
            prop_assert_eq!(term.to_lowercase(), term.clone());
        }
    }

    #[test]
    fn any_text_gives_a_readable_blob(text in "[\\PC\n#`-]{0,80}") {
        let chunk = chunk("memory/a.md", &text);
        let blob = LineBlob::parse(&chunk.lines).map_err(|e| TestCaseError::fail(e.message))?;
        prop_assert_eq!(blob.len(), text.split('\n').count());
        prop_assert_eq!(blob.iter().map(|l| l.terms.len()).sum::<usize>(), chunk.count as usize);
    }
}

/// What was cut for one chunk is used again at the next: that must show in nothing.
#[test]
fn an_analyzer_that_saw_other_chunks_gives_the_same() {
    let lines =
        ["# Ana's notes", "", "the `fooBar` of C++", "", "東京 a.b_c", "the `fooBar` of C++", "Straße 42", "ﬁne Ａ"];
    let numbered: Vec<(u32, &str)> = (1..).zip(lines).collect();
    let outline = Outline::of(&lines.join("\n"));
    let mut used = Analyzer::new();
    for from in 0..lines.len() {
        for to in from + 1..=lines.len() {
            for path in ["memory/2026-01-02.md", "docs/fooBar.md"] {
                let again = used.chunk(path, &outline, &numbered[from..to]);
                assert_eq!(again, Analyzer::new().chunk(path, &outline, &numbered[from..to]), "{from}..{to}");
            }
        }
    }
}
