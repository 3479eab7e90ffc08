//! What becomes of a note that the workspace and the database know differently: by what both had when it was last exchanged,
//! and by what the database had before. Nothing that only one of them has is ever lost.

use store::{files::Hash, notes::NoteRow};

/// What is to be done about a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing.
    Nothing,
    /// Both have the same, which is to be remembered.
    Same,
    /// Neither has it.
    Drop,
    /// The database gets that of the workspace, in the place of what it has; none = nothing.
    Give(Option<Hash>),
    /// It is deleted in the database.
    GiveDeletion(Hash),
    /// The workspace gets that of the database.
    Take,
    /// It is deleted in the workspace.
    TakeDeletion,
    /// Another gateway forgot it: it is deleted in the workspace where it is still that, and then in the database.
    Forget(Hash),
    /// Both were changed: that of the database is kept beside it in the workspace, which then gives its own.
    KeepOurs(Hash),
    /// Nobody knows which came first: that of the workspace is kept beside that of the database.
    KeepTheirs,
}

/// What both know of a note.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'a> {
    /// What the workspace has.
    pub local: Option<Hash>,
    /// What both had when it was last exchanged; none where nothing is known of that.
    pub known: Option<Hash>,
    /// What the database has.
    pub row: Option<&'a NoteRow>,
}

/// What becomes of a note that is forgotten as a whole: it leaves the database, and the workspaces of those who did not forget
/// it (`elsewhere`) where it is a text that the database has or had.
pub(super) fn forget(known: Option<Hash>, row: Option<&NoteRow>, elsewhere: bool) -> Step {
    let theirs = row.and_then(NoteRow::hash);
    match (known, theirs) {
        (Some(known), theirs) if elsewhere && (theirs == Some(known) || row.is_some_and(|row| row.had(&known))) => {
            Step::Forget(known)
        }
        (_, Some(theirs)) => Step::GiveDeletion(theirs),
        (Some(_), None) => Step::Drop,
        (None, None) => Step::Nothing,
    }
}

pub(super) fn decide(sides: Sides<'_>) -> Step {
    let Sides { local, known, row } = sides;
    let theirs = row.and_then(NoteRow::hash);
    let had = |hash: Hash| row.is_some_and(|row| row.had(&hash));
    match (local, known, theirs) {
        (None, None, None) => Step::Nothing,
        (None, Some(_), None) => Step::Drop,
        (Some(local), known, Some(theirs)) if local == theirs => {
            if known == Some(local) {
                Step::Nothing
            } else {
                Step::Same
            }
        }
        // Deleted there after it was exchanged: a database that has lost it (an older backup) says no such thing.
        (Some(local), Some(known), None) if local == known && had(known) => Step::TakeDeletion,
        // New, changed while it was deleted, or lost there.
        (Some(_), _, None) => Step::Give(None),
        (None, Some(known), Some(theirs)) if known == theirs => Step::GiveDeletion(theirs),
        // New there, or changed there while it was deleted here.
        (None, _, Some(_)) => Step::Take,
        (Some(_), Some(known), Some(theirs)) if known == theirs => Step::Give(Some(theirs)),
        (Some(local), Some(known), Some(_)) if local == known && had(known) => Step::Take,
        (Some(_), Some(_), Some(theirs)) => Step::KeepOurs(theirs),
        // A workspace that was away: what it has was there before.
        (Some(local), None, Some(_)) if had(local) => Step::Take,
        (Some(_), None, Some(_)) => Step::KeepTheirs,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use store::notes::NoteState;

    fn row(hash: Option<u8>, former: &[u8]) -> NoteRow {
        let state = hash.map_or(NoteState::Deleted, |hash| NoteState::Kept { hash: [hash; 32], size: 1 });
        NoteRow { path: String::new(), state, former: former.iter().flat_map(|hash| [*hash; 8]).collect() }
    }

    fn step(local: Option<u8>, known: Option<u8>, row: Option<&NoteRow>) -> Step {
        decide(Sides { local: local.map(|hash| [hash; 32]), known: known.map(|hash| [hash; 32]), row })
    }

    #[test]
    fn a_change_on_one_side_is_passed_on() {
        let one = row(Some(1), &[]);
        assert_eq!(step(Some(1), Some(1), Some(&one)), Step::Nothing);
        assert_eq!(step(Some(2), Some(1), Some(&one)), Step::Give(Some([1; 32])));
        assert_eq!(step(None, Some(1), Some(&one)), Step::GiveDeletion([1; 32]));
        assert_eq!(step(Some(1), Some(1), Some(&row(Some(3), &[2, 1]))), Step::Take, "changed twice there");
        assert_eq!(step(Some(1), Some(1), Some(&row(None, &[2, 1]))), Step::TakeDeletion);
        assert_eq!(step(None, None, Some(&one)), Step::Take, "an empty workspace");
        assert_eq!(step(Some(1), None, None), Step::Give(None));
    }

    #[test]
    fn a_change_outlives_a_deletion() {
        assert_eq!(step(Some(2), Some(1), Some(&row(None, &[1]))), Step::Give(None));
        assert_eq!(step(None, Some(1), Some(&row(Some(2), &[1]))), Step::Take);
        assert_eq!(
            step(Some(1), None, Some(&row(None, &[1]))),
            Step::Give(None),
            "nothing is known of what was deleted"
        );
    }

    // A standby that took over without the last writes, or an older backup, would have had notes deleted that it never had.
    #[test]
    fn what_a_database_has_lost_is_given_again_and_nothing_of_it_is_taken() {
        assert_eq!(step(Some(2), Some(2), None), Step::Give(None));
        assert_eq!(step(Some(2), Some(2), Some(&row(None, &[1]))), Step::Give(None));
        assert_eq!(step(Some(2), Some(2), Some(&row(Some(1), &[]))), Step::KeepOurs([1; 32]));
    }

    #[test]
    fn two_changes_are_a_conflict_and_an_older_version_is_none() {
        let three = row(Some(3), &[1]);
        assert_eq!(step(Some(2), Some(1), Some(&three)), Step::KeepOurs([3; 32]));
        assert_eq!(step(Some(2), None, Some(&three)), Step::KeepTheirs);
        assert_eq!(step(Some(1), None, Some(&three)), Step::Take);
        assert_eq!(step(Some(3), Some(1), Some(&three)), Step::Same, "both were changed in the same way");
    }

    // Whoever had the same list of what is forgotten kept the file, in all workspaces and for good.
    #[test]
    fn what_is_forgotten_leaves_the_workspaces_of_others_where_it_is_what_the_database_had() {
        let step =
            |known: Option<u8>, row: Option<&NoteRow>, elsewhere| forget(known.map(|hash| [hash; 32]), row, elsewhere);
        let (one, gone) = (row(Some(1), &[]), row(None, &[1]));
        assert_eq!(step(Some(1), Some(&one), true), Step::Forget([1; 32]), "whichever is first");
        assert_eq!(step(Some(1), Some(&gone), true), Step::Forget([1; 32]));
        assert_eq!(step(Some(1), Some(&row(Some(2), &[1])), true), Step::Forget([1; 32]), "an older text");
        assert_eq!(step(Some(1), Some(&one), false), Step::GiveDeletion([1; 32]), "it stays with who forgot it");
        assert_eq!(step(Some(1), Some(&gone), false), Step::Drop);
        for lost in [None, Some(&row(None, &[]))] {
            assert_eq!(step(Some(1), lost, true), Step::Drop, "a text that the database never had");
        }
        assert_eq!(step(None, Some(&one), true), Step::GiveDeletion([1; 32]));
        assert_eq!(step(None, Some(&gone), true), Step::Nothing);
    }

    proptest! {
        /// Whatever is replaced or deleted somewhere is known on the other side, or was before.
        #[test]
        fn nothing_that_only_one_has_is_lost(
            local in prop::option::of(0_u8..4),
            known in prop::option::of(0_u8..4),
            there in prop::option::of((prop::option::of(0_u8..4), prop::collection::vec(0_u8..4, 0..3))),
        ) {
            let row = there.as_ref().map(|(hash, former)| row(*hash, former));
            let had = |hash| there.as_ref().is_some_and(|(_, former)| former.contains(&hash));
            match step(local, known, row.as_ref()) {
                Step::Take => prop_assert!(local.is_none_or(had)),
                Step::TakeDeletion => prop_assert!(local == known && local.is_some_and(had)),
                Step::Give(before) => {
                    let theirs = row.as_ref().and_then(NoteRow::hash);
                    prop_assert_eq!(theirs, before);
                    prop_assert!(before.is_none() || known.map(|hash| [hash; 32]) == before);
                }
                Step::GiveDeletion(hash) => prop_assert!(known.map(|known| [known; 32]) == Some(hash)),
                _ => {}
            }
        }
    }
}
