//! What curated lines say about themselves, from the file to the answer.

use super::*;
use crate::services::testing::{Home, asking, hits, indexed, sync};
use ::search::provenance::SessionKind;

const MEMORY: &str = "# Memory\n\n- Invoices go out on the fifth day <!-- trigger: invoices, billing --> <!-- importance: 8 -->\n\
- The staging calendar decides releases <!-- project: github.com/acme/roof --> <!-- importance: 9 -->\n\
- Deploys of the roof need Mara <!-- trigger: rollback owner --> <!-- project: GitHub.com/acme/roof -->\n\
- A line of nobody <!-- project: -->\n- Plain tea\n";

fn roof() -> Vec<String> {
    vec!["github.com/acme/roof".to_owned()]
}

#[tokio::test(flavor = "multi_thread")]
async fn results_say_where_they_come_from_and_what_their_lines_say() {
    let (_home, engine) = indexed(&[("MEMORY.md", MEMORY), ("memory/2026-11-01.md", "Invoices were late")]).await;
    let found = hits(&engine, "invoices fifth day").await;
    let curated = found.iter().find(|hit| hit.path == "MEMORY.md").unwrap();
    assert!(curated.snippet.contains("Invoices go out on the fifth day"));
    assert_eq!(curated.about.importance, Some(9));
    // The note is one result of several entries, which borrow each other's triggers from none.
    assert_eq!(curated.about.triggers, None);
    assert_eq!(curated.about.project_key.as_deref(), Some("github.com/acme/roof"));
    for hit in &found {
        let provenance = hit.about.provenance.as_ref().unwrap();
        assert_eq!((provenance.origin_class, provenance.session_kind), (OriginClass::Agent, SessionKind::Unknown));
        assert!((model::clock::now_ms() - provenance.observed_at).abs() < 600_000, "{provenance:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_a_comment_is_found_by_no_search_and_shown_by_none() {
    let (_home, engine) = indexed(&[("MEMORY.md", MEMORY), ("memory/a.md", "- Mara <!-- trigger: gutter -->")]).await;
    for words in ["billing", "trigger", "importance", "project acme", "gutter", "rollback owner"] {
        let found = hits(&engine, words).await;
        assert!(found.iter().all(|hit| !hit.snippet.contains("<!--")), "{words}: {found:?}");
        assert!(found.is_empty(), "{words}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_are_the_entries_that_ask_for_it_and_follow_the_file() {
    let (home, engine) = indexed(&[("MEMORY.md", MEMORY), ("USER.md", "- Ana <!-- trigger: ana -->")]).await;
    let lines = |hits: &[Hit]| hits.iter().map(|hit| (hit.path.clone(), hit.start_line)).collect::<Vec<_>>();
    let plain = engine.searcher.trigger_candidates(Vec::new(), 512).await.unwrap();
    assert_eq!(lines(&plain), [("MEMORY.md".to_owned(), 3), ("USER.md".to_owned(), 1)]);
    assert_eq!(plain[0].snippet, "- Invoices go out on the fifth day");
    assert_eq!((plain[0].score, plain[0].about.importance), (0.0, Some(8)));
    let with_project = engine.searcher.trigger_candidates(roof(), 512).await.unwrap();
    assert_eq!(lines(&with_project)[1], ("MEMORY.md".to_owned(), 5));
    let projects = engine.searcher.project_candidates(roof(), 48).await.unwrap();
    assert_eq!(lines(&projects), [("MEMORY.md".to_owned(), 4), ("MEMORY.md".to_owned(), 5)]);
    // The host puts a dash of its own before each: "- - The staging calendar" stood in prompts.
    assert_eq!(projects[0].snippet, "The staging calendar decides releases");
    assert!(engine.searcher.project_candidates(Vec::new(), 48).await.unwrap().is_empty());
    std::fs::write(home.workspace().join("MEMORY.md"), "- New <!-- trigger: new and longer -->\n").unwrap();
    let changed = engine.searcher.trigger_candidates(Vec::new(), 512).await.unwrap();
    assert_eq!(changed[0].about.triggers.as_deref(), Some("new and longer"));
    std::fs::remove_file(home.workspace().join("MEMORY.md")).unwrap();
    assert_eq!(lines(&engine.searcher.trigger_candidates(Vec::new(), 512).await.unwrap()), [("USER.md".to_owned(), 1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_brings_back_what_its_words_trigger() {
    let (_home, engine) = indexed(&[("MEMORY.md", MEMORY)]).await;
    let of = async |message: &str, active: Vec<String>| {
        let found = engine.searcher.trigger_matches(message.to_owned(), active).await.unwrap();
        found
            .into_iter()
            .filter(|found| found.score >= triggers::STRONG)
            .map(|found| found.hit.start_line)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("when do the invoices go out?", Vec::new()).await, [3]);
    assert!(of("who is the rollback owner", Vec::new()).await.is_empty());
    assert_eq!(of("who is the rollback owner", roof()).await, [5]);
    assert!(of("what is for dinner", roof()).await.is_empty());
}

// A reply waited for a search of its own with nearly every message that held a word of a phrase.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_is_left_out_would_have_brought_nothing_back() {
    // Far enough apart that passages of one entry are found, which borrow its triggers.
    let entries = [
        "- Invoices go out on the fifth day <!-- trigger: invoices, billing -->",
        "- The boiler was serviced by Berg <!-- trigger: boiler service; heating -->",
        "- Deploys of the roof need Mara <!-- trigger: rollback owner --> <!-- project: github.com/acme/roof -->",
        "- Roof tiles come from Holm <!-- trigger: roof tiles | gutter --> <!-- project: github.com/acme/attic -->",
    ];
    let memory =
        entries.join(&format!("\n\n# Other things\n\n{}\n\n# More\n\n", "Tea is in the cupboard.\n".repeat(90)));
    let (_home, engine) = indexed(&[("MEMORY.md", &memory)]).await;
    let mut borrowed = 0;
    for active in [Vec::new(), roof()] {
        for message in [
            "when do the invoices go out?",
            "who serviced the boiler, the heating service",
            "who is the rollback owner of deploys",
            "roof tiles from Holm",
            "the boiler and the roof",
            "where is the tea",
            "good morning",
        ] {
            let candidates = engine.searcher.trigger_candidates(active.clone(), MOST).await.unwrap();
            let searched = engine.searcher.searched_for_triggers(message.to_owned(), active.clone()).await.unwrap();
            borrowed += searched.iter().filter(|hit| hit.about.triggers.is_some()).count();
            let all = triggers::matches(message, candidates.into_iter().chain(searched).collect());
            let found = engine.searcher.trigger_matches(message.to_owned(), active.clone()).await.unwrap();
            let lines = |found: &[Match]| found.iter().map(|m| (m.hit.start_line, m.score)).collect::<Vec<_>>();
            assert_eq!(lines(&found), lines(&all), "{message} {active:?}");
        }
    }
    assert!(borrowed > 0, "no search found an entry with triggers");
}

#[tokio::test(flavor = "multi_thread")]
async fn importance_and_projects_order_results_and_a_project_of_nobody_is_not_shown() {
    let memory = "- The boiler was serviced by Berg <!-- importance: 1 -->\n\n# B\n\n\
                  - The boiler was serviced by Holm <!-- importance: 10 -->\n\n# C\n\n\
                  - The boiler was serviced by Nobody <!-- project: ; -->\n";
    let (_home, engine) = indexed(&[("MEMORY.md", memory)]).await;
    let found = hits(&engine, "who serviced the boiler").await;
    assert!(found[0].snippet.contains("Holm"), "{found:?}");
    assert!(found.iter().all(|hit| !hit.snippet.contains("Nobody")), "{found:?}");
    let malformed = engine.searcher.curated_files(&engine.settings().settings).unwrap().malformed();
    assert_eq!(
        malformed.iter().map(|one| (one.path.as_str(), one.line)).collect::<Vec<_>>(),
        [("MEMORY.md", 9), ("MEMORY.md", 9)]
    );
}

// Scores of memory-core 2026.9.6: relevance, times 0.75 + 0.05 for each point, times 1.15 or 0.9.
#[tokio::test(flavor = "multi_thread")]
async fn the_ranking_of_memory_core_multiplies_as_it_does() {
    let search = serde_json::json!({ "provider": "none", "query": { "ranking": "memory-core" } });
    let of = async |comment: &str, active: Vec<String>| {
        let home = Home::new(&[("MEMORY.md", &format!("- The boiler was serviced by Berg{comment}\n"))]);
        let engine = home.open_set(search.clone()).await;
        sync(&engine).await;
        let call = SearchCall { active_projects: active, min_score: Some(0.0), ..asking("boiler serviced") };
        engine.searcher.search(call, Cancel::new()).await.unwrap().hits[0].score
    };
    let plain = of("", Vec::new()).await;
    assert!(plain > 0.1);
    for (comment, active, factor) in [
        (" <!-- importance: 8 -->", Vec::new(), 1.15),
        (" <!-- importance: 2 --> <!-- trigger: x -->", Vec::new(), 0.85),
        (" <!-- project: github.com/acme/roof -->", Vec::new(), 1.0),
        (" <!-- project: github.com/acme/roof -->", roof(), 1.15),
        (" <!-- project: a/b/c --> <!-- importance: 10 -->", roof(), 1.25 * 0.9),
    ] {
        let score = of(comment, active).await;
        assert!((score - plain * factor).abs() < 1e-6, "{comment}: {score} {plain}");
    }
}

/// What an extra file says of itself, and what is made of it.
async fn triggers_of(home: &Home, curated_paths: serde_json::Value) -> Vec<String> {
    let search = serde_json::json!({
        "provider": "bedrock", "model": "titan", "extraPaths": ["notes"], "curatedPaths": curated_paths,
    });
    let engine = home.open_set(search).await;
    sync(&engine).await;
    let found = engine.searcher.trigger_candidates(Vec::new(), 512).await.unwrap();
    for hit in &found {
        assert_eq!(hit.about.provenance.as_ref().unwrap().origin_class, OriginClass::Agent);
    }
    let triggers = found.into_iter().filter_map(|hit| Some(format!("{}: {}", hit.path, hit.about.triggers?)));
    let triggers = triggers.collect();
    engine.release().await;
    triggers
}

const RULES: &str = "<!-- curated -->\n- Call Berg about the boiler <!-- trigger: boiler --> <!-- importance: 9 -->\n";

// A text that was clipped from the web may hold any marker: only paths that the user names make one count.
#[tokio::test(flavor = "multi_thread")]
async fn extra_files_are_curated_where_they_say_so_and_the_user_vouches_for_them() {
    let home = Home::new(&[
        ("MEMORY.md", "- Tea\n"),
        ("notes/rules/house.md", RULES),
        ("notes/rules/plain.md", "- Berg has the key <!-- trigger: key -->\n"),
        ("notes/clipped/web.md", RULES),
        ("memory/2026-11-01.md", RULES),
    ]);
    assert_eq!(triggers_of(&home, serde_json::json!([])).await, [""; 0]);
    let listed = serde_json::json!(["notes/rules"]);
    assert_eq!(triggers_of(&home, listed.clone()).await, ["notes/rules/house.md: boiler"]);
    // Other than by a path that is indexed, nothing counts.
    assert_eq!(triggers_of(&home, serde_json::json!(["memory", "elsewhere"])).await, [""; 0]);
    let glob = serde_json::json!([{"path": "notes", "pattern": "rules/*.md"}]);
    assert_eq!(triggers_of(&home, glob.clone()).await, ["notes/rules/house.md: boiler"]);
    // What is no longer marked is no longer curated, and what is marked now is.
    home.write("notes/rules/house.md", "- Call Berg about the boiler <!-- trigger: boiler -->\n");
    home.write("notes/rules/plain.md", &format!("<!--CURATED-->\n{RULES}"));
    assert_eq!(triggers_of(&home, glob).await, ["notes/rules/plain.md: boiler"]);
    std::fs::remove_file(home.workspace().join("notes/rules/plain.md")).unwrap();
    assert_eq!(triggers_of(&home, listed).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_vouched_file_says_counts_in_results_and_its_comments_are_not_found() {
    let home =
        Home::new(&[("MEMORY.md", "- Tea\n"), ("notes/house.md", RULES), ("notes/web.md", "- Boilers explode\n")]);
    let search = |curated: serde_json::Value| {
        serde_json::json!({
            "provider": "bedrock", "model": "titan", "extraPaths": ["notes"], "curatedPaths": curated,
        })
    };
    let engine = home.open_set(search(serde_json::json!(["notes/house.md"]))).await;
    sync(&engine).await;
    let found = hits(&engine, "boiler").await;
    let house = found.iter().find(|hit| hit.path == "notes/house.md").unwrap();
    assert_eq!(house.about.importance, Some(9));
    assert_eq!(house.about.provenance.as_ref().unwrap().origin_class, OriginClass::Agent);
    assert!(!house.snippet.contains("<!--"), "{}", house.snippet);
    assert!(hits(&engine, "curated").await.is_empty());
    engine.release().await;
    let engine = home.open_set(search(serde_json::json!([]))).await;
    sync(&engine).await;
    let found = hits(&engine, "boiler").await;
    let house = found.iter().find(|hit| hit.path == "notes/house.md").unwrap();
    assert_eq!(house.about.importance, None);
    assert_eq!(house.about.provenance.as_ref().unwrap().origin_class, OriginClass::Untrusted);
    engine.release().await;
}
