//! Secrets that are told by what stands before them: "my password is …", `API_KEY=…`, `--password …`, `**PIN:** …`.

use std::ops::Range;

use super::{
    labels::Kind,
    tail::{
        authorization, code, cookie, digits, ends_clause, is_a_name, login, quoted, seed_phrase, social_security,
        unquoted, word_end,
    },
    value::{is_complex, is_key, is_password, is_phrase, is_placeholder, is_reference},
    words::{CHANGE, FILLERS, GLUED, IS, OTHER_BEFORE, OTHER_BEHIND, SURELY_TO, TO},
};
use crate::script::{Script, script};

/// Bytes behind a name that are looked at.
pub(super) const REACH: usize = 400;
/// Bytes of a name before and behind the word that tells.
const NAME: usize = 48;
/// Most words between a name and what joins it to its secret.
const MAX_BETWEEN: usize = 7;
/// Fewest characters of a key behind a name that means little else, and behind one that does.
const LEAST_KEY: usize = 8;
const LEAST_WEAK_KEY: usize = 16;
/// The same of one in the query of an address.
const LEAST_PARAMETER: usize = 6;

/// How a name and what follows are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `:` or `=`.
    Sign,
    /// "is".
    Is,
    /// "to", after a change.
    To,
    /// A word that may mean that, or anything.
    MaybeTo,
    /// Nothing between them.
    Direct,
    /// An option of a command.
    Flag,
}

/// A name in a text.
struct Name<'a> {
    text: &'a str,
    kind: Kind,
    /// The word that tells.
    label: Range<usize>,
    /// All of the name: `DB_PASSWORD_2`.
    whole: Range<usize>,
}

/// The secret that the name at `label` announces.
pub(super) fn find(text: &str, label: &Range<usize>, kind: Kind) -> Option<Range<usize>> {
    let name = Name { text, kind, label: label.clone(), whole: whole_name(text, label) };
    if !name.is_one() {
        return None;
    }
    if kind == Kind::Login {
        let to = text.floor_char_boundary((label.end + REACH).min(text.len()));
        let found = login(text.get(label.end..to)?)?;
        return Some(label.end + found.start..label.end + found.end);
    }
    name.behind().or_else(|| name.before())
}

pub(super) fn is_dense(c: char) -> bool {
    matches!(script(c), Script::Ideographic | Script::Hangul | Script::Unspaced)
}

/// The identifier around a word: letters, digits, `_`, `-` and `.` between them.
fn whole_name(text: &str, label: &Range<usize>) -> Range<usize> {
    let part = |c: char| (c.is_alphanumeric() && !is_dense(c)) || matches!(c, '_' | '-' | '.');
    let from = text.floor_char_boundary(label.start.saturating_sub(NAME));
    let head = text.get(from..label.start).unwrap_or_default();
    let kept = head.trim_end_matches(part);
    let start = from + kept.len();
    let start = start
        + text.get(start..label.start).map_or(0, |name| name.len() - name.trim_start_matches(['-', '.', '_']).len());
    let to = text.floor_char_boundary((label.end + NAME).min(text.len()));
    let tail = text.get(label.end..to).unwrap_or_default();
    let dense = text.get(label.clone()).is_some_and(|word| word.chars().next_back().is_some_and(is_dense));
    let length = if dense { 0 } else { tail.len() - tail.trim_start_matches(part).len() };
    let name = tail.get(..length).unwrap_or_default().trim_end_matches(['-', '.', '_']);
    start..label.end + name.len()
}

impl<'a> Name<'a> {
    fn str(&self, range: Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or_default()
    }

    fn is_weak(&self) -> bool {
        matches!(self.kind, Kind::WeakKey | Kind::Parameter)
    }

    /// Whether the word stands by itself or as a word of an identifier, and names no other thing.
    fn is_one(&self) -> bool {
        let label = self.str(self.label.clone());
        let (Some(first), Some(last)) = (label.chars().next(), label.chars().next_back()) else { return false };
        let before = self.str(0..self.label.start).chars().next_back();
        let after = self.str(self.label.end..self.text.len()).chars().next();
        let dense_label = is_dense(first);
        if self.str(0..self.whole.start).ends_with("[redacted:") {
            return false;
        }
        // German and its neighbours glue words; identifiers do without a sign between them.
        let compound = label.len() >= 6 && before.is_some_and(char::is_alphabetic);
        let left = before.is_none_or(|c| {
            dense_label || !c.is_alphabetic() || is_dense(c) || (c.is_lowercase() && first.is_uppercase()) || compound
        });
        let right = after.is_none_or(|c| {
            is_dense(last) || !c.is_alphabetic() || is_dense(c) || (last.is_lowercase() && c.is_uppercase())
        });
        if !left || !right {
            return false;
        }
        let behind = self.str(self.label.end..self.whole.end);
        if words_of(behind).any(|word| OTHER_BEHIND.contains(&word.as_str())) {
            return false;
        }
        let before = self.str(self.whole.start..self.label.start);
        let from = self.text.floor_char_boundary(self.whole.start.saturating_sub(24));
        let word_before =
            self.str(from..self.whole.start).split([' ', '\n', '"', '\'', '*', '`']).rfind(|word| !word.is_empty());
        let other = |word: &str| OTHER_BEFORE.contains(&word);
        let is_key_name = matches!(self.kind, Kind::WeakKey | Kind::Key);
        !(is_key_name
            && (words_of(before).any(|word| other(&word))
                || word_before.is_some_and(|word| other(&word.to_lowercase()))))
    }

    /// The secret behind the name.
    fn behind(&self) -> Option<Range<usize>> {
        let limit = self.text.floor_char_boundary((self.whole.end + REACH).min(self.text.len()));
        let rest = self.str(self.whole.end..limit);
        let before = self.str(0..self.whole.start).as_bytes();
        let is_flag = before.ends_with(b"--") || (before.ends_with(b" -") && self.label.start == self.whole.start);
        let tag = before.ends_with(b"<") && rest.starts_with('>');
        let mut at =
            rest.len() - rest.trim_start_matches(['"', '\'', '`', '*', '_', ')', ']', '}', '»', '”', '\\', '>']).len();
        if tag {
            return self.take(rest, at, Join::Sign);
        }
        if is_flag {
            let value = rest.strip_prefix([' ', '='])?;
            let space = rest.len() - value.trim_start_matches(' ').len();
            return if value.starts_with(['-', '$']) { None } else { self.take(rest, space, Join::Flag) };
        }
        if matches!(self.kind, Kind::Parameter) {
            let parameter = before.ends_with(b"?") || before.ends_with(b"&") || before.ends_with(b";");
            return if parameter && rest.starts_with('=') { self.take(rest, 1, Join::Sign) } else { None };
        }
        if let Some(end) = self.glued(rest, at) {
            return self.take(rest, end, Join::Is).or_else(|| self.take(rest, at, Join::Direct));
        }
        let mut between = 0;
        loop {
            let gap = rest.get(at..)?;
            at += gap.len() - gap.trim_start_matches([' ', '\t', '*', '_', '`', '"', '(', '„', '“']).len();
            let tail = rest.get(at..)?;
            let sign = ["=>", ":=", "==", "::", ":", "=", "：", "|", "->", "→", "—", "–"]
                .iter()
                .find(|s| tail.starts_with(**s));
            if let Some(sign) = sign {
                return if matches!(*sign, "==" | "::") { None } else { self.take(rest, at + sign.len(), Join::Sign) };
            }
            let word_len = tail.find(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '|')).unwrap_or(tail.len());
            let raw = tail.get(..word_len)?;
            let word = raw.trim_end_matches(['*', '_', '`', '"', '\'', ')', '“', '”']);
            if word.is_empty() {
                return None;
            }
            let lower = word.to_lowercase();
            let next = at + word_len;
            if TO.contains(&lower.as_str())
                && let Some(found) =
                    self.take(rest, next, if SURELY_TO.contains(&lower.as_str()) { Join::To } else { Join::MaybeTo })
            {
                return Some(found);
            }
            if IS.contains(&lower.as_str()) && !(TO.contains(&lower.as_str()) && between > 0 && lower != "to") {
                if let Some(found) = self.take(rest, next, Join::Is) {
                    return Some(found);
                }
                // In one language it joins, in another it is any word.
                if !matches!(lower.as_str(), "to" | "on" | "er" | "a" | "e" | "está" | "foi" | "je" | "are") {
                    return None;
                }
            } else if between == 0 && OTHER_BEHIND.contains(&lower.as_str()) {
                return None;
            } else if between == 0
                && let Some(found) = self.take(rest, at, Join::Direct)
            {
                return Some(found);
            }
            between += 1;
            let ends = word.ends_with(['.', '!', '?', ';', '。', '！', '？', ',']) || raw.ends_with(['.', '!', '?']);
            if between > MAX_BETWEEN || ends || self.kind == Kind::Cookie || self.kind == Kind::Authorization {
                return None;
            }
            at = next;
        }
    }

    /// The end of a particle that is glued to the name, in scripts without spaces.
    fn glued(&self, rest: &str, at: usize) -> Option<usize> {
        let tail = rest.get(at..)?;
        let blanks = tail.len() - tail.trim_start_matches(' ').len();
        let tail = tail.get(blanks..)?;
        GLUED.iter().filter(|particle| tail.starts_with(**particle)).map(|p| at + blanks + p.len()).max()
    }

    /// The secret at `at` of `rest`, which stands behind the name, when it is one.
    fn take(&self, rest: &str, at: usize, join: Join) -> Option<Range<usize>> {
        let mut at = at;
        let mut fillers = 0;
        loop {
            let gap = rest.get(at..)?;
            let open = gap.trim_start_matches([' ', '\t', '*', '_', '\\']);
            at += gap.len() - open.len();
            let breaks = open.len() - open.trim_start_matches(['\n', '\r', ' ', '\t', '>', '*']).len();
            let lines = open.get(..breaks)?.matches('\n').count();
            if breaks > 0 && lines > 0 {
                if join == Join::Direct || join == Join::Flag || lines > 3 {
                    return None;
                }
                at += breaks;
            }
            let tail = rest.get(at..)?;
            let word = tail.get(..tail.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(tail.len()))?;
            let two = FILLERS
                .iter()
                .find(|f| f.contains(' ') && tail.get(..f.len()).is_some_and(|t| t.eq_ignore_ascii_case(f)));
            let word = two.map_or(word, |two| tail.get(..two.len()).unwrap_or(word));
            let is_filler = matches!(join, Join::Is) && fillers < 4 && FILLERS.contains(&word.to_lowercase().as_str());
            if is_filler && tail.get(word.len()..)?.starts_with([' ', ':', '\n']) {
                (at, fillers) = (at + word.len(), fillers + 1);
                continue;
            }
            if matches!(join, Join::Is) && tail.starts_with([':', '：', '=']) {
                at += tail.chars().next().map_or(0, char::len_utf8);
                continue;
            }
            break;
        }
        let tail = rest.get(at..)?;
        let found = match self.kind {
            Kind::Password | Kind::Passphrase => self.password(tail, join),
            Kind::Key | Kind::WeakKey | Kind::WalletKey | Kind::Parameter => self.key(tail, join),
            Kind::Pin => self.pin(tail, join),
            Kind::Code => code(tail),
            Kind::Login => None,
            Kind::CardCode => digits(tail, 3..=4),
            Kind::SocialSecurity => social_security(tail),
            Kind::SeedPhrase => seed_phrase(tail),
            Kind::Cookie => cookie(tail, join),
            Kind::Authorization => authorization(tail, join),
        }?;
        let start = self.whole.end + at;
        let end = start + found.end;
        // A value that was cut by the reach goes to the end of its word.
        let end = if self.whole.end + rest.len() == end { end + word_end(self.str(end..self.text.len())) } else { end };
        Some(start + found.start..end)
    }

    fn password(&self, tail: &str, join: Join) -> Option<Range<usize>> {
        if let Some(quoted) = quoted(tail) {
            let value = tail.get(quoted.clone())?;
            let one =
                !value.contains(' ') && is_password(value, true, matches!(join, Join::Sign | Join::Is | Join::Flag));
            let several = value.contains(' ') && join != Join::Direct && is_phrase(value);
            return (one || several).then_some(quoted);
        }
        if self.kind == Kind::Passphrase && join != Join::Direct {
            let line = tail.get(..tail.find(['\n', '.', ',', ';']).unwrap_or(tail.len()))?.trim_end();
            if line.split_whitespace().count() >= 3 && is_phrase(line) {
                return Some(0..line.len());
            }
        }
        let word = unquoted(tail, join == Join::Sign, self.text.get(..self.whole.start).unwrap_or_default());
        let value = tail.get(word.clone())?;
        if is_a_name(tail, &word) || !value.starts_with(|c: char| !matches!(c, ',' | '.' | ';' | ':' | '?' | '|' | ')'))
        {
            return None;
        }
        let last = ends_clause(tail.get(word.end..)?);
        let good = match join {
            Join::Sign | Join::Is => {
                is_password(value, last, true)
                    && (value.is_ascii() || is_complex(value) || !value.chars().any(is_dense))
            }
            Join::Flag => {
                !is_placeholder(value)
                    && !is_reference(value)
                    && value.len() >= 3
                    && is_password(&format!("{value}…"), true, true)
                    || is_complex(value)
            }
            Join::MaybeTo => is_complex(value) && is_password(value, last, false),
            Join::To => {
                is_complex(value) && is_password(value, last, false)
                    || (self.was_changed() && is_password(value, last, true))
            }
            Join::Direct => {
                let shouted = !value.chars().any(char::is_lowercase);
                let identifier = self.whole != self.label && !self.str(self.whole.clone()).contains(['-', ' ']);
                value.chars().count() >= 6
                    && is_complex(value)
                    && !shouted
                    && !identifier
                    && is_password(value, last, false)
                    && value.chars().all(|c| c.is_ascii() || !is_dense(c))
            }
        };
        let word = if good { Some(word) } else { None };
        word.or_else(|| if join == Join::Is { with_a_number(tail) } else { None })
            .or_else(|| if join == Join::Direct { before_its_verb(tail) } else { None })
    }

    /// Whether the sentence says that something was changed.
    fn was_changed(&self) -> bool {
        let from = self.text.floor_char_boundary(self.whole.start.saturating_sub(60));
        let before = self.str(from..self.whole.start).to_lowercase();
        CHANGE.iter().any(|verb| before.contains(verb))
    }

    fn key(&self, tail: &str, join: Join) -> Option<Range<usize>> {
        let word = quoted(tail).unwrap_or_else(|| unquoted(tail, join == Join::Sign, self.str(0..self.whole.start)));
        let value = tail.get(word.clone())?;
        let hex = value.strip_prefix("0x").unwrap_or(value);
        let wallet = self.kind == Kind::WalletKey || self.str(self.whole.clone()).to_lowercase().contains("private");
        if wallet && hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Some(word);
        }
        let least = match join {
            Join::Direct => LEAST_WEAK_KEY,
            _ if self.is_weak() => LEAST_WEAK_KEY,
            _ => LEAST_KEY,
        };
        let url = value.contains("%3D") || value.contains("%2B") || value.contains("%2F");
        // `?token=` of an address has nothing but the token behind it, or a word.
        let parameter =
            self.kind == Kind::Key && join == Join::Sign && self.str(0..self.whole.start).ends_with(['?', '&']);
        let is_one = is_key(value, least)
            || url && value.len() >= least
            || parameter && value.len() >= LEAST_PARAMETER && is_complex(value) && !is_placeholder(value);
        (is_one && !is_a_name(tail, &word)).then_some(word)
    }

    fn pin(&self, tail: &str, join: Join) -> Option<Range<usize>> {
        let found = digits(tail, 4..=8)?;
        let label = self.str(self.label.clone());
        let from = self.text.floor_char_boundary(self.whole.start.saturating_sub(40));
        let before = self.str(from..self.whole.start).to_lowercase();
        let own = [
            "my ", "our ", "his ", "her ", "card", "sim", "bank", "phone", "door", "alarm", "mein", "meu", "mi ",
            "mon ", "moj", "мой", "我的",
        ]
        .iter()
        .any(|word| before.contains(word));
        // India's postal codes have six digits and are called PIN codes too.
        let postal = label.to_lowercase().contains("code") && found.len() == 6 && !own;
        let shouted = label.bytes().all(|b| !b.is_ascii_lowercase());
        let chip = before.trim_end().ends_with("gpio");
        let told = join != Join::Direct || own || (shouted && !chip);
        (told && !postal && !chip).then_some(found)
    }

    /// The secret before the name: "use X as the password", "X is my password".
    fn before(&self) -> Option<Range<usize>> {
        if !matches!(self.kind, Kind::Password | Kind::Key | Kind::Passphrase) {
            return None;
        }
        let from = self.text.floor_char_boundary(self.whole.start.saturating_sub(160));
        let head = self.str(from..self.whole.start);
        let head = head.get(head.rfind(['\n', ';']).map_or(0, |at| at + 1)..)?;
        let offset = self.whole.start - head.len();
        let joins = [
            "as", "is", "como", "é", "es", "als", "ist", "comme", "est", "come", "è", "jako", "je", "to", "как", "это",
        ];
        let mut words: Vec<(usize, &str)> = Vec::new();
        for word in head.split([' ', '\t']).filter(|word| !word.is_empty()) {
            words.push((word.as_ptr() as usize - head.as_ptr() as usize, word));
        }
        let at = words.iter().rposition(|(_, word)| joins.contains(&word.to_lowercase().as_str()))?;
        if words.len() - at > 5 || words.len() == at + 1 && head.trim_end().ends_with('.') {
            return None;
        }
        let (start, word) = *words.get(at.checked_sub(1)?)?;
        let open = word.len() - word.trim_start_matches(['"', '\'', '`', '*', '„', '“', '«']).len();
        let value = word.get(open..)?.trim_end_matches(['"', '\'', '`', '*', '“', '”', '»', ',']);
        let good = match self.kind {
            Kind::Key => is_key(value, LEAST_WEAK_KEY),
            _ => value.chars().count() >= 6 && is_complex(value) && is_password(value, true, false),
        };
        let start = offset + start + open;
        good.then_some(start..start + value.len())
    }
}

/// "The password is hunter two": a word and a number in letters, as somebody dictates it.
fn with_a_number(tail: &str) -> Option<Range<usize>> {
    const NUMBERS: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "null", "eins", "zwei",
        "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "um", "dois", "três", "uno", "dos", "tres", "un",
        "deux", "trois",
    ];
    let (word, rest) = tail.split_once(' ')?;
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (number, behind) = rest.split_at_checked(end)?;
    let is_word = word.chars().count() > 3 && word.chars().all(char::is_alphabetic);
    let is_one = is_word && NUMBERS.contains(&number.to_lowercase().as_str()) && ends_clause(behind);
    (is_one && is_password(word, true, true)).then(|| 0..word.len() + 1 + number.len())
}

/// "Das Kennwort Apfelkuchen lautet": the verb stands behind.
fn before_its_verb(tail: &str) -> Option<Range<usize>> {
    let (word, rest) = tail.split_once(' ')?;
    let behind = ["lautet", "luidt", "zní"].iter().find_map(|verb| rest.strip_prefix(verb))?;
    (is_password(word, true, true) && ends_clause(behind)).then_some(0..word.len())
}

/// The words of an identifier, lower case: at signs and where upper case begins.
fn words_of(name: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (lower_before && c.is_uppercase()) {
            words.push(String::new());
        }
        lower_before = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}
