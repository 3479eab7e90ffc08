//! What is written down beside an index, from a file to a database and back.

use super::*;
use crate::{
    books::{ALL, BooksCopied},
    consolidation::{Claim, Clock, Evidence, RunRow, Use},
    embeddings::NewEmbedding,
    line_vectors::LineData,
    usage::Spent,
};
use model::{error::Code, usage::Usage};

fn spent(n: u64) -> Spent {
    Spent { sent: Usage { requests: n, texts: 2 * n, tokens: 30 * n }, needed: 4 * n, embedded: n }
}

fn claim(n: usize) -> Evidence {
    let claim = Claim {
        id: format!("claim-{n:04}"),
        text: format!("the kettle\0 {n}"),
        path: if n.is_multiple_of(3) { String::new() } else { format!("memory/{n}.md") },
        line: n as u32,
        origin: "owner".to_owned(),
        requested: n.is_multiple_of(5),
        importance: n.is_multiple_of(2).then_some(7),
        triggers: n.is_multiple_of(4).then(|| format!("tea {n}")),
        first_ms: n as i64,
        last_ms: n as i64 + 100,
        withdrawn: n.is_multiple_of(11),
    };
    let uses =
        (0..n % 4).map(|at| Use { kind: "said".to_owned(), mark: format!("m{at}"), day: "2026-11-20".to_owned() });
    Evidence { claim, uses: uses.collect() }
}

/// The replay that a claim is of, if it is of any.
fn batch(n: usize) -> &'static str {
    if n.is_multiple_of(7) { "replay-1" } else { "" }
}

fn run(n: usize, state: &str) -> RunRow {
    RunRow {
        id: format!("run-{n}"),
        state: state.to_owned(),
        started_ms: n as i64,
        month: "2026-11".to_owned(),
        plan: format!("{{\"n\":{n}}}"),
        images: (state == "applied").then(|| "[]".to_owned()),
        input_tokens: 10,
        output_tokens: 2,
    }
}

fn line(n: u16) -> LineData {
    let mut hash = [3; 32];
    hash[..2].copy_from_slice(&n.to_be_bytes());
    LineData { hash, codes: vec![n as u8; 9], signs: vec![1, n as u8] }
}

/// All of it, in more than one step of each kind.
fn fill(store: &Store) {
    store
        .write(|tx| {
            tx.add_usage("2026-11-20", "openai", "small", &spent(3))?;
            tx.add_usage("2026-11-21", "openai", "small", &spent(5))?;
            let space = tx.get_or_create_space("a space")?.id;
            tx.insert_embeddings(space, &[NewEmbedding { hash: [1; 32], vector: vec![1.0, 2.0] }])?;
            tx.keep_lines(space, &(0..250).map(line).collect::<Vec<_>>())?;
            tx.refuse_text(space, &[2; 32], "too long")?;
            tx.refuse_text(space, &[2; 32], "far too long")?;
            for n in 0..250 {
                tx.add_evidence(&claim(n), batch(n))?;
                if claim(n).claim.withdrawn {
                    tx.withdraw_claims(&[claim(n).claim.id], true)?;
                }
            }
            (0..12).try_for_each(|n| tx.save_run(&run(n, if n == 4 { "undone" } else { "applied" })))?;
            tx.save_run(&run(12, "applying"))?;
            tx.set_consolidation_clock(&Clock {
                schedule: "0 3 * * *".to_owned(),
                due_ms: 77,
                holder: "somebody".to_owned(),
                until_ms: 99,
            })
        })
        .unwrap();
}

/// All that a store has of it, in order, but for refusals, which only show where the text is in the index.
fn all(store: &Store) -> impl PartialEq + std::fmt::Debug + use<> {
    let space = store.write(|tx| tx.get_or_create_space("a space")).unwrap().id;
    store
        .read(|r| {
            let mut evidence = r.evidence("")?;
            evidence.iter_mut().for_each(|one| one.uses.sort_by(|a, b| a.mark.cmp(&b.mark)));
            let mut batches = r.batches()?;
            batches.sort_by(|a, b| (&a.0, &a.1.mark).cmp(&(&b.0, &b.1.mark)));
            let lines = r.lines_between(space, (None, None), ALL)?;
            let runs: Vec<RunRow> = r.runs(ALL)?.into_iter().filter(|run| run.state != "applying").collect();
            Ok((r.daily_usage()?, evidence, batches, lines, runs, r.consolidation_clock()?.map(|clock| clock.due_ms)))
        })
        .unwrap()
}

#[test]
fn what_was_written_down_goes_to_a_database_and_back_once() {
    let Some((_backend, database)) = backend::served() else { return };
    let (_folder, file) = sqlite_beside();
    fill(&file);
    let expected = all(&file);
    // Ended early, it goes on with what is missing.
    let cancel = Cancel::new();
    file.copy_vectors_to(&database, &cancel, |_, _| ()).unwrap();
    let stopped = Cancel::new();
    stopped.cancel();
    assert_eq!(file.copy_books_to(&database, &stopped).unwrap_err().code(), Code::Cancelled);
    database.write(|tx| (0..90).try_for_each(|n| tx.add_evidence(&claim(n), batch(n)))).unwrap();
    let copied = file.copy_books_to(&database, &cancel).unwrap();
    assert_eq!(copied, BooksCopied { costs: 2, refusals: 1, lines: 250, claims: 250, runs: 12 });
    assert_eq!(file.copy_books_to(&database, &cancel).unwrap(), copied);
    database
        .write(|tx| {
            // What went further meanwhile stays, and what grew there is what it grew to.
            tx.save_run(&run(3, "undone"))?;
            tx.add_usage("2026-11-21", "openai", "small", &spent(1))
        })
        .unwrap();
    file.copy_books_to(&database, &cancel).unwrap();
    let (undone, cost) =
        database.read(|r| Ok((r.run("run-3")?.unwrap().state, r.usage_of("2026-11-21", "2026-11-21")?))).unwrap();
    assert_eq!((undone.as_str(), cost[0].spent), ("undone", spent(6)));
    database.write(|tx| tx.save_run(&run(3, "applied"))).unwrap();

    let (_other_folder, other) = sqlite_beside();
    database.copy_vectors_to(&other, &cancel, |_, _| ()).unwrap();
    let back = database.copy_books_to(&other, &cancel).unwrap();
    // Of a database that agents share a refusal is this agent's once the text is in its index.
    assert_eq!(back, BooksCopied { refusals: 0, ..copied });
    other.write(|tx| tx.save_run(&run(3, "applied"))).unwrap();
    let (usage, evidence) = other.read(|r| Ok((r.usage_of("", "9")?, r.count_evidence()?))).unwrap();
    assert_eq!((usage[0].spent.sent.requests, evidence), (9, file.read(|r| r.count_evidence()).unwrap()));
    file.write(|tx| tx.add_usage("2026-11-21", "openai", "small", &spent(1))).unwrap();
    assert_ne!(all(&file), expected, "the comparison sees a difference");
    assert_eq!(all(&other), all(&file));
    let clock = other.read(|r| r.consolidation_clock()).unwrap().unwrap();
    assert_eq!((clock.holder.as_str(), clock.until_ms), ("", 0), "nobody is at it there");
}
