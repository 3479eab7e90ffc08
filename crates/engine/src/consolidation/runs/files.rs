//! What a run makes of the files, and writing it: each in one step, and never over what somebody else has written.

use jiff::tz::TimeZone;

use super::Runs;
use crate::consolidation::{
    edit::{Edit, Other},
    evidence::ARCHIVE,
    plan::Plan,
    report,
    section::Document,
};
use model::error::{Code, Error, Result};

/// How often a file is read again that somebody changes at the same moment.
const ATTEMPTS: usize = 20;
/// The head of an archive that is made.
const HEADER: &str = "# Archive of learned entries\n\n";

impl Runs {
    /// The file with the plan carried out.
    pub(super) fn changed(&self, plan: &Plan, memory: Option<&str>) -> Result<String> {
        let add: Vec<String> = plan.add.iter().map(|addition| addition.line.clone()).collect();
        let document = Document::parse(memory.unwrap_or_default())?;
        Ok(document.with(&plan.removed(), &add))
    }

    /// What changes in which file: the archive first, so that no entry is nowhere.
    pub(super) fn edits(&self, plan: &Plan, memory: Option<&str>, diary: Option<&str>) -> Result<Vec<Edit>> {
        let mut edits = Vec::new();
        if plan.is_empty() {
            return Ok(edits);
        }
        if !plan.moved.is_empty() {
            let archive = self.text(ARCHIVE)?;
            let mut text = archive.clone().unwrap_or_else(|| HEADER.to_owned());
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            for moved in &plan.moved {
                text.push_str(&moved.line);
                text.push('\n');
            }
            edits.extend(Edit::between(ARCHIVE, archive.as_deref(), &text));
        }
        let after = self.changed(plan, memory)?;
        let is_ours_alone = memory.is_none() || outside_of(memory.unwrap_or_default())? == outside_of(&after)? || {
            // A section that is made stands behind everything, and nothing before it has changed.
            Document::parse(memory.unwrap_or_default())?.entries().is_empty()
                && after.starts_with(memory.unwrap_or_default())
        };
        if !is_ours_alone {
            return Err(Error::new(Code::Internal, "a line outside our section would change"));
        }
        edits.extend(Edit::between(&plan.path, memory, &after));
        if self.settings.report {
            let Some(dreams) = self.diary() else { return Ok(edits) };
            let at = TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC);
            let at = jiff::Timestamp::from_millisecond(self.now_ms).unwrap_or_default().to_zoned(at);
            if let Some(text) = report::with_block(dreams.as_deref(), &report::block(plan, &at, diary)) {
                edits.extend(Edit::between(report::DIARY, dreams.as_deref(), &text));
            }
        }
        Ok(edits)
    }

    /// The diary as it is; none where it cannot be read, which is told: nothing that is learned or taken back depends on one that
    /// is a link, or no text.
    fn diary(&self) -> Option<Option<String>> {
        let told = |error: &Error| {
            tracing::warn!(error = error.message.as_str(), "DREAMS.md cannot be read and stays as it is");
        };
        self.text(report::DIARY).inspect_err(told).ok()
    }

    pub(super) fn carry_out(&self, edits: &[Edit]) -> Result<()> {
        for edit in edits {
            // A diary that somebody writes at this moment is not worth a run.
            if !self.does(edit)? && edit.path != report::DIARY {
                return Err(changed_meanwhile(&edit.path));
            }
        }
        Ok(())
    }

    /// Does an edit, unless it is done already; false where the file is another by now.
    pub(super) fn does(&self, edit: &Edit) -> Result<bool> {
        whatever_of_the_diary(edit, true, || {
            let now = self.text(&edit.path)?;
            match edit.done(now.as_deref()) {
                Other::Already => Ok(true),
                Other::Text(after) => self.write(&edit.path, now.as_deref(), after.as_deref()).map(|()| true),
                Other::Lost => Ok(false),
            }
        })
    }

    /// Makes of a file what `change` makes of its text; that is asked again when somebody has changed the file meanwhile.
    pub(super) fn rewrite(&self, path: &str, mut change: impl FnMut(Option<&str>) -> Result<Other>) -> Result<()> {
        for _ in 0..ATTEMPTS {
            let now = self.text(path)?;
            let Other::Text(after) = change(now.as_deref())? else { return Ok(()) };
            self.notes.check_not_written(path)?;
            if self.notes.replace(path, now.as_deref().map(str::as_bytes), after.as_deref().map(str::as_bytes))? {
                return Ok(());
            }
        }
        Err(Error::new(Code::Busy, format!("another program keeps writing {path}")).remedy("Close it and try again"))
    }

    pub(super) fn write(&self, path: &str, before: Option<&str>, after: Option<&str>) -> Result<()> {
        if self.notes.replace(path, before.map(str::as_bytes), after.map(str::as_bytes))? {
            Ok(())
        } else {
            Err(changed_meanwhile(path))
        }
    }
}

/// Where the diary cannot be read or written it stays as it is, which is told, and `otherwise` is given: nothing that is learned or
/// taken back depends on it.
pub(super) fn whatever_of_the_diary<T>(edit: &Edit, otherwise: T, change: impl FnOnce() -> Result<T>) -> Result<T> {
    match change() {
        Err(error) if edit.path == report::DIARY => {
            tracing::warn!(error = error.message.as_str(), "DREAMS.md cannot be changed and stays as it is");
            Ok(otherwise)
        }
        done => done,
    }
}

pub(super) fn outside_of(text: &str) -> Result<String> {
    Ok(Document::parse(text)?.outside())
}

fn changed_meanwhile(path: &str) -> Error {
    Error::new(Code::Busy, format!("{path} was changed by another program at that moment"))
        .remedy("Plan again and apply the new plan")
}
