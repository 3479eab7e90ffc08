//! Whatever happens to the files, the index that followed it all is the one that a fresh start gives.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{
    ForgetCall, Lease, SearchCall,
    testing::{Home, asking, sync},
};
use crate::forgetting::selection::Target;
use model::{cancel::Cancel, source::Source};

/// One thing that happens to a small workspace.
#[derive(Debug, Clone)]
enum Event {
    /// A file gets other words.
    Write(u8, u8),
    /// A line is added to a file.
    Append(u8, u8),
    /// A file goes.
    Remove(u8),
    /// A file gets another name.
    Rename(u8, u8),
    /// A line is forgotten.
    Forget(u8),
    /// The index follows.
    Sync,
}

fn name(n: u8) -> String {
    format!("memory/{}.md", n % 5)
}

fn line(n: u8) -> String {
    format!("- Remark number {} about the garden behind the house, said by somebody.\n", n % 9)
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (any::<u8>(), any::<u8>()).prop_map(|(file, words)| Event::Write(file, words)),
        3 => (any::<u8>(), any::<u8>()).prop_map(|(file, words)| Event::Append(file, words)),
        1 => any::<u8>().prop_map(Event::Remove),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Event::Rename(from, to)),
        1 => any::<u8>().prop_map(Event::Forget),
        4 => Just(Event::Sync),
    ]
}

async fn happen(home: &Home, engine: &Lease, event: &Event) {
    let at = |n: u8| home.workspace().join(name(n));
    match event {
        Event::Write(file, words) => {
            home.write(&name(*file), &(0..20).map(|n| line(words.wrapping_add(n))).collect::<String>())
        }
        Event::Append(file, words) => {
            let before = std::fs::read_to_string(at(*file)).unwrap_or_default();
            home.write(&name(*file), &format!("{before}{}", line(*words)));
        }
        // What is not there can neither go nor be renamed.
        Event::Remove(file) => drop(std::fs::remove_file(at(*file))),
        Event::Rename(from, to) => drop(std::fs::rename(at(*from), at(*to))),
        Event::Forget(file) => {
            // A file without this line, or none at all, has nothing to forget.
            let target = Target { paths: vec![name(*file)], lines: Some((1, 1)), ..Target::default() };
            let call = ForgetCall { target, ..ForgetCall::default() };
            let _ = engine.admin.forget(call).await;
        }
        Event::Sync => drop(sync(engine).await),
    }
}

/// Everything that searches can see, by path.
fn content(engine: &Lease) -> BTreeMap<String, Vec<(u32, u32, String)>> {
    let read = engine.context.store().read(|r| {
        let Some(live) = r.live()? else { return Ok(BTreeMap::new()) };
        let mut all = BTreeMap::new();
        for (id, _, path) in r.file_paths(live.id)? {
            let rows = r.chunks_of_file(id)?.into_iter().map(|c| (c.start_line, c.end_line, c.text));
            all.insert(path, rows.collect::<Vec<_>>());
        }
        assert_eq!(r.fts_count(live.id)?, r.chunk_count(live.id)?);
        Ok(all)
    });
    read.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 20, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn following_every_change_gives_what_a_fresh_start_gives(events in proptest::collection::vec(event(), 1..14)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let home = Home::new(&[("memory/0.md", "The tea is sencha.\n")]);
            let engine = home.open().await;
            for event in &events {
                happen(&home, &engine, event).await;
            }
            sync(&engine).await;
            let followed = content(&engine);
            engine.admin.reset(false).await.unwrap();
            assert!(content(&engine).is_empty());
            sync(&engine).await;
            assert_eq!(followed, content(&engine));
            engine.release().await;
        });
    }
}

/// What a search shows for some questions, to the last digit, with all that it was made of.
async fn answers(engine: &Lease) -> Vec<(String, String)> {
    const WORDS: [&str; 8] = ["garden", "number 3", "tea", "remark 7", "behind", "roses", "sencha house", "said 1 2"];
    let mut answers = Vec::new();
    for n in 0..60 {
        let query = format!("{} {}", WORDS[n % WORDS.len()], WORDS[n / WORDS.len() % WORDS.len()]);
        let sources = if n % 5 == 0 { vec![Source::Memory] } else { Vec::new() };
        let lexical_only = n % 3 == 0;
        let call = SearchCall {
            max_results: Some(8),
            min_score: Some(0.0),
            sources,
            lexical_only,
            explain: true,
            ..asking(&query)
        };
        let mut answer = engine.searcher.search(call, Cancel::new()).await.unwrap();
        for hit in &mut answer.hits {
            // When a note was read is history itself.
            if let Some(provenance) = &mut hit.about.provenance {
                provenance.observed_at = 0;
            }
        }
        assert!(!answer.partial, "{:?}", answer.warning);
        answers.push((query, serde_json::to_string(&answer).unwrap()));
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 40, max_shrink_iters: 20, ..ProptestConfig::default() })]

    // Equals came in the order in which they had been written, chunks that were gone took places and counted in the mean.
    #[test]
    fn an_index_with_a_history_answers_like_a_fresh_one(
        events in proptest::collection::vec(event(), 4..24),
        native in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let home = Home::new(&[("MEMORY.md", "The tea is sencha. The roses stand behind the house.\n")]);
            let settings = serde_json::json!({
                "provider": "bedrock",
                "model": "titan",
                // About a chunk a line: more of them than a search looks at.
                "chunking": { "tokens": 20, "overlap": 0 },
                "query": { "ranking": if native { "native" } else { "memory-core" } },
                "sync": { "watch": false, "onSearch": false },
            });
            let engine = home.open_set(settings).await;
            for n in 0..5 {
                happen(&home, &engine, &Event::Write(n, n)).await;
            }
            for event in &events {
                happen(&home, &engine, event).await;
                if matches!(event, Event::Sync) {
                    // What is kept in memory follows, too.
                    let _ = engine.searcher.search(SearchCall { lexical_only: false, ..asking("garden") }, Cancel::new()).await;
                }
            }
            sync(&engine).await;
            let followed = answers(&engine).await;
            engine.admin.reset(false).await.unwrap();
            sync(&engine).await;
            for (followed, fresh) in followed.into_iter().zip(answers(&engine).await) {
                assert_eq!(followed, fresh);
            }
            engine.release().await;
        });
    }
}
