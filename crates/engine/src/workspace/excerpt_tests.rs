use std::{fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::workspace::roots::Limits;

const SETTINGS: ExcerptSettings = ExcerptSettings { lines: 120, chars: 12_000 };

/// A workspace beside a secret that must never be read.
struct Place {
    folder: tempfile::TempDir,
    roots: Roots,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("temporary folder");
    let root = folder.path().canonicalize().expect("real");
    for (path, text) in [
        ("ws/MEMORY.md", "curated"),
        ("ws/memory/a.md", "note"),
        ("ws/memory/sub/b.md", "deep"),
        ("ws/AGENTS.md", "SECRET"),
        ("ws/other/x.md", "SECRET"),
        ("secret.md", "SECRET"),
        ("secret/x.md", "SECRET"),
        ("team/t.md", "team"),
        ("team/t.txt", "SECRET"),
        ("team2/t.md", "SECRET"),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, text).expect("written");
    }
    let roots =
        Roots::new(&root.join("ws"), &["../team".to_owned()], Limits { file_bytes: 100_000, ..Limits::default() });
    Place { folder, roots }
}

impl Place {
    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("real").join(path)
    }

    fn get(&self, path: &str) -> Result<Excerpt> {
        read_excerpt(&self.roots, &ExcerptRequest { path: path.to_owned(), ..Default::default() }, SETTINGS)
    }

    fn text(&self, path: &str) -> String {
        self.get(path).expect("readable").text
    }
}

#[test]
fn files_of_the_area_are_read_by_relative_and_absolute_path() {
    let place = place();
    for (path, text, name) in [
        ("MEMORY.md", "curated", "MEMORY.md"),
        (" memory/a.md ", "note", "memory/a.md"),
        ("./memory//sub/./b.md", "deep", "memory/sub/b.md"),
        ("memory/a.md/", "note", "memory/a.md"),
        ("memory/../MEMORY.md", "curated", "MEMORY.md"),
        ("../ws/memory/a.md", "note", "memory/a.md"),
    ] {
        let excerpt = place.get(path).expect(path);
        assert_eq!((excerpt.text.as_str(), excerpt.path.as_str()), (text, name), "{path}");
        assert_eq!(excerpt.status, ExcerptStatus::Ok);
    }
    let team = place.at("team/t.md").display().to_string();
    assert_eq!(place.text(&team), "team");
    assert_eq!(place.get("../team/t.md").expect("extra path").path, team);
}

/// Whatever the shape, nothing outside the memory is read.
#[test]
fn every_other_shape_of_path_is_refused() {
    let place = place();
    let outside = place.at("secret.md").display().to_string();
    let long = format!("{}.md", "x".repeat(4096));
    for path in [
        "",
        "   ",
        "..",
        ".",
        "/",
        "memory",
        "memory/",
        "memory/a",
        "memory/a.txt",
        "memory/a.md.",
        "memory/a.md\0",
        "memory/\0/../../secret.md",
        "AGENTS.md",
        "other/x.md",
        "Memory.md/../AGENTS.md",
        "../secret.md",
        "../secret/x.md",
        "memory/../../secret.md",
        "memory/../AGENTS.md",
        "memory/sub/../../../secret.md",
        "memory./a.md",
        "memory /a.md",
        "Memory/a.md",
        "MEMORY.MD",
        "../team/t.txt",
        "../team2/t.md",
        "../team/../secret.md",
        "/etc/passwd",
        "/etc/passwd.md",
        "//etc/x.md",
        "/proc/self/environ.md",
        outside.as_str(),
        "C:\\secret.md",
        "C:/secret.md",
        "c:secret.md",
        "\\\\?\\C:\\memory\\a.md",
        "\\\\server\\share\\a.md",
        "\\\\.\\pipe\\a.md",
        "memory\\..\\..\\secret.md",
        "..\\secret.md",
        "file:///etc/passwd.md",
        "file://memory/a.md",
        "http://x/memory/a.md",
        "%2e%2e/secret.md",
        "~/secret.md",
        "$HOME/secret.md",
        "\u{ff0e}\u{ff0e}/secret.md",
        "sessions/s.jsonl",
        long.as_str(),
    ] {
        let error = match place.get(path) {
            Ok(excerpt) => panic!("{path:?} gave {excerpt:?}"),
            Err(error) => error,
        };
        assert_eq!((error.code(), error.message.as_str()), (Code::Path, "path required"), "{path:?}");
        assert!(error.remedy.is_some_and(|remedy| remedy.len() < 400), "{path:?}");
    }
}

#[test]
fn what_does_not_exist_is_empty_and_no_error() {
    let place = place();
    let long_name = format!("memory/{}.md", "x".repeat(4096));
    for path in ["USER.md", "memory/none.md", "memory/no/such.md", "memory/a.md/b.md", "memory/%2e%2e/x.md", &long_name]
    {
        let excerpt = place.get(path).expect(path);
        assert_eq!((excerpt.status, excerpt.text.as_str()), (ExcerptStatus::NotFound, ""), "{path}");
    }
    let json = serde_json::to_value(place.get("USER.md").expect("missing")).expect("plain");
    assert_eq!(json, serde_json::json!({"status": "not_found", "text": "", "path": "USER.md"}));
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let place = place();
    fs::write(place.at("ws/memory/big.md"), vec![b'x'; 100_001]).expect("written");
    let error = place.get("memory/big.md").expect_err("too large");
    assert!(error.message.contains("100000 bytes"), "{error}");
}

#[test]
fn names_match_however_their_accents_are_composed_and_exactly_if_both_exist() {
    let place = place();
    fs::create_dir(place.at("ws/memory/re\u{301}sume\u{301}")).expect("folder");
    fs::write(place.at("ws/memory/re\u{301}sume\u{301}/cafe\u{301}.md"), "decomposed").expect("written");
    assert_eq!(place.text("memory/r\u{e9}sum\u{e9}/caf\u{e9}.md"), "decomposed");
    fs::write(place.at("ws/memory/re\u{301}sume\u{301}/caf\u{e9}.md"), "composed").expect("written");
    assert_eq!(place.text("memory/r\u{e9}sum\u{e9}/caf\u{e9}.md"), "composed");
    assert_eq!(place.text("memory/r\u{e9}sum\u{e9}/cafe\u{301}.md"), "decomposed");
    assert_eq!(place.text("memory/na\u{ef}ve.md"), "");
}

#[cfg(unix)]
mod unix {
    use std::{
        os::unix::{fs::symlink, net::UnixListener},
        sync::atomic::{AtomicBool, Ordering},
    };

    use super::*;

    #[test]
    fn links_at_every_depth_are_refused() {
        let place = place();
        symlink(place.at("secret.md"), place.at("ws/USER.md")).expect("link");
        symlink(place.at("secret.md"), place.at("ws/memory/file.md")).expect("link");
        symlink(place.at("nowhere.md"), place.at("ws/memory/dangling.md")).expect("link");
        symlink(place.at("secret"), place.at("ws/memory/folder")).expect("link");
        symlink(place.at("secret"), place.at("ws/memory/sub/folder")).expect("link");
        symlink(place.at("secret"), place.at("team/folder")).expect("link");
        symlink("loop.md", place.at("ws/memory/loop.md")).expect("link");
        for path in [
            "USER.md",
            "memory/file.md",
            "memory/dangling.md",
            "memory/folder/x.md",
            "memory/folder/none.md",
            "memory/sub/folder/x.md",
            "../team/folder/x.md",
            "memory/loop.md",
        ] {
            let error = place.get(path).expect_err(path);
            assert_eq!((error.code(), error.message.as_str()), (Code::Path, "path required"), "{path}");
        }
    }

    #[test]
    fn a_linked_memory_folder_or_extra_path_is_refused_but_a_linked_workspace_is_the_users_choice() {
        let place = place();
        fs::rename(place.at("ws/memory"), place.at("ws/real")).expect("renamed");
        symlink(place.at("ws/real"), place.at("ws/memory")).expect("link");
        assert_eq!(place.get("memory/a.md").expect_err("link").code(), Code::Path);

        symlink(place.at("team"), place.at("linked-team")).expect("link");
        let roots = Roots::new(&place.at("ws"), &["../linked-team".into()], Limits::default());
        let request = ExcerptRequest { path: "../linked-team/t.md".into(), ..Default::default() };
        assert_eq!(read_excerpt(&roots, &request, SETTINGS).expect_err("link").code(), Code::Path);

        symlink(place.at("ws"), place.at("linked-ws")).expect("link");
        let roots = Roots::new(&place.at("linked-ws"), &[], Limits::default());
        let request = ExcerptRequest { path: "MEMORY.md".into(), ..Default::default() };
        assert_eq!(read_excerpt(&roots, &request, SETTINGS).expect("readable").text, "curated");
    }

    #[test]
    fn folders_pipes_and_sockets_are_refused_without_being_opened() {
        let place = place();
        fs::remove_file(place.at("ws/MEMORY.md")).expect("removed");
        fs::create_dir(place.at("ws/MEMORY.md")).expect("folder");
        let _listener = UnixListener::bind(place.at("ws/memory/socket.md")).expect("socket");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            place.at("ws/memory/pipe.md"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .expect("pipe");
        for path in ["MEMORY.md", "memory/socket.md", "memory/pipe.md"] {
            assert_eq!(place.get(path).expect_err(path).message, "path required", "{path}");
        }
    }

    /// A hard link is the file itself: nothing but the count of names tells it from the original, and backup tools
    /// make them. The operating system decides who may make one.
    #[test]
    fn hard_links_are_ordinary_files() {
        let place = place();
        fs::hard_link(place.at("ws/memory/a.md"), place.at("ws/memory/twin.md")).expect("hard link");
        assert_eq!(place.text("memory/twin.md"), "note");
    }

    /// Another thread keeps swapping a folder and a link to a secret; whatever is read is never the secret.
    #[test]
    fn a_link_swapped_in_between_check_and_open_leads_nowhere() {
        let place = place();
        fs::create_dir(place.at("ws/memory/swap")).expect("folder");
        fs::write(place.at("ws/memory/swap/x.md"), "fine").expect("written");
        symlink(place.at("secret"), place.at("link")).expect("link");
        let stop = AtomicBool::new(false);
        let mut wrong = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (swap, aside, link) = (place.at("ws/memory/swap"), place.at("aside"), place.at("link"));
                while !stop.load(Ordering::Relaxed) {
                    fs::rename(&swap, &aside).expect("folder aside");
                    fs::rename(&link, &swap).expect("link in");
                    fs::rename(&swap, &link).expect("link out");
                    fs::rename(&aside, &swap).expect("folder back");
                }
            });
            // Goes on until both states were met often, and is judged after the other thread has ended.
            let (mut folder_seen, mut link_seen) = (0, 0);
            while folder_seen < 200 || link_seen < 200 {
                match place.get("memory/swap/x.md") {
                    Ok(excerpt) if excerpt.text == "fine" => folder_seen += 1,
                    Ok(excerpt) if excerpt.status == ExcerptStatus::NotFound => {}
                    Err(error) if error.code() == Code::Path => link_seen += 1,
                    other => {
                        link_seen += 1;
                        wrong.push(other);
                    }
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        assert!(wrong.is_empty(), "{} wrong answers, first {:?}", wrong.len(), wrong.first());
    }
}

fn excerpt_of(text: &str, from: Option<u64>, lines: Option<u64>, settings: ExcerptSettings) -> Excerpt {
    cut(text, "p.md".into(), &ExcerptRequest { path: String::new(), from, lines }, settings)
}

#[test]
fn ranges_give_the_lines_and_the_way_to_go_on() {
    let text = "1\n2\n3\n4\n5\n";
    let part = excerpt_of(text, Some(2), Some(2), SETTINGS);
    assert_eq!((part.text.as_str(), part.from, part.lines), ("2\n3", Some(2), Some(2)));
    assert_eq!((part.truncated, part.next_from), (true, Some(4)));
    let rest = excerpt_of(text, Some(4), Some(9), SETTINGS);
    assert_eq!((rest.text.as_str(), rest.lines, rest.truncated, rest.next_from), ("4\n5", Some(2), false, None));
    let beyond = excerpt_of(text, Some(u64::MAX), None, SETTINGS);
    assert_eq!((beyond.text.as_str(), beyond.lines, beyond.truncated), ("", Some(0), false));
    // An empty answer did not say whether the note is empty or shorter.
    assert_eq!((beyond.total_lines, rest.total_lines), (Some(5), None));
    assert_eq!(excerpt_of("", Some(2), None, SETTINGS).total_lines, Some(0));
    assert_eq!(excerpt_of(text, Some(0), Some(0), SETTINGS).text, "1");
    assert_eq!(excerpt_of("", None, None, SETTINGS).lines, Some(0));
    assert_eq!(excerpt_of("\n", None, None, SETTINGS).lines, Some(1));
    assert_eq!(excerpt_of("a\r\nb", None, None, SETTINGS).text, "a\r\nb");
}

#[test]
fn the_default_is_120_lines_and_12000_units() {
    let lines: String = (1..=300).map(|n| format!("{n}\n")).collect();
    let part = excerpt_of(&lines, None, None, SETTINGS);
    assert_eq!((part.lines, part.next_from), (Some(120), Some(121)));
    let wide: String = (0..5).map(|_| format!("{}\n", "x".repeat(5000))).collect();
    let part = excerpt_of(&wide, None, None, SETTINGS);
    assert_eq!((part.lines, part.next_from, part.text.len()), (Some(2), Some(3), 10_001));
}

#[test]
fn a_line_that_does_not_fit_is_cut_between_characters_and_the_next_line_is_still_named() {
    let settings = ExcerptSettings { lines: 120, chars: 3 };
    let part = excerpt_of("😀😀\nnext", None, None, settings);
    assert_eq!((part.text.as_str(), part.truncated, part.next_from), ("😀", true, Some(2)));
    let last = excerpt_of("abcdef", None, None, settings);
    assert_eq!((last.text.as_str(), last.truncated, last.next_from), ("abc", true, None));
}

proptest! {
    /// Following `next_from` gives back the whole text, whatever the limits.
    #[test]
    fn continuing_gives_back_every_line(
        lines in prop::collection::vec("[a-z😀\r]{0,6}", 1..40),
        count in 1_u64..5,
        chars in 12_usize..40,
    ) {
        let text = lines.join("\n") + "\n";
        let settings = ExcerptSettings { lines: 120, chars };
        let (mut from, mut pages) = (Some(1), Vec::new());
        while let Some(start) = from {
            let page = excerpt_of(&text, Some(start), Some(count), settings);
            prop_assert!(page.text.encode_utf16().count() <= chars);
            from = page.next_from;
            pages.push(page.text);
        }
        prop_assert_eq!(pages.join("\n"), lines.join("\n"));
    }

    /// Whatever is asked, nothing outside the memory is located.
    #[test]
    fn no_text_leads_outside(path in "[./\\\\a-zA-Z~:%\u{301}é ]{0,30}(\\.md)?") {
        let roots = Roots::new(Path::new("/ws"), &["../team".to_owned()], Limits::default());
        if let Ok(located) = locate(&roots, &path) {
            let absolute = located.absolute();
            let is_inside = absolute.starts_with("/ws/memory")
                || absolute.starts_with("/team")
                || absolute.parent() == Some(Path::new("/ws"));
            prop_assert!(is_inside, "{path:?} → {absolute:?}");
            prop_assert!(located.below.components().all(|c| matches!(c, Component::Normal(_))));
        }
    }
}
