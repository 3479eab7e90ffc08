//! How often the database is waited for, counted.

use std::collections::HashSet;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_was_asked_before_waits_for_the_database_a_few_times_only() {
    let Some(schema) = Schema::new() else { return };
    let notes = notes();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut home = Home::new(&notes);
    // Connections of its own: nobody else waits on them.
    home.database = Some(format!("{}?application_name=counted", schema.url));
    // All that the process asks is counted, a lease that is renewed meanwhile, too: what a search needs, it needs each time.
    let tries = (1..=3).flat_map(|_| [0, 60_000]).enumerate();
    let mut met = HashSet::new();
    for (nth, patience) in tries {
        if met.contains(&patience) {
            continue;
        }
        let most = if patience == 0 { [[4, 1, 1], [3, 1, 1], [5, 5, 1]] } else { [[2, 0, 1], [3, 1, 1], [5, 5, 1]] };
        let mut settings = settings(&schema.name);
        settings["store"]["postgres"]["maxStalenessMs"] = json!(patience);
        let engine = home.open_set(settings).await;
        sync(&engine).await;
        let waits = async |question: &str, lexical_only: bool| {
            let before = engine.context.store().waits();
            assert!(!ask(&engine, question, lexical_only).await.is_empty());
            engine.context.store().waits() - before
        };
        let mut counted = Vec::new();
        for lexical_only in [true, false] {
            let question = "about the kettle and the harbour";
            let cold = waits(question, lexical_only).await;
            let warm = waits(question, lexical_only).await;
            counted.push([cold, warm, waits("about the harbour", lexical_only).await]);
        }
        home.write("memory/new.md", &format!("# Harbour\n\nThe kettle of {nth} is at the harbour.\n"));
        sync(&engine).await;
        let question = "about the kettle and the harbour";
        let [by_words, too] = [waits(question, true).await, waits(question, false).await];
        counted.push([by_words, too, waits(question, false).await]);
        println!("{patience} ms: cold, warm, and another question, by words and by meaning; after a write {counted:?}");
        if counted.iter().flatten().zip(most.iter().flatten()).all(|(counted, most)| counted <= most) {
            met.insert(patience);
        }
        engine.release().await;
    }
    assert_eq!(met.len(), 2, "of the limits above only those with these milliseconds were kept: {met:?}");
}
