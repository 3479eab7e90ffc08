//! The list of what is forgotten goes along wherever the settings put the index: the agent's own folder has a copy of it, and
//! says beside which index it was last. An index that is used next, a new one or one of long ago, gets that list.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    capture::jsonl,
    workspace::exclusions::{Entry, line_hash, list_path},
};
use model::{
    config::{automatic::agent_folder, settings::Settings},
    error::{Code, Error, Result},
};
use store::place::{self, Workspace};

/// The copy, in the agent's folder; its name says of which workspace it is, as that of an index does.
const COPY: &str = "forgotten.jsonl";

/// The first line of the copy; the list follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Head {
    /// The index that the list is beside.
    database: PathBuf,
    /// By index that was left, hashes of what its list said then: what of it is not on the list any more was taken back since.
    left: BTreeMap<PathBuf, HashSet<String>>,
}

fn copy_path(settings: &Settings, workspace: &Workspace) -> PathBuf {
    place::own_path(&agent_folder(&settings.state_dir, &settings.agent_id).join(COPY), workspace)
}

/// Gives the list of an index that was not the last one used what the last one's says, and keeps a copy of the list.
///
/// # Errors
/// When a list that was left cannot be taken along: what was forgotten must not come back. That no copy can be kept of the list
/// of an index that is used as before is logged.
pub(super) fn carry(settings: &Settings) -> Result<()> {
    let database = &settings.database_path;
    // Of a list that cannot be read everybody is told, and nothing is indexed.
    let Ok(own) = own_lines(database) else { return Ok(()) };
    let copy = copy_path(settings, &Workspace::at(&settings.workspace_dir));
    let known = if copy.exists() { jsonl::all(&copy).map(parts) } else { Ok((None, Vec::new())) };
    let is_last = match &known {
        Ok((head, _)) => head.as_ref().is_none_or(|head| head.database == *database),
        Err(_) => own.is_some(),
    };
    if let Ok((head, lines)) = &known {
        let own = own.unwrap_or_default();
        if is_last && (*lines == own || (head.is_none() && own.is_empty())) {
            return Ok(());
        }
        if let Some(head) = head.as_ref().filter(|_| !is_last) {
            let (agent, from) = (&settings.agent_id, head.database.display());
            tracing::info!(agent, %from, "the list of what is forgotten goes along to another index");
        }
    }
    match known.and_then(|_| carry_over(&copy, database)) {
        Err(error) if is_last => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(agent = settings.agent_id, error, "no copy of the list of what is forgotten can be kept");
            Ok(())
        }
        carried => carried,
    }
}

fn carry_over(copy: &Path, database: &Path) -> Result<()> {
    let mut failed = None;
    // One process at a time: of two with other settings each sees what the other did.
    jsonl::update(copy, |known| match carried(known, database) {
        Ok(lines) => Some(lines),
        Err(error) => {
            failed = Some(error);
            None
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// The copy as it is from now on; the list beside the index is written first, so that a killed process loses nothing.
fn carried(known: Vec<String>, database: &Path) -> Result<Vec<String>> {
    let (head, lines) = parts(known);
    let mut head = head.unwrap_or_else(|| Head { database: database.to_owned(), ..Head::default() });
    if head.database != *database {
        // The list itself is newer than its copy where a process was killed; it may be gone with its folder.
        let last = own_lines(&head.database).ok().flatten().unwrap_or(lines);
        let left = head.left.remove(database).unwrap_or_default();
        jsonl::update(&list_path(database), |here| {
            let merged = merged(&last, &here, &left);
            (merged != here).then_some(merged)
        })?;
        let said = last.iter().filter_map(|line| Entry::of(line)).map(|entry| mark(&entry)).collect();
        head.left.insert(std::mem::replace(&mut head.database, database.to_owned()), said);
    }
    let text = serde_json::to_string(&head)
        .map_err(|error| Error::new(Code::Internal, format!("copy of the list of what is forgotten: {error}")))?;
    Ok(std::iter::once(text).chain(own_lines(database)?.unwrap_or_default()).collect())
}

/// What stands in a copy.
fn parts(mut known: Vec<String>) -> (Option<Head>, Vec<String>) {
    let head = known.first().and_then(|first| serde_json::from_str::<Head>(first).ok());
    let head = head.filter(|head| !head.database.as_os_str().is_empty());
    if head.is_some() {
        known.remove(0);
    }
    (head, known)
}

/// The lines of the list beside an index; none where it has none.
fn own_lines(database: &Path) -> Result<Option<Vec<String>>> {
    let list = list_path(database);
    if list.exists() { jsonl::all(&list).map(Some) } else { Ok(None) }
}

/// What an entry is about, whether it is final or not.
fn mark(Entry { id, what, .. }: &Entry) -> String {
    let what = serde_json::to_string(what).unwrap_or_default();
    line_hash(&format!("{id} {what}"))
}

/// The list that was used last, and of the one that is here what is no entry, what is final, and what was forgotten since it was
/// `left`; the rest of it was taken back meanwhile.
fn merged(last: &[String], here: &[String], left: &HashSet<String>) -> Vec<String> {
    let mut merged = last.to_vec();
    let known: HashSet<&String> = last.iter().collect();
    let marks: HashSet<String> = last.iter().filter_map(|line| Entry::of(line)).map(|entry| mark(&entry)).collect();
    for line in here.iter().filter(|line| !known.contains(line)) {
        let Some(entry) = Entry::of(line) else {
            merged.push(line.clone());
            continue;
        };
        let mark_here = mark(&entry);
        if marks.contains(&mark_here) {
            if entry.is_final {
                let twin = |known: &String| Entry::of(known).is_some_and(|known| mark(&known) == mark_here);
                merged.retain(|known| !twin(known));
                merged.push(line.clone());
            }
        } else if entry.is_final || !left.contains(&mark_here) {
            merged.push(line.clone());
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        services::{
            ForgetCall, Lease,
            testing::{Home, hits, sync},
        },
        workspace::exclusions::What,
    };
    use serde_json::json;

    fn line(id: &str, is_final: bool) -> String {
        let what = What::Session { session: format!("s-{id}") };
        serde_json::to_string(&Entry { id: id.to_owned(), at: String::new(), is_final, by: None, what }).unwrap()
    }

    #[test]
    fn what_was_taken_back_stays_so_and_nothing_else_is_lost() {
        let left: HashSet<String> =
            ["a", "b", "f"].iter().map(|id| mark(&Entry::of(&line(id, false)).unwrap())).collect();
        let last = [line("a", false), line("new", false)];
        let here = [line("a", false), line("b", false), line("f", true), line("late", false), "junk".to_owned()];
        let expected = [line("a", false), line("new", false), line("f", true), line("late", false), "junk".to_owned()];
        assert_eq!(merged(&last, &here, &left), expected);
        assert_eq!(merged(&last, &[line("a", true)], &left), [line("new", false), line("a", true)], "for good");
    }

    async fn open(home: &Home, path: Option<&str>) -> Lease {
        let store = path.map_or_else(|| json!({}), |path| json!({ "path": home.dir.path().join(path) }));
        home.open_set(json!({ "provider": "bedrock", "model": "titan", "store": store })).await
    }

    async fn forget(engine: &Lease, path: &str) -> String {
        let mut call = ForgetCall::default();
        call.target.paths.push(path.to_owned());
        engine.admin.forget(call).await.unwrap().id
    }

    async fn finds(engine: &Lease, word: &str) -> bool {
        sync(engine).await;
        !hits(engine, word).await.is_empty()
    }

    // The list was bound to the name of the database's file: with another `store.path` all was back.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_forgotten_stays_so_with_another_store_path_and_back() {
        let home = Home::new(&[
            ("memory/a.md", "The zebra sleeps."),
            ("memory/b.md", "The walrus eats."),
            ("memory/c.md", "The tea is sencha."),
        ]);
        let engine = open(&home, None).await;
        sync(&engine).await;
        let first = forget(&engine, "memory/a.md").await;
        engine.release().await;

        let engine = open(&home, Some("one/index.sqlite")).await;
        assert!(!finds(&engine, "zebra").await && finds(&engine, "walrus").await);
        forget(&engine, "memory/b.md").await;
        engine.admin.undo_forget(first).await.unwrap();
        assert!(finds(&engine, "zebra").await);
        engine.release().await;
        // The disk of the former place is gone.
        std::fs::remove_dir_all(home.dir.path().join("one")).unwrap();

        let engine = open(&home, Some("two/index.sqlite")).await;
        assert!(finds(&engine, "zebra").await && !finds(&engine, "walrus").await);
        engine.release().await;

        let engine = open(&home, None).await;
        assert!(finds(&engine, "zebra").await, "taken back elsewhere");
        assert!(!finds(&engine, "walrus").await, "forgotten elsewhere");
        let listed = engine.admin.forgotten().await.unwrap();
        assert_eq!(listed.iter().filter(|one| one.kind == "path").count(), 1, "{listed:?}");
        engine.release().await;
    }

    // A process that went on beside the former index put back what it was told to take back.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_taken_back_beside_a_former_index_stays_so_everywhere() {
        let home = Home::new(&[("memory/a.md", "The zebra sleeps."), ("memory/c.md", "The tea is sencha.")]);
        let former = open(&home, None).await;
        sync(&former).await;
        let id = forget(&former, "memory/a.md").await;
        let engine = open(&home, Some("one/index.sqlite")).await;
        assert!(!finds(&engine, "zebra").await);
        engine.release().await;
        former.admin.undo_forget(id).await.unwrap();
        assert!(finds(&former, "zebra").await);
        former.release().await;
        let engine = open(&home, Some("one/index.sqlite")).await;
        assert!(finds(&engine, "zebra").await);
        engine.release().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_list_or_a_copy_that_cannot_be_read_keeps_no_index_from_being_opened() {
        let home = Home::new(&[("memory/a.md", "The zebra sleeps."), ("memory/c.md", "The tea is sencha.")]);
        let engine = open(&home, None).await;
        sync(&engine).await;
        forget(&engine, "memory/a.md").await;
        let list = list_path(&engine.settings().settings.database_path);
        let copy = copy_path(&engine.settings().settings, &Workspace::at(&home.workspace()));
        engine.release().await;
        for broken in [copy.clone(), list] {
            std::fs::remove_file(&broken).unwrap();
            std::fs::create_dir(&broken).unwrap();
            open(&home, None).await.release().await;
        }
        std::fs::remove_dir(&copy).unwrap();
        open(&home, None).await.release().await;
        assert!(!copy.exists(), "nothing is known of the list");
    }

    // As an older version leaves it: a list beside the index of the default place, and no copy.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_list_without_a_copy_goes_along_from_the_default_place() {
        let home = Home::new(&[("memory/a.md", "The zebra sleeps."), ("memory/c.md", "The tea is sencha.")]);
        let engine = open(&home, None).await;
        sync(&engine).await;
        forget(&engine, "memory/a.md").await;
        let copy = copy_path(&engine.settings().settings, &Workspace::at(&home.workspace()));
        engine.release().await;
        std::fs::remove_file(copy).unwrap();
        let engine = open(&home, Some("one/index.sqlite")).await;
        assert!(!finds(&engine, "zebra").await);
        engine.release().await;
    }
}
