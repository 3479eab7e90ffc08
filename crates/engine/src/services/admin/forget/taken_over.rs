//! What another memory has forgotten before us stays forgotten: the conversations it keeps as forgotten come onto our own
//! list, under one id. Who reads them, and where, is not our matter here.

use std::{collections::HashSet, sync::Arc};

use serde::Serialize;

use super::{
    super::{
        super::{carried::carry, context::Service, iso},
        Admin,
    },
    carry_out::text_of,
};
use crate::{
    capture::jsonl,
    forgetting::TAKEN_OVER,
    workspace::exclusions::{Entry, What},
};
use model::error::{Code, Error, Result};
use store::Kept;

/// Key in `meta`: the newest of them that was taken over, so that what the user has let in again is not put back by itself.
const NEWEST: &str = "forgotten_taken_over_ms";

/// Most that are taken at once. Nobody has forgotten as many conversations; a file that holds more is no such file.
const MOST: usize = 100_000;

/// Longest id of a conversation that a host makes.
const MAX_ID: usize = 128;

/// A conversation that another memory has forgotten.
#[derive(Debug, Clone)]
pub struct ForgottenBefore {
    /// Its id.
    pub session_id: String,
    /// When it was forgotten, in milliseconds since the epoch.
    pub at_ms: i64,
}

/// What became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForgottenTaken {
    /// Conversations that are kept out from now on (or would be).
    pub taken: usize,
    /// Conversations that were kept out already.
    pub known: usize,
    /// Names that no conversation can have.
    pub refused: usize,
}

impl Admin {
    /// Puts conversations on the list of what is forgotten. The index follows the list with its next sync. `only_new`
    /// leaves out what was forgotten before the last takeover: the user may have let it in again.
    ///
    /// # Errors
    /// [`Code::Argument`] when they are too many, and what the list, the disk or the store give.
    pub async fn take_over_forgotten(
        self: &Arc<Self>,
        before: Vec<ForgottenBefore>,
        only_new: bool,
        dry_run: bool,
    ) -> Result<ForgottenTaken> {
        if before.len() > MOST {
            return Err(Error::new(Code::Argument, format!("{} forgotten conversations are too many", before.len()))
                .remedy(format!("At most {MOST} are taken over; the file that names more must be damaged")));
        }
        self.blocking(move |admin, settings| {
            let newest = admin.newest_taken_over()?.filter(|_| only_new);
            let wanted: Vec<_> =
                before.into_iter().filter(|one| newest.is_none_or(|newest| one.at_ms > newest)).collect();
            let Some(last) = wanted.iter().map(|one| one.at_ms).max() else { return Ok(ForgottenTaken::default()) };
            let list = admin.context.store().kept(Kept::Forgotten);
            let mut taken = ForgottenTaken::default();
            if dry_run {
                taken = sift(&jsonl::all(&list)?, &wanted).1;
            } else {
                let mut failed = None;
                jsonl::update(&list, |mut known| {
                    let (fresh, counts) = sift(&known, &wanted);
                    taken = counts;
                    match fresh.iter().map(text_of).collect::<Result<Vec<_>>>() {
                        Ok(lines) if !lines.is_empty() => {
                            known.extend(lines);
                            Some(known)
                        }
                        Ok(_) => None,
                        Err(error) => {
                            failed = Some(error);
                            None
                        }
                    }
                })?;
                failed.map_or(Ok(()), Err)?;
                admin.indexer.share_forgotten(settings, Some(TAKEN_OVER))?;
                carry(settings)?;
                let mark = last.max(newest.unwrap_or(last)).to_string();
                admin.context.store().write(move |tx| tx.set_meta(NEWEST, &mark))?;
            }
            Ok(taken)
        })
        .await
    }

    /// Takes them all off the list again, or counts them. The index follows with its next sync.
    ///
    /// # Errors
    /// What the list and the disk give.
    pub async fn drop_taken_over_forgotten(self: &Arc<Self>, dry_run: bool) -> Result<usize> {
        self.blocking(move |admin, settings| {
            let count = admin.entries(TAKEN_OVER)?.len();
            if !dry_run && count > 0 {
                admin.unlist(TAKEN_OVER, settings)?;
            }
            Ok(count)
        })
        .await
    }

    fn newest_taken_over(&self) -> Result<Option<i64>> {
        let mark = self.context.store().read(|r| r.meta(NEWEST))?;
        Ok(mark.and_then(|mark| mark.parse().ok()))
    }
}

/// The entries that a list lacks, and what becomes of all.
fn sift(list: &[String], wanted: &[ForgottenBefore]) -> (Vec<Entry>, ForgottenTaken) {
    let mut known: HashSet<String> = list
        .iter()
        .filter_map(|line| match Entry::of(line)?.what {
            What::Session { session } => Some(session),
            _ => None,
        })
        .collect();
    let mut taken = ForgottenTaken::default();
    let mut fresh = Vec::new();
    for one in wanted {
        if !is_id(&one.session_id) {
            taken.refused += 1;
        } else if known.insert(one.session_id.clone()) {
            taken.taken += 1;
            fresh.push(Entry {
                id: TAKEN_OVER.to_owned(),
                at: iso(one.at_ms),
                is_final: false,
                by: None,
                what: What::Session { session: one.session_id.clone() },
            });
        } else {
            taken.known += 1;
        }
    }
    (fresh, taken)
}

/// Whether a host could have made this id: it names a file of a transcript.
fn is_id(id: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    id.len() <= MAX_ID && id.starts_with(|c: char| c.is_ascii_alphanumeric()) && id.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        services::testing::{asking, indexed, sync},
        workspace::roots::Roots,
    };

    fn before(ids: &[(&str, i64)]) -> Vec<ForgottenBefore> {
        ids.iter().map(|(id, at_ms)| ForgottenBefore { session_id: (*id).to_owned(), at_ms: *at_ms }).collect()
    }

    fn counts(taken: usize, known: usize, refused: usize) -> ForgottenTaken {
        ForgottenTaken { taken, known, refused }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_forgotten_before_us_is_listed_once_and_taken_off_as_a_whole() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The tea is sencha.")]).await;
        let (admin, ids) = (&engine.admin, before(&[("s-1", 5), ("s-2", 7), ("s-1", 5)]));
        assert_eq!(admin.take_over_forgotten(ids.clone(), false, true).await.unwrap(), counts(2, 1, 0));
        assert!(admin.forgotten().await.unwrap().is_empty(), "a dry run writes nothing");
        assert_eq!(admin.take_over_forgotten(ids.clone(), false, false).await.unwrap(), counts(2, 1, 0));
        let listed = admin.forgotten().await.unwrap();
        let shown: Vec<_> = listed.iter().map(|one| (one.id.as_str(), one.kind, one.name.as_str())).collect();
        assert_eq!(shown, [(TAKEN_OVER, "session", "s-1"), (TAKEN_OVER, "session", "s-2")]);
        assert!(listed[0].at.starts_with("1970-01-01"), "when it was forgotten: {listed:?}");
        assert!(Roots::of(&engine.settings().settings).forgotten.conversation("sessions/main/s-2.jsonl", None));
        assert_eq!(admin.take_over_forgotten(ids, false, false).await.unwrap(), counts(0, 3, 0));
        assert_eq!(admin.drop_taken_over_forgotten(true).await.unwrap(), 2);
        assert_eq!(admin.drop_taken_over_forgotten(false).await.unwrap(), 2);
        assert!(admin.forgotten().await.unwrap().is_empty());
        engine.release().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_the_user_has_let_in_again_is_not_put_back_by_itself() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The tea is sencha.")]).await;
        let admin = &engine.admin;
        admin.take_over_forgotten(before(&[("s-1", 5)]), true, false).await.unwrap();
        admin.undo_forget(TAKEN_OVER.to_owned()).await.unwrap();
        let later = before(&[("s-1", 5), ("s-2", 6)]);
        assert_eq!(admin.take_over_forgotten(later.clone(), true, false).await.unwrap(), counts(1, 0, 0));
        assert_eq!(admin.take_over_forgotten(later.clone(), true, false).await.unwrap(), counts(0, 0, 0));
        assert_eq!(admin.take_over_forgotten(later, false, false).await.unwrap(), counts(1, 1, 0), "asked for by name");
        engine.release().await;
    }

    // A name like that of a folder would have kept out every conversation.
    #[tokio::test(flavor = "multi_thread")]
    async fn names_that_no_conversation_has_are_refused_and_keep_nothing_out() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The tea is sencha.")]).await;
        let long = "s".repeat(MAX_ID + 1);
        let hostile = ["", ".", "../../etc", "a/b", "a\nb", "{\"id\":1}", "\u{0}", "夜", long.as_str()];
        let call = before(&hostile.map(|id| (id, 1)));
        let taken = engine.admin.take_over_forgotten(call, false, false).await.unwrap();
        assert_eq!(taken, counts(0, 0, hostile.len()));
        for name in ["sessions", "main", "jsonl"] {
            engine.admin.take_over_forgotten(before(&[(name, 1)]), false, false).await.unwrap();
        }
        let list = Roots::of(&engine.settings().settings).forgotten;
        assert!(!list.conversation("sessions/main/s-1.jsonl", None));
        sync(&engine).await;
        let answer = engine.searcher.search(asking("sencha"), model::cancel::Cancel::new()).await.unwrap();
        assert_eq!(answer.hits.len(), 1, "notes are nobody's conversation");
        let too_many = vec![ForgottenBefore { session_id: "s".into(), at_ms: 1 }; MOST + 1];
        let refused = engine.admin.take_over_forgotten(too_many, false, false).await.unwrap_err();
        assert_eq!(refused.code(), Code::Argument);
        engine.release().await;
    }
}
