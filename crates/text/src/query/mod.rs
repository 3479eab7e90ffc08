//! Understanding a query without a model: its terms with their spellings, phrases, time, and whether any
//! memory can answer it at all.

mod function_words;
mod small_talk;
mod spellings;

use std::collections::HashSet;
use std::ops::Range;

use super::analyze::{Analyzer, Cut, cluster_terms, is_elided, is_han, language_name};
use super::fold::{compose, fold};
use super::hangul::strip_particle;
use super::language::{Language, Languages, Votes};
use super::lexicon::{WordId, term_hash};
use super::script::Script;
use super::thesaurus;
use super::time::{self, TimeWords};
use super::token::{Glue, Piece};
use function_words::{Measure, function_characters, is_korean_function_word, measure, shaped_in};
use spellings::Spellings;

/// Characters of a query that are read; what follows a pasted text adds noise, not meaning.
pub const MAX_CHARS: usize = 2_000;
/// Terms of a query; the first ones count.
pub(crate) const MAX_TERMS: usize = 64;
/// Spellings of one term.
pub(crate) const MAX_ALTERNATIVES: usize = 10;

/// Weight of a word that shapes questions about anything: "cuesta", "heißt", "стоит".
const SHAPING_WEIGHT: f32 = 0.3;
/// What a sign counts for that one language has: enough to decide by itself.
const SIGN_VOTE: f32 = 1.5;

/// What such a word says about the language of a query, against a stop word.
const SHAPING_VOTE: f32 = 0.5;

/// What a term is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// A word of a language.
    Word,
    /// A number.
    Number,
    /// An identifier that should be found exactly: `ERR_1234`, `a.b_c`, `fooBar`, `10.0.0.1`, `#1234`, an address.
    Name,
    /// A file name or path.
    File,
    /// Two neighbouring characters of a script without spaces, or two Korean syllables.
    Pair,
    /// A single Chinese character out of a longer run.
    Character,
    /// A function word, kept because the query has nothing else.
    StopWord,
}

/// One way a term may be spelled in the index.
#[derive(Debug, Clone, PartialEq)]
pub struct Alternative {
    /// The term as in the FTS index: letters, digits, marks and `_`, safe to quote in a MATCH expression.
    pub term: String,
    /// [`term_hash`] of it, as in line blobs.
    pub hash: u32,
    /// How sure it is that this spelling means the same, 0–1.
    pub weight: f32,
}

/// One thing the query asks for; its alternatives count once.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// As typed.
    pub surface: String,
    /// What it is.
    pub kind: TermKind,
    /// How much of the query's meaning it carries, 0–1: parts of names and function characters carry little.
    pub weight: f32,
    /// Spellings, most likely first; never empty.
    pub alternatives: Vec<Alternative>,
    /// Whether it belongs to the words that [`QueryPlan::time`] was read from.
    pub in_time: bool,
    /// Whether questions about anything may have it: it says which answer is wanted, not about what.
    pub shapes_question: bool,
}

/// A query, understood.
#[derive(Debug, Clone, Default)]
pub struct QueryPlan {
    /// What is searched: NFKC, at most [`MAX_CHARS`] characters.
    pub text: String,
    /// What it asks for, in query order, without repetitions, at most [`MAX_TERMS`].
    pub terms: Vec<QueryTerm>,
    /// Quoted phrases, folded; check a candidate's text with [`holds_phrase`].
    pub phrases: Vec<String>,
    /// Languages it may be written in; empty when nothing tells.
    pub languages: Vec<Language>,
    /// The one of them that its function words leave no doubt about.
    pub language: Option<Language>,
    /// Whether there is nothing but function words; the terms are then of kind [`TermKind::StopWord`].
    pub stop_words_only: bool,
    /// Whether it is a greeting, thanks, small talk or arithmetic: nothing should be found.
    pub small_talk: bool,
    /// What it says about time.
    pub time: TimeWords,
}

impl QueryPlan {
    /// Whether a name, file or phrase has to be found exactly.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        !self.phrases.is_empty() || self.terms.iter().any(|t| matches!(t.kind, TermKind::Name | TermKind::File))
    }

    /// Whether somebody who knows only `language` can be expected to understand it.
    #[must_use]
    pub fn is_in(&self, language: Language) -> bool {
        let (mut own, mut other) = (0, 0);
        for c in self.text.chars().filter(|c| c.is_alphabetic()) {
            let count = if language.writes(c) { &mut own } else { &mut other };
            *count += 1;
        }
        if other > own {
            return false;
        }
        if let Some(decided) = self.language {
            return decided == language;
        }
        // A few words without a function word among them: those of English are known.
        if language != Language::English {
            return self.languages.contains(&language);
        }
        let words = || self.terms.iter().filter(|term| term.kind == TermKind::Word);
        let known = 2 * words().filter(|term| thesaurus::knows(&term.surface.to_lowercase())).count();
        let speaks_otherwise = !self.languages.is_empty() && !self.languages.contains(&language);
        if speaks_otherwise { known > words().count() } else { known >= words().count() }
    }
}

/// Understands a query. `now_ms` (milliseconds since the epoch) and `zone` (IANA) place its time words.
#[must_use]
pub fn understand(query: &str, now_ms: i64, zone: &str) -> QueryPlan {
    let query = query.char_indices().nth(MAX_CHARS).map_or(query, |(end, _)| &query[..end]);
    // Line by line would lose nothing: a query's lines are one question.
    let text = compose(query).replace(['\n', '\r', '\t'], " ");
    let time = time::read(&text, time::date_in(now_ms, zone), zone);
    let mut analyzer = Analyzer::new();
    let cut = analyzer.cut(&text);
    let votes = votes(&analyzer, &cut);
    let decided = votes.winner();
    let languages = votes.leaders(0.6);
    let mut reader = Reader {
        analyzer: &mut analyzer,
        cut: &cut,
        decided,
        leaders: &languages,
        time: &time.spans,
        terms: Vec::new(),
        known: HashSet::new(),
    };
    reader.read(false);
    let stop_words_only = reader.terms.is_empty();
    if stop_words_only {
        reader.read(true);
    }
    let terms = reader.terms;
    let phrases = phrases(&text);
    let small_talk = phrases.is_empty() && small_talk::is_small_talk(&text, time.range.is_some());
    QueryPlan { terms, phrases, languages, language: decided, stop_words_only, small_talk, time, text }
}

/// What tells the language of a query: as in a text, words that shape questions, which are too few there to count, and the signs
/// that only Spanish has: "¿dónde vivo?" has no other word of its language.
fn votes(analyzer: &Analyzer, cut: &Cut<'_>) -> Votes {
    let mut votes = cut.votes;
    if cut.text.contains(['¿', '¡']) {
        let mut spanish = Languages::default();
        spanish.insert(Language::Spanish);
        votes.add(spanish, SIGN_VOTE);
    }
    let lexicon = &analyzer.lexicon;
    for id in cut.words.iter().flatten().copied() {
        // Some are a plain word of English: "llama", "stand".
        if !thesaurus::knows(lexicon.lower(id)) {
            votes.add(shaped_in(lexicon.text(lexicon.word(id).folded)), SHAPING_VOTE);
        }
    }
    votes
}

/// Whether a text holds a folded phrase, whatever its case, accents and spacing.
#[must_use]
pub fn holds_phrase(text: &str, phrase: &str) -> bool {
    as_phrase(text).contains(phrase)
}

/// A text as phrases of a query are written: folded, with one space between words. To look for many of them in it.
#[must_use]
pub fn as_phrase(text: &str) -> String {
    normal_space(&fold(text))
}

fn normal_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands in quotation marks or backticks.
fn phrases(text: &str) -> Vec<String> {
    const MARKS: [(char, char); 8] =
        [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』'), ('`', '`')];
    let mut out: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some((at, close)) =
        rest.char_indices().find_map(|(i, c)| MARKS.iter().find(|m| m.0 == c).map(|m| (i + c.len_utf8(), m.1)))
    {
        let inside = &rest[at..];
        let Some(end) = inside.find(close) else { break };
        let phrase = as_phrase(&inside[..end]);
        if phrase.chars().any(char::is_alphanumeric) && !out.contains(&phrase) {
            out.push(phrase);
        }
        rest = &inside[end + close.len_utf8()..];
    }
    out
}

struct Reader<'q> {
    analyzer: &'q mut Analyzer,
    cut: &'q Cut<'q>,
    decided: Option<Language>,
    leaders: &'q [Language],
    time: &'q [Range<usize>],
    terms: Vec<QueryTerm>,
    /// Terms already asked for.
    known: HashSet<String>,
}

impl Reader<'_> {
    /// Reads the query; `stop_words` keeps what is otherwise left out.
    fn read(&mut self, stop_words: bool) {
        let pieces = &self.cut.pieces;
        let mut start = 0;
        while start < pieces.len() && self.terms.len() < MAX_TERMS {
            let end = start + 1 + pieces[start + 1..].iter().take_while(|p| p.glue != Glue::Border).count();
            if pieces[start].tagged {
                let whole = self.analyzer.whole(self.cut, start, end);
                let mut spellings = Spellings::default();
                spellings.add(format!("_{whole}"), 1.0);
                spellings.add(whole, 0.8);
                self.push(start..end, TermKind::Name, 1.0, spellings);
            }
            if end == start + 1 {
                self.piece(start, 1.0, stop_words);
            } else if pieces[start + 1..end].iter().all(|p| p.glue == Glue::Apostrophe) {
                self.elided(start, end, stop_words);
            } else {
                self.name(start, end, stop_words);
            }
            start = end;
        }
        self.terms.truncate(MAX_TERMS);
    }

    fn text(&self, piece: usize) -> &str {
        self.cut.pieces[piece].of(&self.cut.text)
    }

    fn push(&mut self, pieces: Range<usize>, kind: TermKind, weight: f32, spellings: Spellings) {
        let span = self.cut.pieces[pieces.start].start as usize..self.cut.pieces[pieces.end - 1].end as usize;
        self.push_span(span, kind, weight, spellings);
    }

    fn push_span(&mut self, span: Range<usize>, kind: TermKind, weight: f32, spellings: Spellings) {
        let alternatives = spellings.finish(MAX_ALTERNATIVES);
        let Some(first) = alternatives.first() else { return };
        if self.known.insert(first.term.clone()) {
            let in_time = self.time.iter().any(|t| t.start < span.end && span.start < t.end);
            let surface = self.cut.text[span].to_string();
            self.terms.push(QueryTerm { surface, kind, weight, alternatives, in_time, shapes_question: false });
        }
    }

    fn piece(&mut self, at: usize, weight: f32, stop_words: bool) {
        let piece = self.cut.pieces[at];
        match piece.script {
            Script::Spaced => {
                if let Some(name) = language_name(&self.cut.text, &piece) {
                    self.push(at..at + 1, TermKind::Name, weight, Spellings::of(name));
                } else if let Some(id) = self.cut.words[at] {
                    self.word(at, id, weight, stop_words);
                }
            }
            Script::Ideographic => self.run(&piece, weight, stop_words),
            Script::Hangul => self.hangul(&piece, weight, stop_words),
            Script::Unspaced => self.clusters(&piece, weight),
            Script::None | Script::Mark => {}
        }
    }

    /// A function word: of the only language of its script, as in a text; of the language the query is in; while that is
    /// open, of English or of several languages.
    fn is_stop(&self, id: WordId) -> bool {
        let word = self.analyzer.lexicon.word(id);
        let stop: Languages = word.stop;
        if let [only] = Language::of_script(self.analyzer.lexicon.lower(id)) {
            return stop.contains(*only);
        }
        match self.decided {
            Some(language) => {
                stop.contains(language) || (self.leaders.len() > 1 && self.leaders.iter().all(|l| stop.contains(*l)))
            }
            None => stop.contains(Language::English) || stop.len() >= 3,
        }
    }

    /// Whether a word asks for a measure behind the one before it.
    fn measure(&self, at: usize, id: WordId) -> Option<Measure> {
        let folded = |id: WordId| self.analyzer.lexicon.text(self.analyzer.lexicon.word(id).folded);
        let before = self.cut.words.get(at.checked_sub(1)?).copied().flatten()?;
        measure(folded(before), folded(id))
    }

    fn word(&mut self, at: usize, id: WordId, weight: f32, stop_words: bool) {
        let measure = self.measure(at, id);
        if self.is_stop(id) || measure == Some(Measure::Bare) {
            if stop_words {
                let folded = self.analyzer.lexicon.word(id).folded;
                let term = self.analyzer.lexicon.text(folded).to_owned();
                self.push(at..at + 1, TermKind::StopWord, weight, Spellings::of(term));
            }
            return;
        }
        let surface = self.text(at).to_string();
        let word = self.analyzer.lexicon.word(id);
        let is_camel = !word.has_digit && word.parts.len() > 1;
        let kind = match (word.numeric, word.has_digit || is_camel) {
            (true, _) => TermKind::Number,
            (_, true) => TermKind::Name,
            _ => TermKind::Word,
        };
        let parts: Vec<WordId> = if is_camel { word.parts.to_vec() } else { Vec::new() };
        let folded = self.analyzer.lexicon.text(word.folded).to_owned();
        let spellings = spellings::of_word(&mut self.analyzer.lexicon, id, &surface, self.leaders);
        let shaped = shaped_in(&folded);
        let is_shaped = || self.leaders.iter().any(|language| shaped.contains(*language));
        let shapes = kind == TermKind::Word && (measure.is_some() || is_shaped());
        let first = self.terms.len();
        self.push(at..at + 1, kind, weight, spellings);
        for term in self.terms[first..].iter_mut().filter(|_| shapes) {
            term.shapes_question = true;
            term.weight *= SHAPING_WEIGHT;
        }
        for part in parts {
            let lower = self.analyzer.lexicon.lower(part).to_owned();
            let spellings = spellings::of_word(&mut self.analyzer.lexicon, part, &lower, self.leaders);
            self.push(at..at + 1, TermKind::Word, weight * spellings::PART_WEIGHT, spellings);
        }
    }

    /// `l'amour`, `Ana's`, `O'Brien`: as the analyzer reads them.
    fn elided(&mut self, start: usize, end: usize, stop_words: bool) {
        if self.text(start).len() == 1 && self.text(start + 1).starts_with(char::is_uppercase) {
            let joined: String = (start..end).map(|i| self.text(i).to_lowercase()).collect();
            let id = self.analyzer.lexicon.word_id(&joined);
            let spellings = spellings::of_word(&mut self.analyzer.lexicon, id, &joined, self.leaders);
            self.push(start..end, TermKind::Word, 1.0, spellings);
        }
        for i in start..end {
            let clitic = self.text(i).len() <= 2 || (i + 1 < end && is_elided(self.text(i)));
            if !clitic {
                self.piece(i, 1.0, stop_words);
            }
        }
    }

    /// The whole name first, its parts with little weight: they find what mentions it another way.
    fn name(&mut self, start: usize, end: usize, stop_words: bool) {
        let pieces = &self.cut.pieces;
        let scheme = (start + 1..end).find(|i| pieces[*i].glue == Glue::Scheme);
        let first = scheme.unwrap_or(start);
        let first = if first + 2 < end && self.text(first).eq_ignore_ascii_case("www") { first + 1 } else { first };
        let names =
            self.analyzer.names(self.cut, first, end.min(first + super::analyze::NAME_PIECES), scheme.is_some());
        let numeric = (first..end).all(|i| self.cut.words[i].is_some_and(|id| self.analyzer.lexicon.word(id).numeric));
        let plain = (first..end).all(|i| {
            let gap =
                if i == first { "-" } else { &self.cut.text[pieces[i - 1].end as usize..pieces[i].start as usize] };
            matches!(gap, "-" | "\u{2010}") && self.text(i).chars().all(|c| c.is_alphabetic() && !c.is_uppercase())
        });
        let kind = if numeric && end - first == 2 {
            TermKind::Number
        } else if is_file(&self.cut.text, &pieces[first..end]) && scheme.is_none() {
            TermKind::File
        } else if plain {
            // well-known, follow-up: words that happen to be joined.
            TermKind::Word
        } else {
            TermKind::Name
        };
        let mut spellings = Spellings::default();
        for (i, name) in names.into_iter().enumerate() {
            if i == 0 && !numeric && name.len() <= spellings::JOINED_CHARS {
                spellings.add(name.replace('_', ""), 0.9);
            }
            spellings.add(name, if i == 0 { 1.0 } else { 0.7 });
        }
        self.push(first..end, kind, 1.0, spellings);
        if kind == TermKind::Number {
            return;
        }
        let weight = if kind == TermKind::Word { spellings::COMPOUND_WEIGHT } else { spellings::PART_WEIGHT };
        for i in first..end {
            if self.text(i).len() > 1 {
                self.piece(i, weight, stop_words);
            }
        }
    }

    /// Chinese and Japanese: pairs carry the meaning, single Chinese characters help, function characters do not.
    fn run(&mut self, piece: &Piece, weight: f32, stop_words: bool) {
        let base = piece.start as usize;
        let run = piece.of(&self.cut.text).to_string();
        let characters: Vec<(usize, char)> = run.char_indices().collect();
        let only = characters.len() == 1;
        let is_function = function_characters(&run);
        for (i, &(at, c)) in characters.iter().enumerate() {
            let here = base + at..base + at + c.len_utf8();
            if only || (is_han(c) && (stop_words || !is_function[i])) {
                let (kind, share) = if only { (TermKind::Word, 1.0) } else { (TermKind::Character, 0.3) };
                self.push_span(here.clone(), kind, weight * share, Spellings::of(c.to_string()));
            }
            let Some(&(next_at, next)) = characters.get(i + 1) else { continue };
            let functions = usize::from(is_function[i]) + usize::from(is_function[i + 1]);
            let share = match functions {
                0 if is_hiragana(c) && is_hiragana(next) => 0.3,
                0 => 1.0,
                1 => 0.3,
                _ if stop_words => 0.5,
                _ => continue,
            };
            let span = here.start..base + next_at + next.len_utf8();
            self.push_span(
                span.clone(),
                TermKind::Pair,
                weight * share,
                Spellings::of(self.cut.text[span].to_string()),
            );
        }
    }

    /// Korean: the word with and without its particle, and the pairs of syllables inside.
    fn hangul(&mut self, piece: &Piece, weight: f32, stop_words: bool) {
        let span = piece.start as usize..piece.end as usize;
        let run = piece.of(&self.cut.text).to_string();
        let bare = strip_particle(&run).to_string();
        if !stop_words && (is_korean_function_word(&run) || is_korean_function_word(&bare)) {
            return;
        }
        let mut spellings = Spellings::default();
        spellings.add(run, 1.0);
        spellings.add(bare.clone(), 1.0);
        self.push_span(span.clone(), TermKind::Word, weight, spellings);
        let characters: Vec<char> = bare.chars().collect();
        for pair in characters.windows(2).filter(|_| characters.len() > 2) {
            self.push_span(span.clone(), TermKind::Pair, weight * 0.5, Spellings::of(pair.iter().collect()));
        }
    }

    fn clusters(&mut self, piece: &Piece, weight: f32) {
        let span = piece.start as usize..piece.end as usize;
        let mut pairs: Vec<String> = Vec::new();
        cluster_terms(piece.of(&self.cut.text), |pair| pairs.push(pair.to_string()));
        for pair in pairs {
            self.push_span(span.clone(), TermKind::Pair, weight, Spellings::of(pair));
        }
    }
}

const fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309F}')
}

/// Whether pieces look like a file: levels of a path, or a last part that reads like an extension.
fn is_file(text: &str, pieces: &[Piece]) -> bool {
    let Some((last, before)) = pieces.split_last() else { return false };
    let extension = last.of(text);
    let named = !before.is_empty() && last.glue == Glue::Dot && (2..=5).contains(&extension.len());
    let is_extension = named
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.bytes().any(|b| b.is_ascii_alphabetic());
    let known = is_extension && function_words::EXTENSIONS.split(' ').any(|e| extension.eq_ignore_ascii_case(e));
    known || pieces.iter().filter(|p| p.glue == Glue::Slash).count() > 1
}

impl Spellings {
    fn of(term: String) -> Self {
        let mut spellings = Self::default();
        spellings.add(term, 1.0);
        spellings
    }

    /// The spellings, most likely first.
    fn finish(self, most: usize) -> Vec<Alternative> {
        let mut found = self.into_vec();
        // Stable: of equal weight, the one added first.
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.truncate(most);
        found.into_iter().map(|(term, weight)| Alternative { hash: term_hash(&term), term, weight }).collect()
    }
}

#[cfg(test)]
mod tests;
