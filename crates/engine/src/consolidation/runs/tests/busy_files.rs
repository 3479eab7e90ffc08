//! Files that cannot be written, or are written by somebody else at the same moment.

use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

use rustix::thread::{Uid, set_thread_res_uid};

use super::*;
use crate::consolidation::edit::Other;

const NOBODY: u32 = 65_534;

/// As a user whom a read-only file keeps out: nothing does that to root.
fn as_nobody<T>(world: &World, what: impl FnOnce() -> T) -> T {
    // The workspace is its own.
    let is_root = fs::metadata(world.path("")).unwrap().uid() == 0;
    if is_root {
        for entry in walkdir::WalkDir::new(world.dir.path()).into_iter().flatten() {
            chown(entry.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        set_thread_res_uid(None, Uid::from_raw(NOBODY), None).unwrap();
    }
    let outcome = what();
    if is_root {
        set_thread_res_uid(None, Uid::ROOT, None).unwrap();
    }
    outcome
}

fn set_read_only(world: &World, name: &str) {
    fs::set_permissions(world.path(name), fs::Permissions::from_mode(0o444)).unwrap();
}

// A run failed when MEMORY.md was written already, and could not be taken back either: for the file that is only read.
#[test]
fn a_diary_that_is_read_only_stops_no_run_and_no_undo() {
    let world = proven();
    world.write("DREAMS.md", "# Mine\n");
    set_read_only(&world, "DREAMS.md");
    let before = world.files();
    as_nobody(&world, || {
        assert!(
            fs::OpenOptions::new().write(true).open(world.path("DREAMS.md")).is_err(),
            "it proves nothing otherwise"
        );
        assert_eq!(world.apply().added, 2);
        assert!(world.read("MEMORY.md").unwrap().contains("Invoices go out"));
        assert_eq!(world.read("DREAMS.md").unwrap(), "# Mine\n");
        world.runs().undo(None, false).unwrap();
    });
    assert_eq!(world.files(), before);

    let world = proven();
    let before = world.read("MEMORY.md");
    let applied = world.apply();
    set_read_only(&world, "DREAMS.md");
    as_nobody(&world, || assert_eq!(world.runs().undo(None, false).unwrap().runs, [applied.run_id.as_str()]));
    assert_eq!(world.read("MEMORY.md"), before);
    // One that was killed is finished without it, too.
    world.set_state(&applied.run_id, state::APPLYING);
    as_nobody(&world, || world.runs().finish_killed().unwrap());
}

// It said "Plan again and apply the new plan" to who wanted to take something back.
#[test]
fn a_file_that_somebody_else_writes_meanwhile_is_read_again() {
    let world = World::new();
    world.write("MEMORY.md", "0\n");
    let mut attempts = 0;
    let mut rewrite = |busy: u32| {
        attempts = 0;
        let done = world.runs().rewrite("MEMORY.md", |now| {
            attempts += 1;
            if attempts < busy {
                world.write("MEMORY.md", &format!("{attempts}\n"));
            }
            Ok(Other::Text(Some(format!("{}mine\n", now.unwrap()))))
        });
        (done, attempts)
    };
    let (done, attempts) = rewrite(5);
    assert!(done.is_ok() && attempts == 5, "{attempts}");
    assert_eq!(world.read("MEMORY.md").unwrap(), "4\nmine\n");
    let busy = rewrite(u32::MAX).0.unwrap_err();
    assert_eq!((busy.code(), busy.remedy.as_deref()), (Code::Busy, Some("Close it and try again")));
}

// The program went on writing to the former file, and what it wrote was in none.
#[test]
fn what_a_program_appends_that_has_the_file_open_is_not_lost() {
    let world = proven();
    let path = world.path("MEMORY.md");
    let append = |world: &World, line: &str, during: &dyn Fn(&World)| {
        let mut program = fs::OpenOptions::new().append(true).open(&path).unwrap();
        during(world);
        std::io::Write::write_all(&mut program, line.as_bytes()).unwrap();
    };
    let planned = world.runs().plan(Vec::new()).unwrap().plan;
    let busy = |error: model::error::Error| assert_eq!(error.code(), Code::Busy, "{error}");
    append(&world, "", &|world| busy(world.runs().apply(Some(&planned.run_id), &[], None).unwrap_err()));
    assert_eq!(world.runs().apply(Some(&planned.run_id), &[], None).unwrap().added, 2, "the plan stands");
    append(&world, "- theirs\n", &|world| busy(world.runs().undo(None, false).unwrap_err()));
    world.runs().undo(None, false).unwrap();
    let memory = world.read("MEMORY.md").unwrap();
    assert!(memory.ends_with("- theirs\n") && !memory.contains("Invoices"), "{memory}");
}
