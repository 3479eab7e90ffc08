//! What a run changed in a file, as the place where two texts differ: enough to take it back, also when the rest of the
//! file has changed since.

use serde::{Deserialize, Serialize};

use super::claim::fingerprint;

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Edit {
    /// The file, relative to the workspace.
    pub path: String,
    /// Whether there was a file before.
    pub existed: bool,
    /// Where the texts begin to differ, in bytes.
    at: usize,
    /// What stood there before.
    before: String,
    /// What stands there now.
    after: String,
    /// Fingerprint of the whole file before.
    before_hash: String,
    /// Fingerprint of the whole file after.
    after_hash: String,
}

/// The other state of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Other {
    /// It is there already.
    Already,
    /// The file with this text; none = no file.
    Text(Option<String>),
    /// The place cannot be found again.
    Lost,
}

impl Edit {
    /// The change from one text to another; none when they are equal.
    pub(super) fn between(path: &str, before: Option<&str>, after: &str) -> Option<Self> {
        let old = before.unwrap_or_default();
        if before.is_some() && old == after {
            return None;
        }
        let mut from = old.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        while !(old.is_char_boundary(from) && after.is_char_boundary(from)) {
            from -= 1;
        }
        let most = old.len().min(after.len()) - from;
        let mut tail = old.bytes().rev().zip(after.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
        while !(old.is_char_boundary(old.len() - tail) && after.is_char_boundary(after.len() - tail)) {
            tail -= 1;
        }
        let part = |text: &str| text.get(from..text.len() - tail).unwrap_or_default().to_owned();
        Some(Self {
            path: path.to_owned(),
            existed: before.is_some(),
            at: from,
            before: part(old),
            after: part(after),
            before_hash: fingerprint(old),
            after_hash: fingerprint(after),
        })
    }

    /// The file as it was before, from what it is now.
    pub(super) fn undone(&self, now: Option<&str>) -> Other {
        let is_before =
            if self.existed { now.is_some_and(|t| fingerprint(t) == self.before_hash) } else { now.is_none() };
        if is_before {
            return Other::Already;
        }
        let Some(now) = now else { return Other::Lost };
        let whole = fingerprint(now) == self.after_hash;
        if whole && !self.existed {
            return Other::Text(None);
        }
        exchanged(now, whole.then_some(self.at), &self.after, &self.before)
    }

    /// The file as it is to be after, from what it is now: only if that is what it was before.
    pub(super) fn done(&self, now: Option<&str>) -> Other {
        let text = now.unwrap_or_default();
        if now.is_some() && fingerprint(text) == self.after_hash {
            return Other::Already;
        }
        if now.is_some() != self.existed || fingerprint(text) != self.before_hash {
            return Other::Lost;
        }
        exchanged(text, Some(self.at), &self.before, &self.after)
    }
}

/// A text with a part exchanged, at a known place or at the only one where the part stands.
fn exchanged(text: &str, at: Option<usize>, part: &str, by: &str) -> Other {
    let only = || {
        let mut places = text.match_indices(part).map(|(at, _)| at);
        places.next().filter(|_| !part.is_empty() && places.next().is_none())
    };
    let Some(at) = at.filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(part))).or_else(only) else {
        return Other::Lost;
    };
    let (head, tail) = (text.get(..at).unwrap_or_default(), text.get(at + part.len()..).unwrap_or_default());
    Other::Text(Some(format!("{head}{by}{tail}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_made_goes_again() {
        let edit = Edit::between("a.md", None, "one\n").unwrap();
        assert_eq!(edit.undone(Some("one\n")), Other::Text(None));
        assert_eq!(edit.undone(None), Other::Already);
        assert_eq!(edit.undone(Some("one\ntwo\n")), Other::Text(Some("two\n".to_owned())));
        assert_eq!(edit.done(None), Other::Text(Some("one\n".to_owned())));
        assert_eq!(edit.done(Some("x")), Other::Lost);
        assert!(Edit::between("a.md", Some("x"), "x").is_none());
    }

    #[test]
    fn what_others_changed_elsewhere_stays() {
        let edit = Edit::between("a.md", Some("head\ntail\n"), "head\n- new entry\ntail\n").unwrap();
        assert_eq!(
            edit.undone(Some("HEAD!\n- new entry\ntail\nmore\n")),
            Other::Text(Some("HEAD!\ntail\nmore\n".to_owned()))
        );
        assert_eq!(edit.undone(Some("head\n- new, edited entry\ntail\n")), Other::Lost);
    }

    proptest::proptest! {
        #[test]
        fn every_change_is_done_and_undone(before in "\\PC{0,20}", after in "\\PC{0,20}", existed in proptest::bool::ANY) {
            let old = existed.then_some(before.as_str());
            if let Some(edit) = Edit::between("a.md", old, &after) {
                proptest::prop_assert_eq!(edit.done(old), Other::Text(Some(after.clone())));
                proptest::prop_assert_eq!(edit.undone(Some(&after)), Other::Text(old.map(str::to_owned)));
            }
        }
    }
}
