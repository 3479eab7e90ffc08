//! What another gateway forgot, erased from what this one keeps beside the index: captures, turns that wait, the last turns,
//! standing intents, and the log of prompts.
//!
//! The list says it in hashes and names. What they tell is found by these; what only says the same words is found by the words,
//! where this gateway has them in a note or a capture of its own. Nothing of it can be put back here.

use super::{
    TAKEN_OVER,
    same_words::SameWords,
    selection::{Selection, instant},
};
use crate::{
    capture::{
        collect::note_line,
        erase::{self, Places, Wanted},
        log,
        prompts::PromptLog,
        queue::Job,
        rules::Category,
        sentences::sentences,
        short_term,
    },
    intents::{Intents, StandingIntent},
    workspace::{
        discover::discover,
        exclusions::{Entry, Exclusions, What, is_telling},
        is_at_or_below,
        read::read_text,
        roots::Roots,
        unfinished::{self, Which},
    },
};
use model::{
    config::{automatic::agent_folder, settings::Settings},
    error::Result,
};
use std::sync::Arc;
use text::speaker::Speaker;

/// Erases what is kept here of what these entries are about, which are new to this gateway.
///
/// # Errors
/// When a file cannot be read or written. It can be done again.
pub(super) fn erase(settings: &Settings, entries: &[Entry], now_ms: i64) -> Result<()> {
    // Of what another memory had forgotten before, ours was not told to forget anything, wherever it is taken over.
    let entries: Vec<&Entry> = entries.iter().filter(|entry| entry.id != TAKEN_OVER).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let folder = agent_folder(&settings.state_dir, &settings.agent_id);
    let places = Places { folder: Some(folder.clone()), short_term: Some(settings.short_term_file.clone()) };
    let all = || {
        if !erase::is_nothing_kept(&places)? {
            words(settings, &places, &Meant::of(&entries))?;
        }
        let intents = Intents::of(&folder);
        let meant = Meant::of(&entries);
        let gone: Vec<StandingIntent> = intents.list(None, now_ms)?.into_iter().filter(|i| meant.intent(i)).collect();
        if !gone.is_empty() {
            intents.remove(&gone.iter().map(|intent| intent.id.as_str()).collect::<Vec<_>>(), now_ms)?;
        }
        // Nobody knows whose words a killed process was writing.
        unfinished::remove(settings, &places.folders(), Which::All)?;
        PromptLog::of(&folder).forget(now_ms)
    };
    all().map_err(|error: model::error::Error| error.context("what another gateway forgot cannot be erased here"))
}

/// The words of automatic memory.
fn words(settings: &Settings, places: &Places, meant: &Meant<'_>) -> Result<()> {
    let lines = lines_of_notes(settings, meant);
    let same = SameWords::of(&lines).with_captures(places, |entry| meant.capture(entry))?;
    let wanted = Wanted {
        capture: &|entry| meant.capture(entry) || same.text(&entry.text),
        turn: &|job| meant.turn(job) || same.turn(job),
        record: &|record| meant.record(record) || same.record(record),
    };
    erase::take(places, &erase::find(places, &wanted)?)
}

/// The forgotten lines of the notes on this disk. What cannot be read tells nothing.
fn lines_of_notes(settings: &Settings, meant: &Meant<'_>) -> Vec<String> {
    let roots = Roots { forgotten: Arc::default(), ..Roots::of(settings) };
    let mut lines = Vec::new();
    for entry in discover(&roots).entries {
        let Ok(file) = read_text(&roots, &entry.absolute) else { continue };
        let list = &meant.list;
        let is_whole = list.path(&entry.path).is_some() || list.content(file.text.as_bytes());
        let is_meant = |line: &&str| is_telling(line) && (is_whole || list.line(&entry.path, line));
        lines.extend(file.text.lines().filter(is_meant).map(str::to_owned));
    }
    lines
}

fn line_of(entry: &log::Entry) -> String {
    note_line(entry.category.unwrap_or(Category::Other), &entry.text)
}

/// What the entries are about.
struct Meant<'a> {
    list: Exclusions,
    /// Files and folders, with when they were forgotten: what is written into them later is not.
    paths: Vec<(&'a str, Option<i64>)>,
    /// Conversations, in the same way.
    conversations: Vec<(Selection, Option<i64>)>,
}

impl<'a> Meant<'a> {
    fn of(entries: &[&'a Entry]) -> Self {
        let whats: Vec<What> = entries.iter().map(|entry| entry.what.clone()).collect();
        let (mut paths, mut conversations) = (Vec::new(), Vec::new());
        for entry in entries {
            let at = instant(&entry.at);
            match &entry.what {
                What::Path { path, .. } => paths.push((path.as_str(), at)),
                What::Session { session } => {
                    conversations.push((Selection { sessions: vec![session.clone()], ..Selection::default() }, at));
                }
                What::Lines { .. } => {}
            }
        }
        Self { list: Exclusions::of_these(&whats), paths, conversations }
    }

    fn capture(&self, entry: &log::Entry) -> bool {
        let at = instant(&entry.ts);
        let path = entry.path.as_deref().unwrap_or_default();
        self.paths.iter().any(|(place, until)| is_at_or_below(path, place) && is_until(at, *until))
            || self.conversations.iter().any(|(whose, until)| whose.capture(entry) && is_until(at, *until))
            || self.list.line(path, &line_of(entry))
            || self.says(&entry.text)
    }

    fn turn(&self, job: &Job) -> bool {
        let at = (job.created_ms > 0).then_some(job.created_ms);
        self.conversations.iter().any(|(whose, until)| whose.turn(job) && is_until(at, *until))
            || job.messages.iter().any(|message| self.says(&message.text))
    }

    /// Those of the last turns do not say which conversation they are of, nor does the list say when one was: all until it was
    /// forgotten are.
    fn record(&self, record: &short_term::Entry) -> bool {
        let at = instant(&record.ts);
        self.conversations.iter().any(|(_, until)| is_until(at, *until))
            || [&record.input, &record.output, &record.task].into_iter().any(|text| self.says(text))
    }

    fn intent(&self, intent: &StandingIntent) -> bool {
        let is_meant =
            |(whose, until): &(Selection, _)| whose.intent(intent) && is_until(Some(intent.created_at), *until);
        self.conversations.iter().any(is_meant)
    }

    /// Whether a text, a line or a sentence of it is a forgotten one: as it is, as a note has it that captured it, or as a
    /// transcript has it.
    fn says(&self, text: &str) -> bool {
        let is_line = |line: &str| self.list.line("", line);
        let is_forgotten = |part: &str| {
            is_line(part)
                || Category::ALL.iter().any(|category| is_line(&note_line(*category, part)))
                || Speaker::ALL.iter().any(|speaker| is_line(&format!("{}{part}", speaker.label())))
        };
        is_forgotten(text.trim()) || text.lines().map(str::trim).any(is_forgotten) || sentences(text).any(is_forgotten)
    }
}

/// Whether something was there when something was forgotten; what does not say when it was may have been.
fn is_until(at: Option<i64>, until: Option<i64>) -> bool {
    at.zip(until).is_none_or(|(at, until)| at <= until)
}

#[cfg(test)]
mod tests;
