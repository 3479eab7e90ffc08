//! Several processes on one index, full and read-only disks. Other processes are this test binary again, in the role
//! that an environment variable names.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use super::*;
use crate::lease::{self, Lease};
use model::error::Code;

/// Names the role of a child process.
const ROLE: &str = "MEMORY_STORE_TEST_ROLE";
/// Path of the index for a child process.
const INDEX: &str = "MEMORY_STORE_TEST_INDEX";

/// A child process that plays a role.
struct Player {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Player {
    fn command(role: &str, index: &Path) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "tests::processes::child", "--ignored", "--nocapture"]);
        Self::set_up(&mut command, role, index);
        command
    }

    fn set_up(command: &mut Command, role: &str, index: &Path) {
        command.env(ROLE, role).env(INDEX, index).stdin(Stdio::null()).stdout(Stdio::piped());
    }

    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Reads until the child says something.
    fn expect(&mut self, word: &str) {
        let mut line = String::new();
        while line.trim() != word {
            line.clear();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "the child ended without saying {word:?}");
        }
    }

    fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        // It may have ended already, which is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side of the tests below.
#[test]
#[ignore = "runs only as a child process of the other tests"]
fn child() {
    let Ok(role) = env::var(ROLE) else { return };
    let path = PathBuf::from(env::var_os(INDEX).unwrap());
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    match role.as_str() {
        "index until the lease is lost" => {
            assert!(matches!(store.acquire_lease().unwrap(), Lease::Held { .. }));
            println!("\nheld");
            let lost = loop {
                if let Err(error) = store.write_indexed(|tx| tx.set_meta("child", "wrote")) {
                    break error;
                }
            };
            assert_eq!(lost.code(), Code::Busy);
            println!("\nlost");
        }
        "count" => {
            for _ in 0..100 {
                store.write(count).unwrap();
            }
            println!("\ndone");
        }
        "fill the disk" => {
            let mut n = 0;
            let error = loop {
                let text = format!("{n} {}", "filler ".repeat(2000));
                n += 1;
                let write = store.write(move |tx| {
                    let generation = tx.begin_building("test")?.id;
                    tx.replace_file(generation, &file(&format!("{n}.md")), &[chunk(&text)])
                });
                if let Err(error) = write {
                    break error;
                }
            };
            assert_eq!(error.code(), Code::DiskFull, "{error:?}");
            let found = store.read(|r| r.live_file_count()).unwrap();
            assert_eq!(found, n - 1, "searches see all that was committed");
            println!("\nfull");
        }
        "read only" => {
            assert_eq!(store.refusal().unwrap().code(), Code::ReadOnly);
            assert_eq!(store.write(|tx| tx.set_meta("k", "v")).unwrap_err().code(), Code::ReadOnly);
            assert_eq!(store.read(|r| r.live_file_count()).unwrap(), 1);
            println!("\nread");
        }
        other => panic!("unknown role {other}"),
    }
}

impl crate::Reader<'_> {
    /// Number of files in the live generation.
    fn live_file_count(&self) -> model::error::Result<usize> {
        self.live()?.map_or(Ok(0), |live| self.files(live.id, "memory").map(|files| files.len()))
    }
}

/// Reads a counter and writes it back, one higher.
fn count(tx: &mut crate::Tx<'_>) -> model::error::Result<()> {
    let n: u32 = tx.meta("count")?.map_or(0, |text| text.parse().unwrap());
    tx.set_meta("count", &(n + 1).to_string())
}

#[test]
fn writers_of_several_processes_lose_no_update_and_see_no_lock() {
    let fixture = Fixture::<Sqlite>::new();
    let mut players: Vec<_> =
        (0..3).map(|_| Player::start(Player::command("count", &fixture.backend.path()))).collect();
    for _ in 0..100 {
        fixture.store.write(count).unwrap();
    }
    for player in &mut players {
        player.expect("done");
    }
    assert_eq!(fixture.store.read(|r| r.meta("count")).unwrap().as_deref(), Some("400"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_indexer_is_replaced_at_once() {
    let fixture = Fixture::<Sqlite>::new();
    let store = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    let mut player = Player::start(Player::command("index until the lease is lost", &fixture.backend.path()));
    player.expect("held");
    let Lease::HeldBy(row) = store.acquire_lease().unwrap() else { panic!("two indexers") };
    assert_eq!(row.owner.pid, player.child.id());
    assert_eq!(store.write_indexed(|_| Ok(())).unwrap_err().code(), Code::Busy);
    player.child.kill().unwrap();
    player.child.wait().unwrap();
    assert_eq!(store.acquire_lease().unwrap(), Lease::Held { token: row.token + 1 });
    store.write_indexed(|tx| tx.set_meta("k", "v")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_stopped_indexer_is_replaced_and_cannot_write_afterwards() {
    use model::clock::now_ms;
    let fixture = Fixture::<Sqlite>::new();
    let mut player = Player::start(Player::command("index until the lease is lost", &fixture.backend.path()));
    player.expect("held");
    player.signal("-STOP");
    // It may have been stopped inside a transaction; then its lock is waited for like any other. A child that goes on
    // for a moment may renew its lease, so our clock is moved past the newest renewal before every attempt.
    let taken = loop {
        fixture.clock.set_ms(now_ms() + lease::VALID_MS + 1);
        match fixture.store.acquire_lease() {
            Ok(lease) => break lease,
            Err(error) => {
                assert_eq!(error.code(), Code::Busy);
                player.signal("-CONT");
                std::thread::sleep(std::time::Duration::from_millis(5));
                player.signal("-STOP");
            }
        }
    };
    assert_eq!(taken, Lease::Held { token: 2 });
    player.signal("-CONT");
    player.expect("lost");
    assert_eq!(fixture.store.acquire_lease().unwrap(), Lease::Held { token: 2 });
}

#[cfg(unix)]
#[test]
fn a_full_disk_stops_writes_but_not_searches() {
    let fixture = Fixture::<Sqlite>::new();
    fixture.store.close();
    // A file-size limit is what every system has; the signal that comes with it is ignored, as Node does.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$0\" \"$@\""]).arg(env::current_exe().unwrap());
    command.args(["--exact", "tests::processes::child", "--ignored", "--nocapture"]);
    Player::set_up(&mut command, "fill the disk", &fixture.backend.path());
    Player::start(command).expect("full");
    let store = Store::open(&fixture.backend.path(), OpenOptions::default()).unwrap();
    store.file().unwrap().verify(&model::cancel::Cancel::new()).unwrap();
    store.write(|tx| tx.set_meta("k", "v")).unwrap();
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_searched_but_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::<Sqlite>::new();
    fixture.put("a.md", &["one"]);
    fixture.store.close();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&fixture.backend.path(), 0o444);
    set(fixture.backend.dir.path(), 0o555);
    let mut command = Player::command("read only", &fixture.backend.path());
    #[cfg(target_os = "linux")]
    heed_permissions(&mut command);
    Player::start(command).expect("read");
    set(fixture.backend.dir.path(), 0o755);
}

/// Lets permissions stop a program also when root starts it: it gives up the right to pass over them. Another user might
/// not be let in where this binary or the temporary folder lies.
#[cfg(target_os = "linux")]
fn heed_permissions(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    /// `CAP_DAC_OVERRIDE` of `linux/capability.h`.
    const PASS_OVER_PERMISSIONS: libc::c_ulong = 1;
    #[expect(unsafe_code, reason = "there is no safe way to limit a child")]
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            // Whoever may not give it up does not have it.
            libc::prctl(libc::PR_CAPBSET_DROP, PASS_OVER_PERMISSIONS, 0, 0, 0);
            Ok(())
        });
    }
}
