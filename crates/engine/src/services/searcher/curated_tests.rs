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

#[tokio::test(flavor = "multi_thread")]
async fn importance_and_projects_order_results_and_a_project_of_nobody_is_not_shown() {
    let memory = "- The boiler was serviced by Berg <!-- importance: 1 -->\n\n# B\n\n\
                  - The boiler was serviced by Holm <!-- importance: 10 -->\n\n# C\n\n\
                  - The boiler was serviced by Nobody <!-- project: ; -->\n";
    let (_home, engine) = indexed(&[("MEMORY.md", memory)]).await;
    let found = hits(&engine, "who serviced the boiler").await;
    assert!(found[0].snippet.contains("Holm"), "{found:?}");
    assert!(found.iter().all(|hit| !hit.snippet.contains("Nobody")), "{found:?}");
    let malformed = engine.searcher.curated_files(&engine.settings().settings).malformed();
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
