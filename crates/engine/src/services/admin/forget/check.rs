//! Whether all that a plan is about is still as it was shown: looked at before anything is done.

use std::{collections::HashSet, path::Path, sync::Arc};

use crate::{
    forgetting::{notes::Cut, plan::Plan},
    workspace::{
        exclusions::{What, line_hash},
        guard::Access,
        notes::Notes,
        read::read_text,
        roots::Roots,
    },
};
use model::{
    config::settings::Settings,
    error::{Code, Error, Result},
};

/// Refuses a plan when something of it has changed.
///
/// # Errors
/// [`Code::Argument`] where a note is not as it was shown, and when one cannot be read or written.
pub(super) fn check(plan: &Plan, settings: &Settings) -> Result<()> {
    let notes = Notes::of(settings);
    plan.cuts.iter().try_for_each(|cut| check_cut(cut, &notes))?;
    check_writable(plan, &notes)?;
    // Of what the list keeps out nothing is read, unless by who does not go by it.
    let all = Roots { forgotten: Arc::default(), ..Roots::of(settings) };
    for what in &plan.whats {
        if let What::Lines { path, here, everywhere } = what
            && !is_named(plan, what)
        {
            check_lines(&all, path, here, everywhere)?;
        }
    }
    Ok(())
}

/// Refuses a plan of which a note cannot be written: it would be begun and not finished.
///
/// # Errors
/// Why it cannot.
fn check_writable(plan: &Plan, notes: &Notes) -> Result<()> {
    plan.cuts.iter().try_for_each(|cut| {
        let held = notes.hold(&cut.path, Access::Change).map_err(|error| error.context("nothing was changed"))?;
        drop(held);
        Ok(())
    })
}

/// Refuses to undo a plan whose lines cannot be put back into a note now: it would be begun and not finished.
///
/// # Errors
/// Why they cannot.
pub(super) fn check_undoable(plan: &Plan, notes: &Notes) -> Result<()> {
    check_writable(plan, notes)?;
    let mut cuts = plan.cuts.iter().filter(|cut| cut.whole.is_none());
    cuts.try_for_each(|cut| notes.check_not_written(&cut.path))
}

/// A file that is named, or lies in a folder that is, stays out whatever is written to it.
fn is_named(plan: &Plan, lines: &What) -> bool {
    plan.whats.iter().any(|wide| matches!(wide, What::Path { .. }) && wide.covers(lines))
}

fn check_cut(cut: &Cut, notes: &Notes) -> Result<()> {
    match notes.bytes(&cut.path)? {
        Some(now) if !cut.is_as_shown(&now) => Err(changed(&cut.path)),
        _ => Ok(()),
    }
}

/// The list knows lines by their words alone, wherever they stand: one that was edited would stay in the index, and be said to be
/// out of it.
fn check_lines(roots: &Roots, path: &str, here: &[String], everywhere: &[String]) -> Result<()> {
    let absolute = roots.workspace_dir.join(Path::new(path));
    // Of what is no file of the workspace, as a transcript, nothing is edited.
    if roots.locate(&absolute).is_none() {
        return Ok(());
    }
    let known: Option<HashSet<String>> = match read_text(roots, &absolute) {
        Ok(file) => Some(file.text.lines().map(line_hash).collect()),
        Err(error) if error.code() == Code::NotFound => None,
        Err(error) => return Err(error),
    };
    let is_as_shown = match known {
        Some(known) => here.iter().chain(everywhere).all(|hash| known.contains(hash)),
        // Whatever its name is now, lines that tell something stay out; short ones only of the file that is gone.
        None => here.is_empty(),
    };
    if is_as_shown { Ok(()) } else { Err(changed(path)) }
}

fn changed(path: &str) -> Error {
    Error::new(Code::Argument, format!("{path} has changed since it was shown"))
        .remedy("Ask for a new preview, after `openclaw memory index`; nothing was changed")
}
