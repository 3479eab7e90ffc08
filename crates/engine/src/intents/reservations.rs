//! Which turn shows which intent, until that turn has ended.
//!
//! A reply waits while one is written down, so they are lines in a small file of their own that is only ever appended to,
//! and not written through to the disk. A process that is killed loses none, and half a line is none. A power cut may lose
//! some: of turns that had no reply yet, as the end of a turn is written through to the intents before the line goes.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::intent::{Reservation, StandingIntent};
use crate::capture::jsonl::{self, Locked};
use model::error::Result;

/// The file, in the agent's folder.
const FILE: &str = "intents-shown.jsonl";

/// The reservations of one agent.
#[derive(Debug, Clone)]
pub(super) struct Reservations {
    path: PathBuf,
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shown {
    /// The intent.
    intent: String,
    #[serde(flatten)]
    by: Reservation,
    /// This line ends what an earlier one began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    over: bool,
}

/// The reservations, while nobody else can make any.
pub(super) struct Held {
    file: Locked,
    shown: Vec<Shown>,
}

impl Reservations {
    pub(super) fn of(agent_folder: &Path) -> Self {
        Self { path: agent_folder.join(FILE) }
    }

    /// Those that have not ended, oldest first.
    pub(super) fn read(&self) -> Result<Vec<Shown>> {
        Ok(standing(&jsonl::all(&self.path)?))
    }

    /// Waits until nobody else makes any; that is never longer than a few lines take.
    pub(super) fn hold(&self) -> Result<Held> {
        let mut file = Locked::open(&self.path)?.or_new()?;
        let shown = standing(&file.lines()?);
        Ok(Held { file, shown })
    }

    /// Ends some.
    pub(super) fn end(&self, which: impl Fn(&Shown) -> bool) -> Result<()> {
        if self.read()?.iter().any(&which) { self.hold()?.end(which) } else { Ok(()) }
    }
}

impl Held {
    pub(super) fn shown(&self) -> &[Shown] {
        &self.shown
    }

    pub(super) fn reserve(&mut self, intent: &str, by: Reservation) -> Result<()> {
        self.write(Shown { intent: intent.to_owned(), by, over: false })
    }

    fn end(mut self, which: impl Fn(&Shown) -> bool) -> Result<()> {
        let (over, left): (Vec<Shown>, Vec<Shown>) = self.shown.iter().cloned().partition(which);
        if left.is_empty() {
            return self.file.clear();
        }
        over.into_iter().try_for_each(|shown| self.write(Shown { over: true, ..shown }))
    }

    fn write(&mut self, shown: Shown) -> Result<()> {
        self.file.append(&serde_json::to_string(&shown).unwrap_or_default())
    }
}

impl Shown {
    pub(super) fn is_of(&self, turn: &str) -> bool {
        self.by.turn == turn
    }

    /// Whether nothing can become of it any more: its turn took too long, or it counted already.
    pub(super) fn is_spent(&self, intents: &[StandingIntent], now: i64) -> bool {
        self.by.is_lost(now) || intents.iter().any(|intent| intent.id == self.intent && intent.has_counted(&self.by))
    }
}

/// Puts reservations beside their intents; one whose turn took too long is given back.
pub(super) fn put_beside(intents: &mut [StandingIntent], shown: &[Shown], now: i64) {
    for Shown { intent, by, .. } in shown {
        let Some(intent) = intents.iter_mut().find(|one| one.id == *intent) else { continue };
        if !intent.has_counted(by) {
            intent.reserve(by.clone());
            if by.is_lost(now) {
                intent.give_back(now);
            }
        }
    }
}

fn standing(lines: &[String]) -> Vec<Shown> {
    let mut standing: Vec<Shown> = Vec::new();
    for shown in lines.iter().filter_map(|line| serde_json::from_str::<Shown>(line).ok()) {
        if shown.over {
            standing.retain(|other| (&other.intent, &other.by) != (&shown.intent, &shown.by));
        } else {
            standing.push(shown);
        }
    }
    standing
}
