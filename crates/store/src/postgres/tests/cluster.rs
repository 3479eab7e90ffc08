//! Servers that belong to one test, made of the programs of a server that other tests use: they may be killed, and be told
//! to be otherwise.

use std::{
    fs::{self, File, Permissions},
    net::TcpListener,
    os::unix::{
        fs::{PermissionsExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Instant,
};

use tempfile::TempDir;

use super::*;

/// How long a server may take, on a machine that is busy with other things.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Whom root runs a server as: it refuses to run as root.
type User = Option<(u32, u32)>;

/// A server of our own. Everybody is let in without a password who comes from this machine.
pub(super) struct Server {
    folder: TempDir,
    programs: PathBuf,
    pub(super) port: u16,
    user: User,
    process: Child,
    /// `name=value`, which hold from the next start on.
    pub(super) settings: Vec<String>,
}

impl Server {
    /// None, and one line that says so, where its programs are not on this machine.
    pub(super) fn start(url: &str) -> Option<Self> {
        let programs = programs(url)?;
        let (folder, user) = own_folder();
        let data = folder.path().join("data");
        let options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"];
        run(command(&programs.join("initdb"), user).args(options).arg(data));
        Some(Self::of(folder, programs, user))
    }

    /// One that follows this one, with what this one has now.
    pub(super) fn standby(&self) -> Self {
        let (folder, user) = own_folder();
        let port = self.port.to_string();
        let options =
            ["--host=127.0.0.1", "--username=postgres", "--write-recovery-conf", "--no-sync", "--port", &port];
        let mut copy = command(&self.programs.join("pg_basebackup"), user);
        run(copy.args(options).args(["--checkpoint=fast", "--pgdata"]).arg(folder.path().join("data")));
        Self::of(folder, self.programs.clone(), user)
    }

    fn of(folder: TempDir, programs: PathBuf, user: User) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = spawn(&folder, &programs, user, port, &[]);
        let mut server = Self { folder, programs, port, user, process, settings: Vec::new() };
        server.wait();
        server
    }

    /// Its address, on which nobody insists on anything.
    pub(super) fn url(&self) -> String {
        format!("postgresql://postgres:none@127.0.0.1:{}/postgres", self.port)
    }

    /// Ends it, and waits until it is gone.
    pub(super) fn stop(&mut self, signal: &str) {
        send(signal, self.process.id());
        self.process.wait().unwrap();
    }

    /// Starts it after it was stopped.
    pub(super) fn spawn(&mut self) {
        self.process = spawn(&self.folder, &self.programs, self.user, self.port, &self.settings);
    }

    /// Ends it at once, and starts it again as soon as its processes are gone.
    pub(super) fn kill(&mut self, signal: &str) {
        self.stop(signal);
        self.spawn();
    }

    /// Waits until it answers. It does not start while processes of the one before are there.
    pub(super) fn wait(&mut self) {
        let started = Instant::now();
        let options = Options { connect_timeout: Duration::from_secs(5), ..options(&self.url()) };
        while super::run(&database(&options), "SELECT 1").is_err() {
            assert!(started.elapsed() < PATIENCE, "the server does not start");
            if self.process.try_wait().unwrap().is_some() {
                self.spawn();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs one of its programs on its database, with a file in its folder.
    pub(super) fn program(&self, name: &str, args: &[&str], file: &str) {
        let port = self.port.to_string();
        let options = ["--host=127.0.0.1", "--username=postgres", "--dbname=postgres", "--port", &port];
        run(command(&self.programs.join(name), self.user).args(options).args(args).arg(self.folder.path().join(file)));
    }

    /// Puts a file among its own, which only it may read.
    pub(super) fn give(&self, name: &str, text: &[u8]) {
        let path = self.folder.path().join("data").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        if let Some((user, group)) = self.user {
            chown(&path, Some(user), Some(group)).unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            send("QUIT", self.process.id());
            let _ = self.process.wait();
        }
    }
}

/// Where the programs of a server are; none, and one line that says so, where they are not on this machine.
fn programs(url: &str) -> Option<PathBuf> {
    let sql = "SELECT setting FROM pg_catalog.pg_config WHERE name = 'BINDIR'";
    let row = database(&options(url)).transact(&Cancel::new(), &PLAIN, |tx| tx.row(sql, &[])).unwrap().unwrap();
    let programs = PathBuf::from(row.get::<_, &str>(0));
    if !programs.join("initdb").exists() {
        println!("skipped: the programs of the server are not on this machine");
        return None;
    }
    Some(programs)
}

/// A folder, and whose it is.
fn own_folder() -> (TempDir, User) {
    let number = |args: &[&str]| -> Option<u32> {
        let answer = Command::new("id").args(args).output().ok()?;
        String::from_utf8_lossy(&answer.stdout).trim().parse().ok()
    };
    let service = |name| Some((number(&["-u", name])?, number(&["-g", name])?));
    let user = (number(&["-u"]) == Some(0)).then(|| service("postgres").or_else(|| service("nobody")).unwrap());
    let folder = tempfile::tempdir().unwrap();
    if let Some((user, group)) = user {
        chown(folder.path(), Some(user), Some(group)).unwrap();
    }
    (folder, user)
}

fn command(program: &Path, user: User) -> Command {
    let mut command = Command::new(program);
    // Where its libraries lie that the machine need not have (scripts/postgres/debian.mjs).
    command.current_dir("/").env_clear().env("LC_ALL", "C").env("LD_LIBRARY_PATH", program.join("../../lib"));
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command
}

fn run(command: &mut Command) {
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

fn spawn(folder: &TempDir, programs: &Path, user: User, port: u16, settings: &[String]) -> Child {
    let log = File::options().create(true).append(true).open(folder.path().join("log")).unwrap();
    let mut server = command(&programs.join("postgres"), user);
    // What a killed process has written is in the memory of the machine: nothing has to reach the disk.
    server.args(["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-p"]);
    server.arg(port.to_string()).arg("-D").arg(folder.path().join("data"));
    server.args(settings.iter().flat_map(|setting| ["-c", setting]));
    server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

pub(super) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}
