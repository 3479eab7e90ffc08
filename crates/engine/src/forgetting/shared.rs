//! The list of what is forgotten, where gateways on several disks share an index: each keeps all of it on its own disk, so
//! that it holds while the database is away, and tells the others by the database.

use std::collections::{BTreeMap, HashMap, HashSet};

use model::{cancel::Cancel, config::settings::Settings, error::Result, own_file};
use store::{Kept, Store, Tx, forgotten::ForgottenAct};
use uuid::Uuid;

use super::elsewhere;
use crate::{
    capture::jsonl,
    workspace::exclusions::{Entry, Exclusions, FOLLOWED, list_path},
};

/// Brings both together: what only this disk knows goes to the database, and what it does not know comes from there, and is
/// erased from what this gateway keeps beside the index. What was forgotten under `now` is so again where it was once undone.
/// Gives what the index is said to follow then; none where it is a file, which has nobody to tell.
///
/// # Errors
/// When the list or the database cannot be read or written, or something not be erased; both are as they were then, or one has
/// more.
pub(crate) fn exchange(store: &Store, settings: &Settings, now: Option<&str>, now_ms: i64) -> Result<Option<String>> {
    if store.admin().is_some() {
        return Ok(None);
    }
    let mut told = Ok(None);
    jsonl::update(&store.kept(Kept::Forgotten), |known| {
        let (before, now) = (known.clone(), now.map(str::to_owned));
        let merged = store.write(move |tx| {
            let (lines, news) = merge(known, tx.forgotten_acts()?, now.as_deref());
            if !news.is_empty() {
                tx.tell_forgotten(&news)?;
                ask_all(tx)?;
            }
            Ok((lines, tx.meta(FOLLOWED)?.unwrap_or_default()))
        });
        // Erased before it is listed: what fails, or is killed, is done with the next exchange.
        let erased = merged.and_then(|(lines, followed)| {
            let known: HashSet<&String> = before.iter().collect();
            let fresh = lines.iter().filter(|line| !known.contains(line)).filter_map(|line| Entry::of(line));
            elsewhere::erase(settings, &fresh.collect::<Vec<_>>(), now_ms)?;
            Ok((lines, followed))
        });
        match erased {
            Ok((lines, followed)) => {
                told = Ok(Some(followed));
                (lines != before).then_some(lines)
            }
            Err(error) => {
                told = Err(error);
                None
            }
        }
    })?;
    told
}

/// The list as the next [`exchange`] is going to leave it on this disk, for those who only look; none where that changes nothing.
///
/// # Errors
/// When the list or the database cannot be read.
pub(crate) fn foreseen(
    store: &Store,
    settings: &Settings,
    list: &Exclusions,
    cancel: &Cancel,
) -> Result<Option<Exclusions>> {
    if store.admin().is_some() || list.check().is_err() {
        return Ok(None);
    }
    let acts = store.read_with(cancel, |reader| {
        let is_followed = reader.meta(FOLLOWED)?.unwrap_or_default() == list.version();
        if is_followed { Ok(Vec::new()) } else { reader.forgotten_acts() }
    })?;
    if acts.is_empty() {
        return Ok(None);
    }
    let known = own_file::read(&list_path(&settings.database_path))?.unwrap_or_default();
    let (lines, _) = merge(String::from_utf8_lossy(&known).lines().map(str::to_owned).collect(), acts, None);
    Ok(Some(Exclusions::parse(&lines.join("\n"))))
}

/// Takes an act back for all gateways.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn undo(store: &Store, id: &str) -> Result<()> {
    if store.admin().is_some() {
        return Ok(());
    }
    let id = id.to_owned();
    store.write(move |tx| if tx.undo_forgotten(&id)? { ask_all(tx) } else { Ok(()) })
}

/// The index follows no version of a list any more, so that the next pass of each gateway asks for it.
fn ask_all(tx: &Tx<'_>) -> Result<()> {
    tx.set_meta(FOLLOWED, &format!("changed {}", Uuid::new_v4()))
}

/// The list of this disk with what the database knows, in an order that is the same on all disks; and what is to be told.
fn merge(known: Vec<String>, acts: Vec<ForgottenAct>, now: Option<&str>) -> (Vec<String>, Vec<ForgottenAct>) {
    let mut here: HashMap<String, ForgottenAct> = HashMap::new();
    // What is no entry is left for a person, and nobody's business elsewhere.
    let mut lines = Vec::new();
    for line in known {
        let Some(entry) = Entry::of(&line) else {
            lines.push(line);
            continue;
        };
        let act = here.entry(entry.id.clone()).or_insert_with(|| ForgottenAct {
            id: entry.id,
            entries: String::new(),
            is_final: false,
            is_undone: false,
        });
        act.entries.push_str(&line);
        act.entries.push('\n');
        act.is_final |= entry.is_final;
    }
    let mut all = BTreeMap::new();
    for act in acts {
        let own = here.remove(&act.id).and_then(|own| {
            let holds = if act.is_undone { own.is_final || now == Some(&*own.id) } else { !act.is_final };
            holds.then(|| with_own(&act, own)).filter(|both| *both != act)
        });
        let is_news = own.is_some();
        all.insert(act.id.clone(), (own.unwrap_or(act), is_news));
    }
    all.extend(here.into_iter().map(|(id, act)| (id, (act, true))));
    let told = all.values().filter(|(act, _)| !act.is_undone).flat_map(|(act, _)| act.entries.lines());
    let mut entries: Vec<(String, &str)> = told.filter_map(|line| Some((Entry::of(line)?.at, line))).collect();
    // By time as a person reads it. Those of one act stay as they are.
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    lines.extend(entries.into_iter().map(|(_, line)| line.to_owned()));
    let news = all.into_values().filter(|(_, is_news)| *is_news).map(|(act, _)| act).collect();
    (lines, news)
}

/// An act that is not final with what this disk has of it: conversations that a predecessor forgot have one id on all disks.
fn with_own(act: &ForgottenAct, own: ForgottenAct) -> ForgottenAct {
    if own.is_final {
        return own;
    }
    let known: HashSet<&str> = act.entries.lines().collect();
    let fresh: String =
        own.entries.lines().filter(|line| !known.contains(line)).flat_map(|line| [line, "\n"]).collect();
    ForgottenAct { entries: format!("{}{fresh}", act.entries), is_undone: false, ..own }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::exclusions::What;

    fn line(id: &str, at: &str, is_final: bool, session: &str) -> String {
        let what = What::Session { session: session.to_owned() };
        serde_json::to_string(&Entry { id: id.to_owned(), at: at.to_owned(), is_final, by: None, what }).unwrap()
    }

    fn act(id: &str, lines: &[&str], is_final: bool, is_undone: bool) -> ForgottenAct {
        let entries = lines.iter().map(|line| format!("{line}\n")).collect();
        ForgottenAct { id: id.to_owned(), entries, is_final, is_undone }
    }

    fn owned(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    /// The list and what is told.
    fn merged(known: &[&str], acts: &[ForgottenAct], now: Option<&str>) -> (Vec<String>, Vec<ForgottenAct>) {
        merge(owned(known), acts.to_vec(), now)
    }

    #[test]
    fn each_side_learns_what_only_the_other_knows() {
        let (early, late) = (&*line("z", "2026-01-01", false, "one"), &*line("a", "2026-02-01", false, "two"));
        let [first, second] = [act("z", &[early], false, false), act("a", &[late], false, false)];
        let in_order = owned(&[early, late]);
        assert_eq!(merged(&[late], std::slice::from_ref(&first), None), (in_order.clone(), vec![second.clone()]));
        let both = [first, second];
        assert_eq!(merged(&[early, late], &both, None), (in_order.clone(), Vec::new()), "nothing more to tell");
        assert_eq!(merged(&[], &both, None), (in_order, Vec::new()), "an empty disk has all of it");
    }

    #[test]
    fn what_was_undone_goes_and_what_is_final_stays() {
        let (open, ended) = (&*line("a", "1", false, "one"), &*line("a", "1", true, "one"));
        let [undone, final_here] = [act("a", &[], false, true), act("a", &[ended], true, false)];
        assert_eq!(merged(&[open], std::slice::from_ref(&undone), None), (Vec::new(), Vec::new()));
        assert_eq!(merged(&[open], std::slice::from_ref(&final_here), None), (owned(&[ended]), Vec::new()));
        for stored in [act("a", &[open], false, false), undone] {
            assert_eq!(merged(&[ended], &[stored], None), (owned(&[ended]), vec![final_here.clone()]));
        }
    }

    #[test]
    fn lines_that_are_no_entries_stay_here_and_go_nowhere() {
        let entry = &*line("a", "1", false, "one");
        let (lines, news) = merged(&["{ half", entry], &[act("b", &["junk"], false, false)], None);
        assert_eq!(lines, ["{ half", entry]);
        assert_eq!(news, [act("a", &[entry], false, false)]);
    }

    // The list of a predecessor's forgotten conversations has one id: one gateway's took the place of the other's.
    #[test]
    fn acts_of_one_id_are_put_together_and_one_that_is_done_again_holds() {
        let (one, two) = (&*line("a", "1", false, "one"), &*line("a", "2", false, "two"));
        let both = act("a", &[one, two], false, false);
        assert_eq!(merged(&[two], &[act("a", &[one], false, false)], None), (owned(&[one, two]), vec![both]));
        let undone = [act("a", &[], false, true)];
        assert_eq!(merged(&[one], &undone, Some("b")), (Vec::new(), Vec::new()));
        assert_eq!(merged(&[one], &undone, Some("a")), (owned(&[one]), vec![act("a", &[one], false, false)]));
    }
}
