use std::fs;

use super::*;
use crate::workspace::roots::Limits;

struct Workspace {
    folder: tempfile::TempDir,
}

impl Workspace {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("temporary folder") }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("ws").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn roots(&self, extra: &[&str], limits: Limits) -> Roots {
        let extra: Vec<String> = extra.iter().map(|path| (*path).to_owned()).collect();
        Roots::new(&self.at(""), &extra, limits)
    }

    fn discover(&self, extra: &[&str]) -> Discovery {
        discover(&self.roots(extra, Limits::default()))
    }
}

fn paths(discovery: &Discovery) -> Vec<&str> {
    discovery.entries.iter().map(|entry| entry.path.as_str()).collect()
}

fn skips(discovery: &Discovery) -> Vec<(&str, SkipCode)> {
    let mut skips: Vec<_> = discovery.skipped.records.iter().map(|skip| (skip.path.as_str(), skip.code)).collect();
    skips.sort_unstable_by_key(|(path, _)| *path);
    skips
}

#[test]
fn a_missing_workspace_is_told_and_counts_as_an_empty_one() {
    let ws = Workspace::new();
    let found = ws.discover(&[]);
    assert!(found.entries.is_empty() && found.uncertain.is_empty());
    let [skipped] = found.skipped.records.as_slice() else { panic!("{:?}", found.skipped) };
    assert_eq!(skipped.code, SkipCode::Missing);
    assert!(Path::new(&skipped.path).is_absolute(), "{}", skipped.path);
}

// Two gateways took it out of their index in turns, and no database kept it.
#[cfg(unix)]
#[test]
fn a_name_that_no_database_keeps_is_told_where_one_keeps_the_notes() {
    let ws = Workspace::new();
    for path in ["memory/tab\tname.md", "memory/new\nline.md", "memory/é.md", "extra/a\tb.md"] {
        ws.write(path, "text");
    }
    let mut roots = ws.roots(&["extra"], Limits::default());
    assert_eq!(discover(&roots).entries.len(), 4);
    roots.are_exchanged = true;
    let found = discover(&roots);
    assert_eq!(paths(&found), ["extra/a\tb.md", "memory/é.md"]);
    assert_eq!(
        skips(&found),
        [("memory/new\nline.md", SkipCode::InvalidName), ("memory/tab\tname.md", SkipCode::InvalidName)]
    );
    assert!(look_at(&roots, &ws.at("memory/tab\tname.md")).is_none());
    assert!(look_at(&roots, &ws.at("memory/é.md")).is_some());
    // The database takes no longer one either.
    let long = format!("memory/{}a.md", format!("{}/", "x".repeat(200)).repeat(6));
    ws.write(&long, "text");
    assert!(skips(&discover(&roots)).contains(&(long.as_str(), SkipCode::InvalidName)));
    roots.are_exchanged = false;
    assert!(paths(&discover(&roots)).contains(&long.as_str()));
}

#[test]
fn root_files_and_all_markdown_below_memory_are_found_sorted() {
    let ws = Workspace::new();
    for path in ["MEMORY.md", "memory.md", "USER.md", "memory/2026-01-02.md", "memory/a/b/c.md", "memory/.hidden.md"] {
        ws.write(path, path);
    }
    for path in ["AGENTS.md", "DREAMS.md", "memory/x.txt", "memory/x.MD", "notes/n.md", "Memory.md"] {
        ws.write(path, path);
    }
    let found = ws.discover(&[]);
    let expected =
        ["MEMORY.md", "USER.md", "memory.md", "memory/.hidden.md", "memory/2026-01-02.md", "memory/a/b/c.md"];
    assert_eq!(paths(&found), expected);
    assert_eq!(found.entries[0].size, 9);
    assert!(found.entries[0].mtime_ns > 1_600_000_000_000_000_000);
    assert_eq!(skips(&found), [("memory/x.MD", SkipCode::NotMarkdown)]);
}

#[test]
fn ignored_folders_are_not_entered_and_reported_once() {
    let ws = Workspace::new();
    for folder in ["node_modules", ".git", "a/.venv"] {
        ws.write(&format!("memory/{folder}/deep/x.md"), "x");
    }
    let found = ws.discover(&[]);
    assert!(found.entries.is_empty());
    let ignored = SkipCode::Ignored;
    assert_eq!(
        skips(&found),
        [("memory/.git", ignored), ("memory/a/.venv", ignored), ("memory/node_modules", ignored)]
    );
}

#[test]
fn extra_paths_are_files_folders_and_globs_and_each_file_counts_once() {
    let ws = Workspace::new();
    let outside = ws.folder.path().join("team");
    fs::create_dir_all(outside.join("sub")).expect("folders");
    for name in ["a.md", "b.txt", "sub/c.md"] {
        fs::write(outside.join(name), "x").expect("written");
    }
    for path in ["memory/m.md", "docs/one/x.md", "docs/two/y.md", "docs/z.md", "single.md"] {
        ws.write(path, "x");
    }
    let outside_text = outside.display().to_string();
    let extra = ["../team", &outside_text, "memory", "./memory/m.md", "docs/*/*.md", "single.md", "../team/a.md"];
    let found = ws.discover(&extra);
    let (a, c) = (format!("{outside_text}/a.md"), format!("{outside_text}/sub/c.md"));
    assert_eq!(paths(&found), [&a, &c, "docs/one/x.md", "docs/two/y.md", "memory/m.md", "single.md"]);
    assert!(found.skipped.records.is_empty(), "{:?}", found.skipped);
}

#[test]
fn extra_paths_that_cannot_be_used_are_named() {
    let ws = Workspace::new();
    ws.write("a.txt", "x");
    let found = ws.discover(&["nowhere", "a.txt", "{open"]);
    assert_eq!(
        skips(&found),
        [("a.txt", SkipCode::NotMarkdown), ("nowhere", SkipCode::Missing), ("{open", SkipCode::InvalidPattern)]
    );
}

#[test]
fn too_large_too_deep_and_too_many_are_left_out_with_a_reason() {
    let ws = Workspace::new();
    ws.write("memory/big.md", &"x".repeat(101));
    ws.write("memory/d1/d2/ok.md", "x");
    ws.write("memory/d1/d2/d3/deep.md", "x");
    let limits = Limits { file_bytes: 100, depth: 3, ..Limits::default() };
    let found = discover(&ws.roots(&[], limits));
    assert_eq!(paths(&found), ["memory/d1/d2/ok.md"]);
    assert_eq!(skips(&found), [("memory/big.md", SkipCode::TooLarge), ("memory/d1/d2/d3", SkipCode::TooDeep)]);
    assert!(found.skipped.records.iter().any(|skip| skip.reason == "101 bytes, the limit is 100 bytes"));

    for at in 0..10 {
        ws.write(&format!("memory/n{at}.md"), "x");
    }
    let found = discover(&ws.roots(&[], Limits { files: 4, ..Limits::default() }));
    assert_eq!(found.entries.len(), 4);
    assert_eq!(found.skipped.records.iter().filter(|skip| skip.code == SkipCode::TooMany).count(), 9);
    let found = discover(&ws.roots(&[], Limits { entries: 3, ..Limits::default() }));
    assert!(found.skipped.records.iter().any(|skip| skip.code == SkipCode::TooMany));
}

#[test]
fn a_folder_named_like_a_memory_file_is_reported_and_not_fatal() {
    let ws = Workspace::new();
    ws.write("MEMORY.md/inner.md", "x");
    ws.write("memory/folder.md/inner.md", "x");
    let found = ws.discover(&[]);
    assert_eq!(paths(&found), ["memory/folder.md/inner.md"]);
    assert_eq!(skips(&found), [("MEMORY.md", SkipCode::NotRegular), ("memory/folder.md", SkipCode::NotRegular)]);
}

#[test]
fn what_could_not_be_looked_at_is_uncertain_and_nothing_else() {
    let found = Discovery { uncertain: vec!["memory/locked".into(), "/srv".into()], ..Discovery::default() };
    assert!(
        found.is_uncertain("memory/locked/a.md")
            && found.is_uncertain("memory/locked")
            && found.is_uncertain("/srv/x.md")
    );
    assert!(!found.is_uncertain("memory/locked2.md") && !found.is_uncertain("memory/a.md"));
}

#[cfg(unix)]
mod unix {
    use std::os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener};

    use super::*;

    #[test]
    fn links_are_reported_and_never_followed() {
        let ws = Workspace::new();
        ws.write("elsewhere/secret.md", "x");
        ws.write("memory/real.md", "x");
        symlink(ws.at("elsewhere/secret.md"), ws.at("USER.md")).expect("link");
        symlink(ws.at("elsewhere/secret.md"), ws.at("memory/file.md")).expect("link");
        symlink(ws.at("elsewhere"), ws.at("memory/folder")).expect("link");
        symlink(ws.at("memory"), ws.at("memory/loop")).expect("link");
        symlink(ws.at("elsewhere"), ws.at("extra")).expect("link");
        let found = ws.discover(&["extra"]);
        assert_eq!(paths(&found), ["memory/real.md"]);
        let names: Vec<&str> = skips(&found).iter().map(|(path, _)| *path).collect();
        assert_eq!(names, ["USER.md", "extra", "memory/file.md", "memory/folder", "memory/loop"]);
        assert!(skips(&found).iter().all(|(_, code)| *code == SkipCode::Link));
    }

    #[test]
    fn a_linked_memory_folder_is_reported_but_a_linked_workspace_is_the_users_choice() {
        let ws = Workspace::new();
        ws.write("real/a.md", "x");
        symlink(ws.at("real"), ws.at("memory")).expect("link");
        assert_eq!(skips(&ws.discover(&[])), [("memory", SkipCode::Link)]);

        let target = Workspace::new();
        target.write("memory/a.md", "x");
        let link = ws.folder.path().join("linked");
        symlink(target.at(""), &link).expect("link");
        assert_eq!(paths(&discover(&Roots::new(&link, &[], Limits::default()))), ["memory/a.md"]);
    }

    #[test]
    fn pipes_sockets_and_names_without_meaning_are_reported() {
        let ws = Workspace::new();
        ws.write("memory/a.md", "x");
        let listener = UnixListener::bind(ws.at("memory/socket.md"));
        let invalid = ws.at("memory").join(std::ffi::OsStr::from_bytes(b"bad\xff.md"));
        fs::write(&invalid, "x").expect("written");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            ws.at("memory/pipe.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .expect("pipe");
        let found = ws.discover(&[]);
        assert_eq!(paths(&found), ["memory/a.md"]);
        let codes: Vec<SkipCode> = skips(&found).iter().map(|(_, code)| *code).collect();
        assert_eq!(codes, [SkipCode::InvalidName, SkipCode::NotRegular, SkipCode::NotRegular]);
        drop(listener);
    }

    #[test]
    fn files_that_differ_in_case_or_composition_only_are_different_files() {
        let ws = Workspace::new();
        ws.write("memory/Note.md", "1");
        ws.write("memory/note.md", "2");
        ws.write("memory/caf\u{e9}.md", "3");
        ws.write("memory/cafe\u{301}.md", "4");
        assert_eq!(ws.discover(&[]).entries.len(), 4);
    }
}
