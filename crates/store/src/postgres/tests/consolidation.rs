//! Claims, their evidence and runs: the same on both stores.

use proptest::prelude::*;

use super::*;
use crate::{
    consolidation::{Claim, Clock, Evidence, RunRow, Use},
    unsaid::Unsaid,
};
use model::error::Result;

/// What is done to both stores. Gives what the operation gives.
#[derive(Debug, Clone)]
enum Step {
    Add(u8, u8, Vec<u8>, bool),
    Trim(u8, usize),
    DropBatch(u8),
    Withdraw(Vec<u8>, bool),
    Forget(Vec<u8>, Vec<u8>, Vec<u8>),
    Unsay(Vec<(u8, u8)>, bool),
    Save(u8, u8),
    TrimRuns(usize),
    Scrub,
    Clock(u8),
}

const ORIGINS: [&str; 4] = ["owner", "agent", "untrusted", "system"];
const PATHS: [&str; 5] = ["", "a.md", "notes/a.md", "notes/b.md", "notesx/c.md"];

fn day(n: u8) -> String {
    format!("2026-11-{:02}", n % 30)
}

fn id(n: u8) -> String {
    format!("claim-{}", char::from(b'A' + n % 8))
}

fn evidence(name: u8, n: u8, uses: &[u8]) -> Evidence {
    let claim = Claim {
        id: id(name),
        text: format!("text\0 {n}"),
        path: PATHS[usize::from(n % 5)].to_owned(),
        line: u32::from(n),
        origin: ORIGINS[usize::from(n / 5 % 4)].to_owned(),
        requested: n.is_multiple_of(7),
        importance: n.is_multiple_of(2).then_some(n % 10),
        triggers: n.is_multiple_of(3).then(|| format!("trigger {n}")),
        first_ms: i64::from(n),
        last_ms: i64::from(n % 40) + 100,
        withdrawn: false,
    };
    let used = |n: &u8| Use {
        kind: ["said", "asked", "found"][usize::from(n % 3)].to_owned(),
        mark: format!("m{}", n % 4),
        day: day(*n),
    };
    Evidence { claim, uses: uses.iter().map(used).collect() }
}

fn run(name: u8, n: u8) -> RunRow {
    RunRow {
        id: format!("run-{}", name % 6),
        state: ["planned", "applying", "applied"][usize::from(n % 3)].to_owned(),
        started_ms: i64::from(n % 5),
        month: format!("2026-{:02}", n % 3 + 1),
        plan: if n.is_multiple_of(4) { "{}".to_owned() } else { format!("{{\"of\":\"{}\"}}", id(n)) },
        images: n.is_multiple_of(3).then(|| format!("[\"{}\"]", id(n / 3))),
        input_tokens: u64::from(n % 2),
        output_tokens: u64::from(n % 4 / 2),
    }
}

/// Both stores have the operations, and no type in common yet.
macro_rules! apply {
    ($tx:expr, $step:expr) => {{
        let (tx, step): (_, &Step) = (&*$tx, $step);
        let ids = |names: &[u8]| names.iter().map(|n| id(*n)).collect::<Vec<_>>();
        let work = || -> Result<usize> {
            match step {
                Step::Add(name, n, uses, replayed) => {
                    tx.add_evidence(
                        &evidence(*name, *n, uses),
                        &if *replayed { format!("b{}", n % 3) } else { String::new() },
                    )?;
                }
                Step::Trim(n, most) => tx.trim_evidence(&day(*n), *most)?,
                Step::DropBatch(n) => {
                    return tx.drop_batch(&if *n == 9 { String::new() } else { format!("b{}", n % 3) });
                }
                Step::Withdraw(names, withdrawn) => tx.withdraw_claims(&ids(names), *withdrawn)?,
                Step::Forget(names, paths, conversations) => {
                    let below = ["notes", "a.md", "notes/a.md", ""];
                    let paths: Vec<String> = paths.iter().map(|n| below[usize::from(n % 4)].to_owned()).collect();
                    let conversations: Vec<String> = conversations.iter().map(|n| format!("m{}", n % 4)).collect();
                    return tx.forget_claims(&ids(names), &paths, &conversations);
                }
                Step::Unsay(said, for_good) => {
                    let unsaid = |(name, n): &(u8, u8)| Unsaid {
                        claim: id(*name),
                        mark: format!("m{}", n % 4),
                        day: day(*n),
                        note: PATHS[usize::from(n % 5)].to_owned(),
                        requested: n.is_multiple_of(2),
                        for_good: *for_good,
                    };
                    tx.unsay(&said.iter().map(unsaid).collect::<Vec<_>>())?;
                }
                Step::Save(name, n) => tx.save_run(&run(*name, *n))?,
                Step::TrimRuns(keep) => tx.trim_runs(*keep)?,
                Step::Scrub => tx.scrub_runs()?,
                Step::Clock(n) => tx.set_consolidation_clock(&Clock {
                    schedule: format!("{n} 3 * * *"),
                    due_ms: i64::from(*n),
                    holder: format!("h{n}"),
                    until_ms: 7,
                })?,
            }
            Ok(0)
        };
        work()
    }};
}

#[derive(Debug, PartialEq)]
struct Seen {
    evidence: Vec<Vec<Evidence>>,
    counts: (u64, u64),
    batch: Option<String>,
    runs: Vec<RunRow>,
    last: Vec<RunRow>,
    one: Option<RunRow>,
    naming: Vec<RunRow>,
    tokens: Vec<(String, u64, u64)>,
    clock: Option<Clock>,
}

macro_rules! seen {
    ($reader:expr) => {{
        let reader = $reader;
        let read = || -> Result<Seen> {
            let since = |day: &str| -> Result<Vec<Evidence>> {
                let mut all = reader.evidence(day)?;
                for one in &mut all {
                    one.uses.sort_by(|a, b| (&a.kind, &a.mark, &a.day).cmp(&(&b.kind, &b.mark, &b.day)));
                }
                Ok(all)
            };
            Ok(Seen {
                evidence: vec![since("2026-01-01")?, since("2026-11-15")?],
                counts: reader.count_evidence()?,
                batch: reader.last_batch()?,
                runs: reader.runs(usize::MAX >> 1)?,
                last: reader.runs(2)?,
                one: reader.run("run-1")?,
                naming: reader.runs_naming(&[id(0), id(3)])?,
                tokens: reader.run_tokens()?,
                clock: reader.consolidation_clock()?,
            })
        };
        read()
    }};
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let few = || proptest::collection::vec(any::<u8>(), 0..4);
    let step = prop_oneof![
        8 => (any::<u8>(), any::<u8>(), few(), any::<bool>()).prop_map(|(name, n, uses, replayed)| Step::Add(name, n, uses, replayed)),
        1 => (any::<u8>(), 0..8_usize).prop_map(|(n, most)| Step::Trim(n, most)),
        1 => (0..10_u8).prop_map(Step::DropBatch),
        2 => (few(), any::<bool>()).prop_map(|(names, withdrawn)| Step::Withdraw(names, withdrawn)),
        1 => (few(), few(), few()).prop_map(|(names, paths, said)| Step::Forget(names, paths, said)),
        2 => (proptest::collection::vec(any::<(u8, u8)>(), 0..4), any::<bool>()).prop_map(|(said, good)| Step::Unsay(said, good)),
        5 => (any::<u8>(), any::<u8>()).prop_map(|(name, n)| Step::Save(name, n)),
        1 => (0..4_usize).prop_map(Step::TrimRuns),
        1 => Just(Step::Scrub),
        1 => any::<u8>().prop_map(Step::Clock),
    ];
    proptest::collection::vec(step, 1..30)
}

#[test]
fn both_stores_keep_the_same_of_consolidation() {
    let Some((_place, schema, database)) = prepared() else { return };
    // What one agent keeps is nothing to another.
    let other = open(&database, &schema, "other");
    let config = cases(32, file!());
    proptest!(config, |(steps in steps())| {
        let (_folder, sqlite) = sqlite_beside();
        let agent = open(&database, &schema, &Uuid::new_v4().to_string());
        for step in &steps {
            let same = step.clone();
            let expected = sqlite.write(move |tx| apply!(tx, &same)).unwrap();
            prop_assert_eq!(agent.write(|tx| apply!(tx, step)).unwrap(), expected, "{:?}", step);
        }
        let expected: Result<Seen> = sqlite.read(|reader| seen!(reader));
        let found: Result<Seen> = agent.read(&Cancel::new(), |reader| seen!(reader));
        prop_assert_eq!(found.unwrap(), expected.unwrap());
        sqlite.close();
    });
    let found: Result<Seen> = other.read(&Cancel::new(), |reader| seen!(reader));
    let found = found.unwrap();
    assert!(found.counts == (0, 0) && found.runs.is_empty() && found.clock.is_none());
}
