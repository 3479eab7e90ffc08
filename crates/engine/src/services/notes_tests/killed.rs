//! Gateways that are killed in the middle of an exchange, and disks on which there is no room for one.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    time::Instant,
};

use super::{super::testing::open_call, *};
use model::error::Code;

/// Names the folder of the gateway that a child process is.
const FOLDER: &str = "MEMORY_NOTES_TEST_FOLDER";
/// Its settings.
const SETTINGS: &str = "MEMORY_NOTES_TEST_SETTINGS";
/// The address of its database.
const URL: &str = "MEMORY_NOTES_TEST_URL";

/// One pass of a gateway, until it is done or somebody kills it.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "runs only as a child process of the other tests"]
async fn another_gateway() {
    let Ok(folder) = std::env::var(FOLDER).map(PathBuf::from) else { return };
    let settings = serde_json::from_str(&std::env::var(SETTINGS).unwrap()).unwrap();
    let mut call = open_call(&folder, &settings);
    call.state_dir = folder.join("state");
    call.database_url = std::env::var(URL).ok().map(embed::secret::Secret::new);
    let engine = super::super::open(call).await.unwrap().unwrap();
    println!("\nopen");
    let call = SyncCall { reason: "test".into(), force: false, text_only: true };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap();
    println!("\ndone");
    engine.release().await;
}

/// A pass of this gateway in another process; it has opened its index by now, and does not wait.
fn pass_elsewhere(gateway: &Gateway) -> (Child, BufReader<std::process::ChildStdout>) {
    assert!(gateway.engine.is_none(), "one process at a time");
    let name = "services::notes_tests::killed::another_gateway";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(FOLDER, gateway.home.dir.path())
        .env(SETTINGS, gateway.settings.to_string())
        .env(URL, gateway.home.database.as_deref().unwrap())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    expect(&mut lines, "open");
    (child, lines)
}

/// Reads until the child says something; false when it ends before.
fn says(lines: &mut impl BufRead, word: &str) -> bool {
    let mut line = String::new();
    while line.trim() != word {
        line.clear();
        if lines.read_line(&mut line).unwrap() == 0 {
            return false;
        }
    }
    true
}

fn expect(lines: &mut impl BufRead, word: &str) {
    assert!(says(lines, word), "the other gateway ended without saying {word:?}");
}

/// New, changed and deleted notes under names that begin so, as a person makes them; `expected` is what is there then.
fn edit(gateway: &Gateway, expected: &mut Files, name: &str, round: usize, random: &mut fastrand::Rng) {
    for n in 0..24 {
        let note = format!("memory/{name}/{n}.md");
        let is_there = expected.contains_key(&note);
        match random.u8(..10) {
            0 if is_there => {
                gateway.remove(&note);
                expected.remove(&note);
            }
            1..7 => {
                let body = format!("Note {n} of {name} in round {round}. {}\n", "x".repeat(random.usize(..2_000)))
                    .into_bytes();
                gateway.put(&note, &body);
                expected.insert(note, body);
            }
            _ => {}
        }
    }
}

/// The files of a workspace, but for those that a killed process had only begun: nobody reads them, and they stay until nobody can be writing them any more.
fn whole(gateway: &Gateway) -> Files {
    let mut files = gateway.files();
    files.retain(|path, _| !path.ends_with(".tmp"));
    files
}

// What was written to the disk or the database and not noted down, by a process that no longer is: neither may that look like
// a change of somebody, nor be lost. MEMORY_CORE_TEST_KILLS says how often.
#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_is_killed_at_any_moment_of_an_exchange_loses_nothing_and_makes_no_conflict() {
    let Some(schema) = Schema::new() else { return };
    let rounds = std::env::var("MEMORY_CORE_TEST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut expected = Files::from([("memory/first.md".to_owned(), b"first".to_vec())]);
    let one = Gateway::new(&schema, &[("memory/first.md", "first")]).await;
    one.sync().await;
    one.engine().context.store().release_lease().unwrap();
    let mut two = Gateway::new(&schema, &[]).await;
    two.sync().await;
    two.stop().await;
    let (mut took, mut struck) = (Duration::ZERO, 0);
    for round in 0..=rounds {
        edit(&one, &mut expected, "one", round, &mut random);
        edit(&two, &mut expected, "two", round, &mut random);
        one.sync().await;
        one.engine().context.store().release_lease().unwrap();
        let began = Instant::now();
        let (mut child, mut lines) = pass_elsewhere(&two);
        if round == 0 {
            let opened = Instant::now();
            expect(&mut lines, "done");
            took = opened.elapsed();
            println!("a pass takes {took:?}, with its start {:?}", began.elapsed());
        } else {
            std::thread::sleep(took.mul_f64(random.f64()));
            child.kill().unwrap();
            struck += usize::from(!says(&mut lines, "done"));
        }
        child.wait().unwrap();
        two.start().await;
        for _ in 0..2 {
            two.sync().await;
            two.engine().context.store().release_lease().unwrap();
            one.sync().await;
            one.engine().context.store().release_lease().unwrap();
        }
        for gateway in [&one, &two] {
            let there = whole(gateway);
            assert_eq!(texts(&there), texts(&expected), "round {round}");
            assert!(there == expected, "round {round}");
        }
        two.stop().await;
    }
    println!("{struck} of {rounds} kills struck a pass");
    assert!(struck > 0, "no kill struck a pass");
}

// A folder on a disk of its own that is too small for what the database has.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_exchange_that_the_disk_has_no_room_for_is_told_and_goes_on_with_room() {
    let Some(schema) = Schema::new() else { return };
    let mount = |args: &[&str]| Command::new("mount").args(args).stderr(Stdio::null()).status();
    let one = Gateway::new(&schema, &[]).await;
    for n in 0..40 {
        one.put(&format!("memory/{n}.md"), format!("Note {n}. {}", "lantern ".repeat(2_500)).as_bytes());
    }
    one.sync().await;
    one.engine().context.store().release_lease().unwrap();
    let two = Gateway::new(&schema, &[]).await;
    let workspace = two.home.workspace();
    std::fs::create_dir_all(&workspace).unwrap();
    let place = workspace.to_str().unwrap();
    if !mount(&["-t", "tmpfs", "-o", "size=400k", "tmpfs", place]).is_ok_and(|status| status.success()) {
        println!("skipped: a small disk needs the right to mount");
        return;
    }
    let call = || SyncCall { reason: "test".into(), force: false, text_only: true };
    let full = two.engine().indexer.sync(call(), Cancel::new(), None).await;
    let there = two.files();
    let are_whole =
        there.iter().filter(|(path, _)| path.ends_with(".md")).all(|(path, body)| one.files().get(path) == Some(body));
    let more = mount(&["-o", "remount,size=8m", place]);
    let mended = two.engine().indexer.sync(call(), Cancel::new(), None).await;
    let (ours, theirs) = (two.files(), one.files());
    // Before anything is asserted: the folder is to be deleted.
    assert!(Command::new("umount").arg(place).status().unwrap().success());
    let full = full.expect_err("there was room");
    assert!(full.code() == Code::DiskFull && full.remedy.is_some(), "{full}");
    assert!(!there.is_empty() && there.len() < 40 && are_whole, "{} notes are there, whole: {are_whole}", there.len());
    assert!(more.unwrap().success());
    assert_eq!(mended.unwrap().warning, None);
    assert_eq!(texts(&ours), texts(&theirs));
}
