use std::{fs::File, time::Duration};

use super::*;
use model::error::Code;

fn lines(path: &Path) -> Vec<String> {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).lines().map(str::to_owned).collect()
}

#[test]
fn concurrent_writers_lose_no_line_over_a_rotation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for n in 0..100 {
                    append(path, &format!("[{writer},{n}]")).unwrap();
                    Locked::open(path).unwrap().rotate(50, "2026-01-02").unwrap();
                }
            });
        }
    });
    let mut all: Vec<String> =
        std::fs::read_dir(dir.path()).unwrap().flat_map(|entry| lines(&entry.unwrap().path())).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 400);
    assert!(dir.path().join("x-2026-01-02.jsonl").exists());
    assert!(dir.path().join("x-2026-01-02-2.jsonl").exists());
}

#[test]
fn the_tail_goes_on_in_the_last_rotated_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    let days = ["-2026-01-02", "-2026-01-02-2", "-2026-01-02-10", "-notes"];
    for (n, day) in days.iter().enumerate() {
        std::fs::write(dir.path().join(format!("x{day}.jsonl")), format!("[{n},0]\n[{n},1]\n")).unwrap();
    }
    assert_eq!(rotated(&path).unwrap().len(), 3);
    assert_eq!(tail_over_rotation(&path, 3).unwrap(), ["[2,0]", "[2,1]"]);
    append(&path, "[9,0]").unwrap();
    assert_eq!(tail_over_rotation(&path, 2).unwrap(), ["[2,1]", "[9,0]"]);
    assert_eq!(tail_over_rotation(&path, 1).unwrap(), ["[9,0]"]);
}

// A command of one turn ended while another process held the file, and its line was lost.
#[test]
fn who_ends_waits_for_the_lines_that_are_still_to_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    let held = Locked::open(&path).unwrap();
    soon(&path, |mut file| file.append("[1]")).unwrap();
    assert!(!settle(Duration::from_millis(20)));
    drop(held);
    assert!(settle(Duration::from_secs(60)));
    assert_eq!(lines(&path), ["[1]"]);
}

#[test]
fn a_torn_last_line_is_cut_and_a_complete_one_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "{\"a\":1}\n{\"a\":2").unwrap();
    append(&path, "{\"a\":3}").unwrap();
    assert_eq!(lines(&path), ["{\"a\":1}", "{\"a\":3}"]);
    std::fs::write(&path, "{\"a\":1}\n{\"a\":2}").unwrap();
    append(&path, "{\"a\":3}").unwrap();
    assert_eq!(lines(&path), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
}

// An editor left the line feed out, and the next change of the file left the entry out.
#[test]
fn a_whole_last_line_without_a_line_feed_counts_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "{\"a\":1}\n{\"a\":2}").unwrap();
    assert_eq!(all(&path).unwrap(), ["{\"a\":1}", "{\"a\":2}"]);
    update(&path, |known| Some(known.into_iter().chain(["{\"a\":3}".to_owned()]).collect())).unwrap();
    assert_eq!(lines(&path), ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}"]);
    for torn in ["{\"a\":1}\n{\"a\":2", "{\"a\":1}\n  "] {
        std::fs::write(&path, torn).unwrap();
        assert_eq!(all(&path).unwrap(), ["{\"a\":1}"], "{torn}");
    }
    std::fs::write(&path, "\u{feff}{\"a\":1}").unwrap();
    update(&path, Some).unwrap();
    assert_eq!(lines(&path), ["{\"a\":1}"], "a byte order mark");
    // What nobody of ours began to write is kept beside it.
    std::fs::write(&path, "{\"a\":1}\nmy words").unwrap();
    update(&path, Some).unwrap();
    assert_eq!(lines(&path), ["{\"a\":1}"]);
    assert_eq!(set_aside(&path).unwrap().iter().flat_map(|file| lines(file)).collect::<Vec<_>>(), ["my words"]);
}

/// What was set aside of a file, as soon as a thread has done it.
fn mended(path: &Path) -> Vec<u8> {
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while tail(path, 1000).is_ok() && has_damage(path).unwrap() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    set_aside(path).unwrap().iter().flat_map(|file| std::fs::read(file).unwrap()).collect()
}

// A block of zeros of some hundred megabytes at the end of a file, or a line of that length, held the event loop for
// half a minute at each turn: with each step back all of it was copied and counted again.
#[test]
fn an_end_that_is_no_line_is_set_aside_unread() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "[1]\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(tail(&path, 20).unwrap(), [""; 0]);
    let refused = append(&path, "[2]").unwrap_err();
    assert!(refused.code() == Code::Corrupt && refused.remedy.is_some(), "{refused:?}");
    Locked::open(&path).unwrap().or_new().unwrap().append("[2]").unwrap();
    assert_eq!(lines(&path), ["[2]"]);
    let aside = set_aside(&path).unwrap();
    assert_eq!((aside.len(), aside[0].metadata().unwrap().len()), (1, 1 << 40));
    assert!(is_set_aside(&aside[0]) && !is_set_aside(&path));
    assert!(rotated(&path).unwrap().is_empty());
    assert!(take_notices().iter().any(|notice| notice.contains("set aside") && notice.contains("x.jsonl")));
}

#[test]
fn damage_behind_good_lines_costs_none_of_them() {
    for (damage, is_kept) in [(vec![0; 5000], false), (b"\0\0{\"a\":\xff\xff#####".to_vec(), true)] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.jsonl");
        std::fs::write(&path, [b"[1]\n[2]\n".as_slice(), &damage].concat()).unwrap();
        append(&path, "[3]").unwrap();
        assert_eq!(lines(&path), ["[1]", "[2]", "[3]"]);
        let aside = set_aside(&path).unwrap();
        assert_eq!(aside.len(), usize::from(is_kept));
        assert!(aside.iter().all(|file| std::fs::read(file).unwrap() == damage));
    }
}

#[test]
fn a_line_too_long_to_be_an_entry_is_passed_over_and_its_file_rotated_without_counting() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    let long = format!("[\"{}\"]", "y".repeat(2_000_000));
    std::fs::write(&path, format!("[1]\n{long}\n[2]\n")).unwrap();
    // It is noticed although the tail begins in the middle of it.
    assert_eq!(tail(&path, 3).unwrap(), ["[2]"]);
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while has_damage(&path).unwrap() && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(lines(&path), ["[1]", "[2]"]);
    File::options().write(true).open(&path).unwrap().set_len(own_file::MAX_BYTES + 1).unwrap();
    assert!(update(&path, |_| None).is_err());
    Locked::open(&path).unwrap().rotate(usize::MAX, "2026-01-02").unwrap().unwrap();
    assert_eq!(rotated(&path).unwrap(), [dir.path().join("x-2026-01-02.jsonl")]);
}

// Lines that are no entries were passed over without a word as long as they did not stand at the end.
#[test]
fn damage_between_good_lines_is_set_aside() {
    let damage: [&[u8]; 4] = [&[0; 300], b"{\"a\":1} {", b"[\"\xff\xfe\"]", b"[1,2"];
    for (n, damage) in damage.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(format!("between{n}.jsonl"));
        let line = [damage, b"\n"].concat();
        let text = [b"[1]\n", &line[..], b"[2]\r\n\n", &line[..], b"[3]\n"].concat();
        std::fs::write(&path, &text).unwrap();
        assert!(has_damage(&path).unwrap());
        assert_eq!(tail(&path, 9).unwrap(), ["[1]", "[2]", "[3]"]);
        assert_eq!(mended(&path), [&line[..], &line[..]].concat());
        append(&path, "[4]").unwrap();
        assert_eq!(tail(&path, 9).unwrap(), ["[1]", "[2]", "[3]", "[4]"]);
        assert!(!has_damage(&path).unwrap());
        assert_eq!(mend(&path).unwrap(), 0);
        let aside = &set_aside(&path).unwrap()[0];
        assert_eq!(SetAside::at(aside.clone()).lines, Some(2));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&aside.metadata().unwrap().permissions()) & 0o777, 0o600);
    }
}

// A write that goes on ends in no line feed: it is no damage.
#[test]
fn what_is_being_written_is_left_alone_and_a_file_that_is_far_too_large_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "[1]\n{\"a\":").unwrap();
    assert_eq!(mend(&path).unwrap(), 0);
    assert_eq!(mend(&dir.path().join("none.jsonl")).unwrap(), 0);
    File::options().write(true).open(&path).unwrap().set_len(own_file::MAX_BYTES + 1).unwrap();
    assert_eq!(mend(&path).unwrap_err().code(), Code::Corrupt);
}

#[cfg(unix)]
#[test]
fn what_is_made_is_the_owners_whatever_the_umask_says() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/er/x.jsonl");
    let is_private = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o077 == 0;
    append(&path, "[1]").unwrap();
    // As an earlier version left it.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    append(&path, "[2]").unwrap();
    update(&path, Some).unwrap();
    assert!([dir.path().join("deep"), dir.path().join("deep/er"), path].iter().all(|path| is_private(path)));
}

#[test]
fn the_tail_skips_a_torn_line_and_reads_over_block_borders() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.jsonl");
    let long = "y".repeat(50_000);
    let text: String = (0..10).map(|n| format!("[{n},\"{long}\"]\n")).collect();
    std::fs::write(&path, text + "[10,").unwrap();
    let last = tail(&path, 3).unwrap();
    assert_eq!(last.len(), 3);
    assert!(last[0].starts_with("[7,") && last[2].starts_with("[9,"));
    assert!(tail(&dir.path().join("none.jsonl"), 3).unwrap().is_empty());
}
