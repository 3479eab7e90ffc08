//! The log of what was put into the prompts of an agent, as the model saw it, for whoever asks what memory did. One JSON
//! record a line; bounded by age, number and bytes. What is forgotten takes all of it along, because a block may quote
//! anything, in any cut.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use lru::LruCache;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::jsonl::{self, Locked};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Name of the file in its folder.
const FILE: &str = "prompts.jsonl";
/// Blocks that are kept, and bytes of the file. A file with an eighth more is written anew.
const MOST: usize = 1000;
const MOST_BYTES: u64 = 8 << 20;
/// Longest text that is kept of one block, in characters; ours are shorter unless limits were raised. However they are
/// escaped, the line stays below the longest that its end is looked for in.
const MOST_CHARS: usize = 20_000;
/// The same of the key of a conversation.
const MOST_KEY_CHARS: usize = 500;
/// Bytes of texts that are given at a time.
const PAGE_BYTES: usize = 1 << 20;
/// How long nothing is kept after something was forgotten, in milliseconds: a recall that had begun, or another process
/// that still takes it out of its index, may show just that.
const QUIET_MS: i64 = 60_000;
/// How long the oldest block may be over before the file is written anew for it, in milliseconds.
const SLACK_MS: i64 = 3_600_000;
/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;
/// The beginning of the file, in bytes, that says when it begins.
const HEAD: u64 = 256;

/// How many lines a file had at a length: every block that is added asks, and to count those of 9 MB takes milliseconds. No
/// reply waits for it, but the file is locked meanwhile. One that another process has written to has another length.
static COUNTED: LazyLock<Mutex<LruCache<PathBuf, (u64, usize)>>> =
    LazyLock::new(|| Mutex::new(LruCache::new(MOST_COUNTED)));
/// Files whose count is kept.
const MOST_COUNTED: NonZeroUsize = NonZeroUsize::new(64).unwrap();

/// What put something into a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptPart {
    /// Passages that fit the message.
    Recall,
    /// The last turns.
    ShortTermMemory,
    /// What a model chose.
    ActiveMemory,
    /// Standing intents that came up.
    Intents,
}

/// What was put into a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownPrompt {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Names it, for what is older.
    #[serde(default)]
    pub id: String,
    /// What put it there.
    pub part: PromptPart,
    /// How long that took, in milliseconds.
    pub ms: f64,
    /// The key of the conversation.
    pub session_key: String,
    /// The block as the model saw it; of a very long one its beginning.
    pub text: String,
}

/// Some of the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptPage {
    /// Newest first.
    pub prompts: Vec<ShownPrompt>,
    /// After which older ones go on; null where there are none.
    pub next: Option<String>,
}

/// What the first line says where something was forgotten.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Since {
    /// Nothing is kept of a turn that began before, in milliseconds since 1970.
    since: i64,
}

/// The log of an agent.
#[derive(Debug, Clone)]
pub struct PromptLog {
    path: PathBuf,
}

impl PromptLog {
    /// The one in an agent's folder.
    #[must_use]
    pub fn of(agent_folder: &Path) -> Self {
        Self { path: agent_folder.join(FILE) }
    }

    /// Keeps a block for `days`, with an id of its own; with none, and without a text, nothing is kept.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&self, mut shown: ShownPrompt, days: u64) -> Result<()> {
        if days == 0 || shown.text.is_empty() {
            return Ok(());
        }
        let mut file = Locked::open(&self.path)?;
        let head = file.run(|file, _| Head::read(file))?;
        #[expect(clippy::cast_possible_truncation, reason = "a turn is shorter")]
        let began = shown.at.saturating_sub(shown.ms as i64);
        if head.since.is_some_and(|since| began <= since) {
            return Ok(());
        }
        shown.id = uuid::Uuid::new_v4().simple().to_string();
        shorten(&mut shown.text, MOST_CHARS);
        shorten(&mut shown.session_key, MOST_KEY_CHARS);
        let line = text_of(&shown)?;
        let before = file.size()?;
        match file.append(&line) {
            // Nobody can say what it holds, and nobody needs it.
            Err(error) if error.code() == Code::Corrupt => {
                file.clear()?;
                file.append(&line)?;
            }
            appended => appended?,
        }
        let lines = self.count(&mut file, before, line.len() as u64 + 1)?;
        let is_old = head.oldest.is_some_and(|oldest| oldest < first_of(days, shown.at) - SLACK_MS);
        if is_old || file.size()? > MOST_BYTES + MOST_BYTES / 8 || lines > MOST + MOST / 8 {
            self.trim(&mut file, days, shown.at)?;
        }
        Ok(())
    }

    /// The lines of the file, of which one of so many bytes was added to so many before.
    fn count(&self, file: &mut Locked, before: u64, added: u64) -> Result<usize> {
        let size = file.size()?;
        let known = COUNTED.lock().get(&self.path).copied();
        // What was torn was cut off, or set aside, by appending.
        let lines = match known {
            Some((of, lines)) if of == before && before + added == size => lines + 1,
            _ => file.count()?,
        };
        COUNTED.lock().put(self.path.clone(), (size, lines));
        Ok(lines)
    }

    /// Blocks of the last `days`, newest first: at most so many, those older than the one of an id. Of an id that is gone
    /// nothing is older.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn page(&self, before: Option<&str>, most: usize, days: u64, now_ms: i64) -> Result<PromptPage> {
        let mut all = self.all()?;
        all.retain(|one| days > 0 && one.at >= first_of(days, now_ms));
        // Several processes add to it: what ended first may stand second.
        all.sort_by_key(|one| one.at);
        if let Some(before) = before {
            all.truncate(all.iter().position(|one| one.id == before).unwrap_or_default());
        }
        let mut page = PromptPage::default();
        let mut bytes = 0;
        while let Some(one) = all.pop() {
            bytes += one.text.len();
            if page.prompts.len() == most || (bytes > PAGE_BYTES && !page.prompts.is_empty()) {
                page.next = page.prompts.last().map(|last| last.id.clone());
                break;
            }
            page.prompts.push(one);
        }
        Ok(page)
    }

    /// All that is on the disk, in its order. A file that cannot be one of ours holds nothing.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn all(&self) -> Result<Vec<ShownPrompt>> {
        match jsonl::all(&self.path) {
            Err(error) if error.code() == Code::Corrupt => Ok(Vec::new()),
            lines => Ok(lines?.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        }
    }

    /// Takes out what is older than `days`, and what nobody can read; with no days all of it. For whoever has time: what is
    /// added does it by and by.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn tend(&self, days: u64, now_ms: i64) -> Result<()> {
        self.remove_set_aside()?;
        if !self.path.exists() {
            return Ok(());
        }
        let mut file = Locked::open(&self.path)?;
        let head = file.run(|file, _| Head::read(file))?;
        if days == 0 {
            return file.run(|_, path| std::fs::remove_file(path));
        }
        if head.oldest.is_some_and(|oldest| oldest < first_of(days, now_ms)) {
            self.trim(&mut file, days, now_ms)?;
        }
        Ok(())
    }

    /// Takes all of it out, and keeps nothing of turns that began before, or within a minute.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget(&self, now_ms: i64) -> Result<()> {
        self.remove_set_aside()?;
        if !self.path.exists() {
            return Ok(());
        }
        let line = text_of(&Since { since: now_ms + QUIET_MS })?;
        let mut file = Locked::open(&self.path)?;
        // Emptied before it is replaced: a file that has lost its name may be held open.
        file.clear()?;
        file.run(|_, path| own_file::replace(path, format!("{line}\n").as_bytes()))
    }

    /// Writes the file anew without what is too old or too much.
    fn trim(&self, file: &mut Locked, days: u64, now_ms: i64) -> Result<()> {
        let lines = match file.lines() {
            Err(error) if error.code() == Code::Corrupt => return file.clear(),
            lines => lines?,
        };
        let since = lines.first().filter(|line| serde_json::from_str::<Since>(line).is_ok());
        let is_young = |line: &&String| {
            serde_json::from_str::<ShownPrompt>(line).is_ok_and(|one| one.at >= first_of(days, now_ms))
        };
        let mut bytes = 0;
        let is_room = |line: &&String| {
            bytes += line.len() as u64 + 1;
            bytes <= MOST_BYTES
        };
        let newest: Vec<&String> = lines.iter().rev().filter(is_young).take(MOST).take_while(is_room).collect();
        let text: String = since.into_iter().chain(newest.into_iter().rev()).flat_map(|line| [line, "\n"]).collect();
        file.run(|_, path| own_file::replace(path, text.as_bytes()))
    }

    /// What appending has set aside as damaged: nobody asks for it, and forgetting could not tell what it holds.
    fn remove_set_aside(&self) -> Result<()> {
        for file in jsonl::set_aside(&self.path)? {
            std::fs::remove_file(&file).map_err(|e| Error::io(&file, &e))?;
        }
        Ok(())
    }
}

/// What the beginning of the file says.
#[derive(Debug, Clone, Copy, Default)]
struct Head {
    /// Nothing of a turn that began before is kept.
    since: Option<i64>,
    /// When the first block was put in.
    oldest: Option<i64>,
}

impl Head {
    fn read(file: &mut File) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.take(HEAD).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let number = |line: &str, name: &str| {
            let rest = line.strip_prefix(name)?;
            rest.split(|c: char| c != '-' && !c.is_ascii_digit()).next()?.parse().ok()
        };
        let mut lines = text.lines().take(2);
        let first = lines.next().unwrap_or_default();
        let since = number(first, "{\"since\":");
        let entry = if since.is_some() { lines.next().unwrap_or_default() } else { first };
        Ok(Self { since, oldest: number(entry, "{\"at\":") })
    }
}

/// The first instant that is kept.
fn first_of(days: u64, now_ms: i64) -> i64 {
    now_ms.saturating_sub(i64::try_from(days).unwrap_or(i64::MAX).saturating_mul(DAY_MS))
}

fn shorten(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.push('…');
    }
}

fn text_of(line: &impl Serialize) -> Result<String> {
    serde_json::to_string(line).map_err(|e| Error::new(Code::Internal, format!("log of prompts: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_790_000_000_000;

    fn shown(at: i64, text: &str) -> ShownPrompt {
        let session_key = "agent:main:main".to_owned();
        ShownPrompt { at, id: String::new(), part: PromptPart::Recall, ms: 3.5, session_key, text: text.to_owned() }
    }

    fn log() -> (tempfile::TempDir, PromptLog) {
        let dir = tempfile::tempdir().unwrap();
        let log = PromptLog::of(&dir.path().join("main"));
        (dir, log)
    }

    fn texts(log: &PromptLog) -> Vec<String> {
        log.page(None, 5000, 30, NOW).unwrap().prompts.into_iter().map(|one| one.text).collect()
    }

    fn on_disk(log: &PromptLog) -> String {
        String::from_utf8_lossy(&std::fs::read(&log.path).unwrap()).into_owned()
    }

    #[test]
    fn blocks_are_paged_newest_first_and_what_was_put_in_meanwhile_moves_no_page() {
        let (_dir, log) = log();
        for n in 0..5 {
            log.add(shown(NOW + n, &n.to_string()), 30).unwrap();
        }
        let first = log.page(None, 2, 30, NOW).unwrap();
        log.add(shown(NOW + 9, "late"), 30).unwrap();
        let second = log.page(first.next.as_deref(), 2, 30, NOW).unwrap();
        let third = log.page(second.next.as_deref(), 2, 30, NOW).unwrap();
        let texts: Vec<_> = [first, second, third.clone()].into_iter().flat_map(|page| page.prompts).collect();
        assert_eq!(texts.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["4", "3", "2", "1", "0"]);
        assert_eq!(third.next, None);
        assert_eq!(log.page(Some("gone"), 2, 30, NOW).unwrap(), PromptPage::default());
        // A page holds at least one, however long it is.
        log.add(shown(NOW + 10, &"€".repeat(30_000)), 30).unwrap();
        let long = &log.page(None, 1, 30, NOW).unwrap().prompts[0];
        assert_eq!((long.text.chars().count(), long.text.ends_with('…')), (MOST_CHARS + 1, true));
    }

    #[test]
    fn nothing_is_kept_for_no_days_and_what_was_goes() {
        let (_dir, log) = log();
        log.add(shown(NOW, "tea"), 0).unwrap();
        log.add(shown(NOW, ""), 30).unwrap();
        assert!(!log.path.exists());
        log.add(shown(NOW, "tea"), 30).unwrap();
        assert_eq!(log.page(None, 9, 0, NOW).unwrap(), PromptPage::default());
        log.tend(0, NOW).unwrap();
        assert!(!log.path.exists());
    }

    #[test]
    fn the_file_is_bounded_by_age_number_and_bytes() {
        let (_dir, log) = log();
        log.add(shown(NOW - 31 * DAY_MS, "old"), 30).unwrap();
        assert_eq!(texts(&log), Vec::<String>::new());
        log.tend(30, NOW).unwrap();
        assert!(!on_disk(&log).contains("old"));
        log.add(shown(NOW - 31 * DAY_MS, "old"), 30).unwrap();
        log.add(shown(NOW, "new"), 30).unwrap();
        assert!(!on_disk(&log).contains("old"), "also without anyone who tends it");
        for n in 0..MOST + MOST / 8 {
            log.add(shown(NOW, &n.to_string()), 30).unwrap();
        }
        assert_eq!(log.all().unwrap().len(), MOST);
        let long = "x".repeat(MOST_CHARS);
        for _ in 0..600 {
            log.add(shown(NOW, &long), 30).unwrap();
        }
        assert!(log.path.metadata().unwrap().len() <= MOST_BYTES + MOST_BYTES / 8);
        assert_eq!(texts(&log)[0], long);
    }

    // The lines are counted once, and what another process wrote must count all the same.
    #[test]
    fn the_file_is_bounded_by_number_also_where_another_process_wrote_to_it() {
        let (_dir, log) = log();
        log.add(shown(NOW, "first"), 30).unwrap();
        let line = on_disk(&log);
        std::fs::write(&log.path, line.repeat(MOST + MOST / 8)).unwrap();
        log.add(shown(NOW, "next"), 30).unwrap();
        assert_eq!(log.all().unwrap().len(), MOST);
    }

    #[test]
    fn what_is_forgotten_takes_all_along_and_a_recall_that_had_begun_too() {
        let (dir, log) = log();
        log.forget(NOW).unwrap();
        assert!(!log.path.exists(), "who has none gets none");
        log.add(shown(NOW, "the code is 4711"), 30).unwrap();
        let damaged = log.path.with_file_name("prompts-damaged-2026-11-25.jsonl");
        std::fs::write(&damaged, "\0 4711").unwrap();
        let held = File::open(&log.path).unwrap();
        log.forget(NOW + 1).unwrap();
        assert_eq!(held.metadata().unwrap().len(), 0, "nor where somebody has it open");
        // It ends after the words are gone, and began before.
        log.add(ShownPrompt { ms: 2.0 * QUIET_MS as f64, ..shown(NOW + 2 * QUIET_MS, "4711") }, 30).unwrap();
        log.add(shown(NOW + QUIET_MS, "4711"), 30).unwrap();
        for entry in dir.path().join("main").read_dir().unwrap() {
            let path = entry.unwrap().path();
            assert!(!String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains("4711"), "{}", path.display());
        }
        log.add(shown(NOW + QUIET_MS + 10, "tea"), 30).unwrap();
        assert_eq!(texts(&log), ["tea"]);
        // It is known still when the file is written anew.
        log.tend(30, NOW + 40 * DAY_MS).unwrap();
        assert!(on_disk(&log).starts_with("{\"since\":"));
    }

    // A process that was killed leaves the beginning of a record, a disk that failed leaves anything.
    #[test]
    fn a_file_that_ends_anywhere_or_is_damaged_costs_no_other_block() {
        let (_dir, log) = log();
        log.add(shown(NOW, "first"), 30).unwrap();
        log.add(shown(NOW, "ç second"), 30).unwrap();
        let whole = std::fs::read(&log.path).unwrap();
        let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        // Without its line feed alone it is whole.
        for end in first..whole.len() - 1 {
            std::fs::write(&log.path, &whole[..end]).unwrap();
            log.add(shown(NOW, "next"), 30).unwrap();
            assert_eq!(texts(&log), ["next", "first"], "cut at {end}");
        }
        std::fs::write(&log.path, [b"\0\0 garbage\n".as_slice(), &whole].concat()).unwrap();
        log.add(shown(NOW, "next"), 30).unwrap();
        assert_eq!(texts(&log), ["next", "ç second", "first"]);
        std::fs::write(&log.path, [whole.as_slice(), &[b'x'; 300_000]].concat()).unwrap();
        log.add(shown(NOW, "after a flood"), 30).unwrap();
        assert_eq!(texts(&log), ["after a flood"], "nobody can say what it held");
        File::create(&log.path).unwrap().set_len(own_file::MAX_BYTES + 1).unwrap();
        assert_eq!(texts(&log), Vec::<String>::new());
        log.add(shown(NOW, "anew"), 30).unwrap();
        assert_eq!(texts(&log), ["anew"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_reads_it_also_after_it_was_written_anew() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, log) = log();
        let mode = || log.path.metadata().unwrap().permissions().mode() & 0o777;
        log.add(shown(NOW, "tea"), 30).unwrap();
        assert_eq!(mode(), 0o600);
        log.forget(NOW).unwrap();
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn several_processes_lose_nothing() {
        let (_dir, log) = log();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let log = &log;
                scope.spawn(move || {
                    for n in 0..50 {
                        log.add(shown(NOW, &format!("{writer}-{n}")), 30).unwrap();
                        log.tend(30, NOW).unwrap();
                    }
                });
            }
        });
        assert_eq!(texts(&log).len(), 200);
    }
}
