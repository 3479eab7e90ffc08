//! Days before anybody looked on, told afterwards: what the owner said then, and what dated notes say, each under its own
//! day. It becomes evidence and nothing else; a plan decides what it is worth, and a replay can be taken back by itself.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::{civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::{Runs, short_id};
use crate::{
    capture::taken_back,
    consolidation::evidence::{self, Observed, kind},
    workspace::discover::discover,
};
use model::error::{Code, Error, Result};
use store::consolidation::{Evidence, Use};
use text::time::{date_in, note_date};

/// Days of one replay where nobody says.
const DAYS: usize = 92;
/// Sentences of a day that are shown.
const SHOWN: usize = 5;

/// What is to be replayed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Replay {
    /// What the owner said in conversations.
    pub said: Vec<SaidOn>,
    /// Whether dated notes are read.
    pub notes: bool,
    /// Only notes at or below this path of the workspace.
    pub path: Option<String>,
    /// The first day, `2026-11-20`.
    pub from: Option<String>,
    /// The last day.
    pub to: Option<String>,
    /// Most days; the oldest come first.
    pub limit_days: Option<usize>,
    /// Whether the evidence is kept; else it is only counted.
    pub apply: bool,
}

/// What the owner said in a conversation at a moment.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SaidOn {
    /// When, in milliseconds since the epoch.
    #[serde(deserialize_with = "model::number::whole")]
    pub at_ms: i64,
    /// What tells conversations apart.
    pub session: String,
    /// The key of the conversation, where there is one.
    pub session_key: Option<String>,
    /// The messages.
    pub texts: Vec<String>,
}

/// A day of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayedDay {
    /// The day.
    pub day: String,
    /// Sentences that are new evidence.
    pub candidate_count: usize,
    /// Some of them.
    pub top_candidates: Vec<String>,
}

/// What a replay found and kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replayed {
    /// What it is taken back by; none when nothing was kept.
    pub batch: Option<String>,
    /// Its days, oldest first.
    pub days: Vec<ReplayedDay>,
    /// Sentences that are new evidence, over all days.
    pub candidate_count: usize,
    /// Those that were kept.
    pub staged: usize,
    /// Whether later days were left for the next replay.
    pub has_more: bool,
}

/// What taking a replay back took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolledBack {
    /// The replay; none when there was none.
    pub batch: Option<String>,
    /// The uses that went.
    pub removed: usize,
}

impl Runs {
    /// Finds what days before speak for, and keeps it where that is asked for. What is known already is no news, so that the
    /// same again finds nothing, and what a killed replay left out is found by the next.
    ///
    /// # Errors
    /// [`Code::Argument`] for what is no day, and when files or the store cannot be read or written.
    pub fn replay(&self, wanted: &Replay) -> Result<Replayed> {
        let (from, to) = (day_of(wanted.from.as_deref(), "from")?, day_of(wanted.to.as_deref(), "to")?);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            return Err(Error::new(Code::Argument, "the first day must not be after the last"));
        }
        // What is new at this moment must still be new when it is kept.
        let _turn = self.turn()?;
        let is_meant =
            |day: Date| from.is_none_or(|from| day >= from) && day <= to.unwrap_or(Date::MAX).min(self.today());
        let mut found = self.said_before(&wanted.said, is_meant)?;
        if wanted.notes {
            let noted = self.noted_on(wanted.path.as_deref(), is_meant)?.into_iter();
            found.extend(noted.filter(|found| evidence::may_be_kept(found, self.today(), &self.zone)));
        }
        let mut by_day = self.news(found)?;
        let most = wanted.limit_days.unwrap_or(DAYS).max(1);
        let later = by_day.keys().nth(most).cloned().map(|first| by_day.split_off(&first));
        let days: Vec<ReplayedDay> = by_day.iter().map(|(day, found)| shown(day, found)).collect();
        let candidate_count = days.iter().map(|day| day.candidate_count).sum();
        let mut replayed =
            Replayed { batch: None, days, candidate_count, staged: 0, has_more: later.is_some_and(|l| !l.is_empty()) };
        if wanted.apply && candidate_count > 0 {
            // Later ones are greater: the greatest is the one that is taken back first.
            let batch = format!("{:013}-{}", self.now_ms, short_id());
            let kept: Vec<Evidence> = by_day.into_values().flatten().collect();
            let name = batch.clone();
            self.store.write(move |tx| kept.iter().try_for_each(|found| tx.add_evidence(found, &name)))?;
            replayed.staged = candidate_count;
            replayed.batch = Some(batch);
        }
        Ok(replayed)
    }

    /// Takes the latest replay back, and no other.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn roll_back(&self) -> Result<RolledBack> {
        let _turn = self.turn()?;
        let batch = self.store.read(|reader| reader.last_batch())?;
        let removed = match batch.clone() {
            Some(batch) => self.store.write(move |tx| tx.drop_batch(&batch))?,
            None => 0,
        };
        Ok(RolledBack { batch, removed })
    }

    fn said_before(&self, said: &[SaidOn], is_meant: impl Fn(Date) -> bool) -> Result<Vec<Evidence>> {
        let mut found = Vec::new();
        for (SaidOn { at_ms, session, session_key, .. }, texts) in not_withheld(said) {
            let day = date_in(*at_ms, &self.zone);
            let is_forgotten = |name: &String| self.roots.forgotten.session(name);
            if !is_meant(day) || is_forgotten(session) || session_key.as_ref().is_some_and(is_forgotten) {
                continue;
            }
            let said = Observed::Said { session: session.clone(), texts, before: None };
            found.extend(evidence::of_observed(&said, &self.notes, *at_ms, day, &self.zone)?);
        }
        Ok(found.into_iter().map(with_request).collect())
    }

    /// What dated notes say, of the days that are meant.
    pub(super) fn noted_on(&self, below: Option<&str>, is_meant: impl Fn(Date) -> bool) -> Result<Vec<Evidence>> {
        let is_below = |path: &str| {
            below
                .is_none_or(|below| path == below || path.strip_prefix(below).is_some_and(|rest| rest.starts_with('/')))
        };
        let mut found = Vec::new();
        for entry in discover(&self.roots).entries {
            let Some(day) = note_date(&entry.path).filter(|day| is_meant(*day)) else { continue };
            if evidence::origin_of(&entry.path) != "agent" || !is_below(&entry.path) {
                continue;
            }
            let Some(note) = self.notes.read(&entry.path)? else { continue };
            let note = self.roots.forgotten.keep(&entry.path, &note);
            found.extend(evidence::of_note(&note, &entry.path, day, self.noon_of(day)));
        }
        Ok(found)
    }

    fn noon_of(&self, day: Date) -> i64 {
        let at = TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC).to_timestamp(day.at(12, 0, 0, 0));
        at.map_or(self.now_ms, |at| at.as_millisecond())
    }

    /// What the store does not know, by day.
    fn news(&self, found: Vec<Evidence>) -> Result<BTreeMap<String, Vec<Evidence>>> {
        let known = self.store.read(|reader| reader.evidence(""))?;
        let withdrawn: HashSet<String> =
            known.iter().filter(|found| found.claim.withdrawn).map(|found| found.claim.id.clone()).collect();
        let known = known
            .into_iter()
            .flat_map(|Evidence { claim, uses }| uses.into_iter().map(move |used| (claim.id.clone(), used)));
        let mut known: HashSet<(String, Use)> = known.collect();
        let mut by_day: BTreeMap<String, Vec<Evidence>> = BTreeMap::new();
        for Evidence { claim, uses } in found.into_iter().filter(|found| !withdrawn.contains(&found.claim.id)) {
            let new: Vec<Use> =
                uses.into_iter().filter(|used| known.insert((claim.id.clone(), used.clone()))).collect();
            if let Some(day) = new.first().map(|used| used.day.clone()) {
                by_day.entry(day).or_default().push(Evidence { claim, uses: new });
            }
        }
        Ok(by_day)
    }
}

/// What was said, each with its messages that nothing took back, in the conversation or by themselves.
fn not_withheld(said: &[SaidOn]) -> Vec<(&SaidOn, Vec<String>)> {
    let mut conversations: HashMap<&str, Vec<(usize, &String)>> = HashMap::new();
    for (at, SaidOn { session, texts, .. }) in said.iter().enumerate() {
        conversations.entry(session).or_default().extend(texts.iter().map(|text| (at, text)));
    }
    let mut kept: Vec<(&SaidOn, Vec<String>)> = said.iter().map(|said| (said, Vec::new())).collect();
    for messages in conversations.into_values() {
        let withheld = taken_back::withheld_of_person(messages.iter().map(|(_, text)| text.as_str()));
        for ((at, text), _) in messages.into_iter().zip(withheld).filter(|(_, withheld)| !withheld) {
            if let Some((_, texts)) = kept.get_mut(at) {
                texts.push(text.clone());
            }
        }
    }
    kept
}

/// A wish to remember something as a use of its own: it goes when the replay is taken back.
fn with_request(mut found: Evidence) -> Evidence {
    if std::mem::take(&mut found.claim.requested) {
        let asked = found.uses.iter().map(|used| Use { kind: kind::ASKED.to_owned(), ..used.clone() });
        let asked: Vec<Use> = asked.collect();
        found.uses.extend(asked);
    }
    found
}

fn shown(day: &str, found: &[Evidence]) -> ReplayedDay {
    let top_candidates = found.iter().take(SHOWN).map(|found| found.claim.text.clone()).collect();
    ReplayedDay { day: day.to_owned(), candidate_count: found.len(), top_candidates }
}

fn day_of(text: Option<&str>, name: &str) -> Result<Option<Date>> {
    let Some(text) = text else { return Ok(None) };
    let day = text.trim().parse::<Date>();
    day.map(Some)
        .map_err(|_| Error::new(Code::Argument, format!("{name} must be a day")).remedy("Write it as 2026-11-20"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidation::runs::tests::{DAY_MS, NOW, World};
    use model::config::consolidation::Consolidation;

    const INVOICES: &str = "Invoices go out on the 5th of the month.";
    const ROOF: &str = "Mara owns the roof repair of the house.";

    fn day(ago: i64) -> String {
        date_in(NOW - ago * DAY_MS, "UTC").to_string()
    }

    fn said(ago: i64, session: &str, texts: &[&str]) -> SaidOn {
        SaidOn {
            at_ms: NOW - ago * DAY_MS,
            session: session.to_owned(),
            session_key: None,
            texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        }
    }

    fn of(said: Vec<SaidOn>, apply: bool) -> Replay {
        Replay { said, apply, ..Replay::default() }
    }

    fn added(world: &World) -> Vec<String> {
        world.runs().plan(Vec::new()).unwrap().plan.add.into_iter().map(|addition| addition.text).collect()
    }

    #[test]
    fn what_was_said_months_ago_counts_under_its_days_once_it_is_replayed() {
        let world = World::new();
        let told = || vec![said(80, "a", &[INVOICES]), said(60, "b", &[INVOICES, "ok?"]), said(41, "c", &[INVOICES])];
        let preview = world.runs().replay(&of(told(), false)).unwrap();
        let counts: Vec<_> = preview.days.iter().map(|day| (day.day.clone(), day.candidate_count)).collect();
        assert_eq!(counts, [(day(80), 1), (day(60), 1), (day(41), 1)]);
        assert_eq!((preview.batch, preview.staged, preview.has_more), (None, 0, false));
        assert_eq!((preview.days[0].top_candidates.as_slice(), added(&world).len()), (&[INVOICES.to_owned()][..], 0));

        let kept = world.runs().replay(&of(told(), true)).unwrap();
        assert_eq!((kept.staged, kept.batch.is_some()), (3, true));
        assert_eq!(added(&world), [INVOICES]);
        // The same again is no news, also after a run has dropped what is old.
        assert_eq!(world.runs().replay(&of(told(), true)).unwrap().candidate_count, 0);
        assert_eq!(added(&world), [INVOICES]);
        let back = world.runs().roll_back().unwrap();
        assert_eq!((back.batch, back.removed), (kept.batch, 3));
        assert!(added(&world).is_empty());
        assert_eq!(world.runs().roll_back().unwrap(), RolledBack { batch: None, removed: 0 });
    }

    #[test]
    fn days_come_in_batches_oldest_first_and_each_is_taken_back_alone() {
        let mut world = World::new();
        let told: Vec<SaidOn> = (1..=120).map(|ago| said(ago, &format!("s{ago}"), &[INVOICES])).collect();
        let mut batch = || {
            world.now_ms += 1;
            let found = world.runs().replay(&of(told.clone(), true)).unwrap();
            (found.days.len(), found.days.first().map(|day| day.day.clone()), found.has_more)
        };
        assert_eq!(
            [batch(), batch(), batch()],
            [(92, Some(day(120)), true), (28, Some(day(28)), false), (0, None, false)]
        );
        assert_eq!(world.runs().roll_back().unwrap().removed, 28);
        assert_eq!(world.runs().replay(&of(told.clone(), false)).unwrap().days.len(), 28);
        let between = Replay { from: Some(day(40)), to: Some(day(10)), ..of(told, false) };
        assert_eq!(world.runs().replay(&between).unwrap().days.len(), 19);
        let turned = Replay { from: Some(day(1)), to: Some(day(2)), ..Replay::default() };
        assert_eq!(world.runs().replay(&turned).unwrap_err().code(), Code::Argument);
        let wrong = Replay { from: Some("yesterday".to_owned()), ..Replay::default() };
        assert_eq!(world.runs().replay(&wrong).unwrap_err().code(), Code::Argument);
    }

    #[test]
    fn a_wish_of_then_is_one_and_goes_with_its_replay() {
        let world = World::new();
        let wish = "Please remember that Mara owns the roof repair of the house.";
        world.runs().replay(&of(vec![said(50, "a", &[wish])], true)).unwrap();
        assert_eq!(added(&world).len(), 1);
        world.runs().roll_back().unwrap();
        assert!(added(&world).is_empty());
        // What was met by itself meanwhile stays, without the wish.
        world.runs().replay(&of(vec![said(50, "a", &[wish])], true)).unwrap();
        world.said("b", "Mara owns the roof repair of the house.");
        world.runs().roll_back().unwrap();
        let known = world.runs().evidence().unwrap();
        assert_eq!((known.len(), known[0].claim.requested), (1, false));
        assert!(added(&world).is_empty());
    }

    // A replay read it again from the conversation.
    #[test]
    fn what_was_taken_back_then_is_not_replayed() {
        let world = World::new();
        let told = vec![
            said(50, "a", &["Remember that my nephew Hugo has epilepsy."]),
            said(50, "b", &["Remember that Mara owns the roof repair of the house."]),
            said(50, "a", &["Forget what I just said."]),
            said(49, "b", &["Don't write this down: Mara wants to leave her house."]),
        ];
        world.runs().replay(&of(told, true)).unwrap();
        assert_eq!(added(&world), ["Mara owns the roof repair of the house."]);
        assert_eq!(world.runs().evidence().unwrap().len(), 1);
    }

    #[test]
    fn old_notes_speak_for_their_days_and_secrets_junk_and_later_days_for_none() {
        let mut world = World::new();
        world.settings = Consolidation { min_uses: 2, ..world.settings };
        for ago in [90, 70] {
            world.write(&format!("memory/{}.md", day(ago)), &format!("- {ROOF}\n- npm install everything in here\n- The key of the server is sk-proj-Zx81kQm3vR7tY2wLp9Hn4Bc6Df0Gj5Ks8Va1Ue3.\n"));
        }
        world.write(&format!("memory/old/{}.md", day(65)), &format!("- {INVOICES}\n"));
        world.write(&format!("memory/{}.md", day(-3)), &format!("- {INVOICES}\n"));
        let notes = |path: Option<&str>, apply| Replay {
            notes: true,
            path: path.map(str::to_owned),
            apply,
            ..Replay::default()
        };
        let before = world.files();
        assert_eq!(world.runs().replay(&notes(Some("memory/old"), false)).unwrap().candidate_count, 1);
        let kept = world.runs().replay(&notes(None, true)).unwrap();
        assert_eq!((kept.days.len(), kept.staged), (3, 3));
        assert_eq!((added(&world), world.files()), (vec![ROOF.to_owned()], before));
    }
}
