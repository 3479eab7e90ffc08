//! The one step that finds out what is meant: passages, conversations, people and times become the pieces of a plan. It
//! changes nothing.

mod chosen;
mod left;
mod passages;
mod paths;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use jiff::tz::TimeZone;

use super::{
    super::super::facts::{hashes_of_forgotten, zone},
    ForgetCall, ForgetReport, Passage,
};
use crate::{
    capture::{
        collect::note_line,
        erase::{self, Wanted, Words},
        facts,
        journal::Journal,
        log::Status,
        prompts::PromptLog,
        rules::Category,
    },
    consolidation::{
        evidence::{claims_of_lines, mark_of_conversation},
        lineage::{self, Written},
    },
    forgetting::{
        notes::Cut,
        plan::{Plan, Plans},
        same_words::SameWords,
        selection::{Selection, Target},
    },
    index::rows::hash,
    intents::Intents,
    workspace::{
        discover::{Entry, discover},
        exclusions::{Exclusions, What, ids_in},
        notes::Notes,
        read::read_text,
        roots::Roots,
    },
};
use ::search::types::Hit;
use model::{
    config::settings::Settings,
    error::{Code, Error, Result},
    source::Source,
};
use store::{Reader, Store, files::Hash, generations::GenerationId, ids::FileId};
use text::{session_header, time::date_in};

/// Characters of a passage shown in the report.
const SHOWN_CHARS: usize = 160;
/// Letters and digits of a text from which a line that holds it is taken to repeat it.
const QUOTED: usize = 12;
/// Lines that repeat what is forgotten, in a report.
const SHOWN_QUOTES: usize = 50;
/// Where the notes of conversations are.
const NOTES: &str = "memory/";

/// What was found so far.
#[derive(Default)]
struct Found {
    report: ForgetReport,
    whats: Vec<What>,
    cuts: Vec<Cut>,
    hashes: BTreeSet<Hash>,
    /// Texts of forgotten lines, in memory only.
    lines: Vec<String>,
    /// Files and folders that were named by hand.
    named: paths::Named,
}

/// Makes the plan of a call.
pub(super) fn plan(store: &Store, call: &ForgetCall, hits: &[Hit], settings: &Settings, now_ms: i64) -> Result<Plan> {
    let Target { selection, quotes, places, intents, .. } = &call.target;
    let (roots, notes) = (Roots::of(settings), Notes::of(settings));
    let mut found = Found::default();
    // All notes are looked at for the words of somebody, and none for a passage.
    let files = if selection.is_empty() { Vec::new() } else { discover(&roots).entries };
    found.whole_notes(&files, &notes, selection)?;
    store.read(|r| {
        let live = r.live()?.map(|live| live.id).unwrap_or_default();
        found.passages(r, live, &roots, call, hits)?;
        found.same_words(r, live, (&roots, settings), call, hits.len())?;
        found.sessions(r, live, &roots, selection)
    })?;
    found.contents(&roots);
    let names = selection.names();
    let conversations: Vec<String> = names.iter().map(|name| mark_of_conversation(name)).collect();
    // Also when nothing is found yet: a transcript may be indexed later than it is forgotten.
    found.whats.extend(names.into_iter().map(|session| What::Session { session }));
    let list = Exclusions::of_these(&found.whats);
    let facts = match selection.is_empty() {
        true => Vec::new(),
        false => facts_of(places.folder.as_deref(), &notes, &zone(settings), selection)?,
    };
    let words = found.words(call, &facts)?;
    let ours = found.lines_of_ours(&call.target, &words, &facts);
    let source = lineage::Source {
        claims: claims_of_lines(&found.lines).into_iter().collect(),
        paths: list.paths().map(str::to_owned).collect(),
        conversations: conversations.iter().cloned().collect(),
        days: selection.range.map(|range| days_of(range.from_ms, range.to_ms, &settings.zone_name())),
    };
    let (claims, evidence) = source.touched(store.read(|r| r.evidence(""))?);
    let runs = store.read(|r| r.runs_naming(&claims))?;
    let written = Written::of(&claims, &runs);
    found.cuts(&notes, selection, ours, &written)?;
    let texts = words.captures.iter().map(|entry| entry.text.clone());
    let texts = texts.chain(evidence.iter().filter(|e| claims.contains(&e.claim.id)).map(|e| e.claim.text.clone()));
    if !selection.is_empty() {
        found.quotes(&files, &notes, &texts.collect::<Vec<_>>(), *quotes)?;
    }
    let intents_folder = intents.clone().filter(|_| !selection.is_empty());
    let intents = match &intents_folder {
        Some(folder) => Intents::of(folder).list(None, now_ms)?.into_iter().filter(|i| selection.intent(i)).collect(),
        None => Vec::new(),
    };
    // Facts have vectors of their own words, without the line around them.
    let facts = hashes_of_forgotten(settings, &list)?;
    found.report.facts += facts.len();
    found.hashes.extend(facts);
    let hashes = store.read(|r| {
        found.chunks_of_cuts(r, r.live()?.map(|live| live.id).unwrap_or_default())?;
        let hashes: Vec<Hash> = found.hashes.iter().copied().collect();
        found.report.vectors = r.vector_count_of(&hashes)?;
        Ok(hashes)
    })?;
    let mut report = found.report;
    report.lines = found.cuts.iter().flat_map(shown_lines).collect();
    report.captures = words.captures.len();
    report.waiting = words.turns.len();
    report.short_term = words.records();
    let prompts = places.folder.as_deref().map_or_else(|| Ok(Vec::new()), |folder| PromptLog::of(folder).all())?;
    report.prompts = prompts.len();
    report.prompts_of_it = prompts.iter().filter(|shown| selection.prompt(shown)).count();
    report.damaged = words.damaged;
    report.intents = intents.len();
    report.claims = claims.len();
    report.runs = runs.len();
    report.mixed = written.mixed.into_iter().collect();
    report.shared = store.admin().is_none();
    let plan = Plan {
        id: Plans::new_id(),
        planned_ms: now_ms,
        whats: found.whats,
        cuts: found.cuts,
        words,
        places: places.clone(),
        intents,
        intents_folder,
        evidence,
        claims,
        conversations,
        runs,
        hashes,
        ..Plan::default()
    };
    let is_forgotten = selection.sessions.iter().any(|name| roots.forgotten.session(name));
    if is_nothing(&plan, selection) && report.prompts_of_it == 0 && !is_forgotten {
        let audit = "`openclaw memory audit` shows what memory has of a conversation, a person or a time";
        return Err(match selection.sessions.as_slice() {
            [] => Error::new(Code::NotFound, "nothing was found that could be forgotten").remedy(audit),
            names => {
                let names = names.join("\", \"");
                let why = format!("neither memory nor the host knows a conversation \"{names}\"");
                Error::new(Code::NotFound, why)
                    .remedy(format!("Name one by its id or key as the host lists it; {audit}"))
            }
        });
    }
    report.id.clone_from(&plan.id);
    let report = serde_json::to_value(&report).map_err(|e| Error::new(Code::Internal, format!("report: {e}")))?;
    Ok(Plan { report, ..plan })
}

/// Whether a plan would change nothing; damage alone is for `doctor`. That a conversation is named does not make it one: what is
/// taken along because nobody knows its time says nothing of it either.
fn is_nothing(plan: &Plan, selection: &Selection) -> bool {
    let Words { captures, turns, lines, .. } = &plan.words;
    selection.conversations.is_empty()
        && plan.whats.iter().all(|what| matches!(what, What::Session { .. }))
        && plan.cuts.is_empty()
        && captures.is_empty()
        && turns.is_empty()
        && (lines.is_empty() || !selection.sessions.is_empty())
        && plan.intents.is_empty()
        && plan.evidence.is_empty()
}

/// The days of a time, where the user is.
fn days_of(from_ms: Option<i64>, to_ms: Option<i64>, zone: &str) -> (String, String) {
    let day =
        |ms: Option<i64>, else_day: &str| ms.map_or_else(|| else_day.to_owned(), |ms| date_in(ms, zone).to_string());
    (day(from_ms, "0000-01-01"), day(to_ms, "9999-12-31"))
}

fn shown_lines(cut: &Cut) -> Vec<Passage> {
    let passage = |number, text: &str| Passage {
        path: cut.path.clone(),
        start_line: number,
        end_line: number,
        text: shown_text(text),
    };
    cut.lines.iter().map(|line| passage(line.number, line.bare())).collect()
}

fn shown_text(text: &str) -> String {
    text.trim().chars().take(SHOWN_CHARS).collect()
}

/// The stored facts that come from the selection and from nowhere else.
fn facts_of(folder: Option<&Path>, notes: &Notes, zone: &TimeZone, selection: &Selection) -> Result<Vec<facts::Fact>> {
    let mut sources: HashMap<String, bool> = HashMap::new();
    if let Some(folder) = folder {
        for source in Journal::new(folder).facts()? {
            let is_meant = selection.fact(&source);
            sources.entry(source.fact).and_modify(|all| *all &= is_meant).or_insert(is_meant);
        }
    }
    let is_meant = |fact: &facts::Fact| sources.get(&fact.id).copied().unwrap_or_default();
    Ok(facts::all(notes, zone)?.into_iter().filter(is_meant).collect())
}

impl Found {
    /// The notes that were written of conversations, whole.
    fn whole_notes(&mut self, files: &[Entry], notes: &Notes, selection: &Selection) -> Result<()> {
        if !selection.names_conversations() {
            return Ok(());
        }
        for entry in files.iter().filter(|entry| entry.path.starts_with(NOTES)) {
            let Some(Ok(text)) = notes.bytes(&entry.path)?.map(String::from_utf8) else { continue };
            if session_header::conversation(&text).is_some_and(|(key, id)| selection.session(key, id)) {
                self.report.notes.push(entry.path.clone());
                self.cuts.push(Cut::whole(&entry.path, &text));
            }
        }
        Ok(())
    }

    /// What the automatic memory keeps of the selection, and of the same words as in the passages.
    fn words(&mut self, call: &ForgetCall, facts: &[facts::Fact]) -> Result<Words> {
        let Target { selection, places, .. } = &call.target;
        // What was kept in a time says nothing of what was said at another one.
        let is_told = selection.names_conversations();
        let lines = self.lines.iter().chain(facts.iter().filter(|_| is_told).map(|fact| &fact.line));
        let same = SameWords::of(lines).with_captures(places, |entry| is_told && selection.capture(entry))?;
        let wanted = Wanted {
            capture: &|entry| selection.capture(entry) || same.text(&entry.text),
            turn: &|job| selection.turn(job) || same.turn(job),
            record: &|record| selection.record(record) || same.record(record),
        };
        let words = erase::find(places, &wanted)?;
        self.hashes.extend(words.captures.iter().map(|entry| hash(entry.text.as_bytes())));
        Ok(words)
    }

    /// The lines that automatic memory has written into notes for the selection: note by note, without their ends.
    fn lines_of_ours(
        &mut self,
        Target { selection, .. }: &Target,
        words: &Words,
        facts: &[facts::Fact],
    ) -> BTreeMap<String, HashSet<String>> {
        let mut ours: BTreeMap<String, HashSet<String>> = BTreeMap::new();
        if selection.is_empty() {
            return ours;
        }
        for entry in words.captures.iter().filter(|entry| entry.status == Status::Stored && selection.capture(entry)) {
            if let Some(path) = &entry.path {
                let line = note_line(entry.category.unwrap_or(Category::Other), &entry.text);
                ours.entry(path.clone()).or_default().insert(line);
            }
        }
        for fact in facts {
            self.hashes.insert(hash(fact.text.as_bytes()));
            let lines = std::iter::once(&fact.line).chain(&fact.more).cloned();
            ours.entry(fact.path.clone()).or_default().extend(lines);
            self.report.facts += 1;
        }
        self.lines.extend(ours.values().flatten().cloned());
        ours
    }

    /// The lines of ours as cuts of the notes they stand in.
    fn cuts(
        &mut self,
        notes: &Notes,
        selection: &Selection,
        ours: BTreeMap<String, HashSet<String>>,
        written: &Written,
    ) -> Result<()> {
        if selection.is_empty() {
            return Ok(());
        }
        let files = lineage::FILES.iter().map(|file| (*file).to_owned());
        let paths: BTreeSet<String> = ours.keys().cloned().chain(files).collect();
        for path in paths {
            // Where file names have no case, both are the same file.
            let is_twice = path == "memory.md" && notes.bytes("MEMORY.md")?.is_some();
            let is_whole = self.cuts.iter().any(|cut| cut.path == path);
            let Some(Ok(text)) = notes.bytes(&path)?.filter(|_| !is_twice && !is_whole).map(String::from_utf8) else {
                continue;
            };
            let lines = ours.get(&path);
            let numbers =
                if lineage::FILES.contains(&path.as_str()) { written.lines_of(&path, &text) } else { HashSet::new() };
            self.report.entries += numbers.len();
            let is_meant =
                |number: u32, line: &str| numbers.contains(&number) || lines.is_some_and(|lines| lines.contains(line));
            self.cuts.extend(Cut::of_lines(&path, &text, is_meant));
        }
        Ok(())
    }

    /// Lines of the user's files that repeat what goes: they go too when that is wanted, else they are shown.
    fn quotes(&mut self, files: &[Entry], notes: &Notes, texts: &[String], take: bool) -> Result<()> {
        let enough = |text: &&String| text.chars().filter(|c| c.is_alphanumeric()).take(QUOTED).count() == QUOTED;
        let texts: Vec<String> = texts.iter().filter(enough).map(|text| text.trim().to_lowercase()).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let repeats = |line: &str| {
            let line = line.to_lowercase();
            texts.iter().any(|text| line.contains(text))
        };
        for entry in files.iter().filter(|entry| !Path::new(&entry.path).is_absolute()) {
            let Some(Ok(text)) = notes.bytes(&entry.path)?.map(String::from_utf8) else { continue };
            let cut = self.cuts.iter().position(|cut| cut.path == entry.path);
            let known = cut.and_then(|at| self.cuts.get(at));
            if known.is_some_and(|cut| cut.whole.is_some()) {
                continue;
            }
            let going: HashSet<u32> =
                known.map(|cut| cut.lines.iter().map(|line| line.number).collect()).unwrap_or_default();
            let Some(quotes) = Cut::of_lines(&entry.path, &text, |n, line| !going.contains(&n) && repeats(line)) else {
                continue;
            };
            let room = SHOWN_QUOTES.saturating_sub(self.report.quotes.len());
            self.report.quotes.extend(shown_lines(&quotes).into_iter().take(room));
            if take {
                let all = Cut::of_lines(&entry.path, &text, |n, line| going.contains(&n) || repeats(line));
                cut.map(|at| self.cuts.swap_remove(at));
                self.cuts.extend(all);
            }
        }
        Ok(())
    }

    /// All of a file.
    fn file(&mut self, r: &Reader<'_>, id: FileId, name: String) -> Result<()> {
        self.chunks_of(r, id)?;
        self.report.files.push(name);
        Ok(())
    }

    fn chunks_of(&mut self, r: &Reader<'_>, id: FileId) -> Result<()> {
        for chunk in r.chunks_of_file(id)? {
            self.report.chunks += 1;
            self.hashes.extend(chunk.hash);
            self.lines.extend(chunk.text.lines().map(str::to_owned));
        }
        Ok(())
    }

    /// The transcripts of conversations, and of the notes that name one those that are not taken away as a whole.
    fn sessions(&mut self, r: &Reader<'_>, live: GenerationId, roots: &Roots, selection: &Selection) -> Result<()> {
        if !selection.names_conversations() {
            return Ok(());
        }
        let names = selection.names();
        // The head of a note says whose it is, and is not indexed.
        let is_note = |name: &str| {
            read_text(roots, &roots.workspace_dir.join(name))
                .is_ok_and(|file| names.iter().any(|session| session_header::names(&file.text, session)))
        };
        let keys = r.transcripts(live)?;
        let is_transcript = |name: &str| {
            let key = keys.get(name).and_then(|row| row.session_key.as_deref());
            ids_in(name).any(|id| names.iter().any(|session| session == id)) || selection.session(key, None)
        };
        let taken: BTreeSet<String> =
            self.cuts.iter().filter(|cut| cut.whole.is_some()).map(|cut| cut.path.clone()).collect();
        for (id, source, name) in r.file_paths(live)? {
            if taken.contains(&name) {
                self.chunks_of(r, id)?;
            } else if if source == Source::Sessions.as_str() { is_transcript(&name) } else { is_note(&name) } {
                self.file(r, id, name.clone())?;
                self.whats.push(What::Path { path: name, content: None });
            }
        }
        self.report.files.extend(taken);
        Ok(())
    }

    /// The chunks in which lines stand that go; what is left of them is cut anew.
    fn chunks_of_cuts(&mut self, r: &Reader<'_>, live: GenerationId) -> Result<()> {
        let files = r.files(live, Source::Memory.as_str())?;
        for cut in self.cuts.iter().filter(|cut| cut.whole.is_none()) {
            let Some(file) = files.get(&cut.path) else { continue };
            for chunk in r.chunks_of_file(file.id)? {
                if cut.lines.iter().any(|line| (chunk.start_line..=chunk.end_line).contains(&line.number)) {
                    self.report.chunks += 1;
                    self.hashes.extend(chunk.hash);
                }
            }
        }
        Ok(())
    }
}
