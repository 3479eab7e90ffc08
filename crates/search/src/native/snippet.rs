//! The text of a result: its lines as they are in the file, `…` for what is left out between them.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::{
    lines::Lines,
    passages::{GAP, Passage, SNIPPET_UNITS},
    plan::Plan,
};
use text::{analyze::Analyzer, cut, lexicon::term_hash};

/// A result's place and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snippet {
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// At most as many UTF-16 units as there is room.
    pub text: String,
}

/// Writes the snippet of a passage; `idf` is that of each concept.
#[must_use]
pub(super) fn of(passage: &Passage, lines: &Lines<'_>, plan: &Plan, idf: &[f64]) -> Snippet {
    let line = |at: usize| &lines.lines[at];
    if let Some(whole) = &lines.files[line(passage.best).file].whole {
        return whole.clone();
    }
    of_lines(passage, lines, (plan, idf), lines.room, 0)
}

/// The lines of a passage that are worth most, as many as there is room for; without any the best one as it is. Nothing that its
/// snippet does not show: that is what was looked at before somebody is shown either.
#[must_use]
pub(super) fn excerpt(
    passage: &Passage,
    snippet: &Snippet,
    lines: &Lines<'_>,
    (plan, idf): (&Plan, &[f64]),
    worth: &[f64],
    room: usize,
) -> String {
    let best = &lines.lines[passage.best];
    if room == 0 {
        return best.text.to_owned();
    }
    if best.units as usize > lines.room {
        return best_part(&snippet.text, plan, idf, room);
    }
    let mut rest: Vec<usize> = passage.lines.iter().copied().filter(|at| *at != passage.best).collect();
    rest.sort_by(|a, b| worth[*b].total_cmp(&worth[*a]).then(a.cmp(b)));
    let mut chosen = vec![passage.best];
    for at in rest {
        let place = chosen.partition_point(|other| *other < at);
        chosen.insert(place, at);
        if units(chosen.iter().copied(), lines) > room {
            chosen.remove(place);
        }
    }
    of_lines(&Passage { lines: chosen, ..*passage }, lines, (plan, idf), room, snippet.start_line).text
}

/// The text of a passage in so much room, with the heading above it where that stands in line `from` or below.
fn of_lines(passage: &Passage, lines: &Lines<'_>, (plan, idf): (&Plan, &[f64]), room: usize, from: u32) -> Snippet {
    let line = |at: usize| &lines.lines[at];
    let (first, last) = (line(passage.lines[0]), line(passage.lines[passage.lines.len() - 1]));
    let mut text = match passage.lines.as_slice() {
        [only] => best_part(line(*only).text, plan, idf, room),
        _ => written(passage, lines),
    };
    let mut start_line = first.number;
    if let Some((number, heading)) = first.heading
        && number >= from
        && cut::utf16_len(heading) + 2 + cut::utf16_len(&text) <= room
    {
        text.insert_str(0, between(number, first.number));
        text.insert_str(0, heading);
        start_line = number;
    }
    Snippet { start_line, end_line: last.number, text }
}

/// Length of the text of some lines, in UTF-16 units.
#[must_use]
pub(super) fn units(ascending: impl Iterator<Item = usize>, lines: &Lines<'_>) -> usize {
    let line = |at: usize| &lines.lines[at];
    let mut before: Option<usize> = None;
    let each = ascending.map(|at| {
        let joint = before.replace(at).map_or(0, |before| match before + 1 == at {
            true => between(line(before).number, line(at).number).len(),
            false => 2 + cut::utf16_len(GAP),
        });
        joint + line(at).units as usize
    });
    each.sum()
}

/// The text of a note that fits a result, of all its lines with their numbers; without comments that say nothing to a
/// reader, and with one empty line for many.
#[must_use]
pub(super) fn whole(all: &[(u32, &str)], is_hidden: impl Fn(&str) -> bool) -> Option<Snippet> {
    let mut seen = all.iter().filter(|(_, text)| !text.trim().is_empty() && !is_hidden(text)).copied();
    let (start_line, first) = seen.next()?;
    let (mut end_line, mut text) = (start_line, first.to_owned());
    for (number, line) in seen {
        text.push_str(between(end_line, number));
        text.push_str(line);
        end_line = number;
    }
    (cut::utf16_len(&text) <= SNIPPET_UNITS).then_some(Snippet { start_line, end_line, text })
}

/// Line break between two lines that follow each other but for empty lines.
fn between(before: u32, after: u32) -> &'static str {
    if after > before + 1 { "\n\n" } else { "\n" }
}

fn written(passage: &Passage, lines: &Lines<'_>) -> String {
    let mut text = String::new();
    let mut before: Option<usize> = None;
    for &at in &passage.lines {
        match before {
            Some(before) if before + 1 == at => {
                text.push_str(between(lines.lines[before].number, lines.lines[at].number));
            }
            Some(_) => {
                text.push('\n');
                text.push_str(GAP);
                text.push('\n');
            }
            None => {}
        }
        text.push_str(lines.lines[at].text);
        before = Some(at);
    }
    text
}

/// Least length of a piece of a line that is too long, however little room there is.
const SHORTEST: usize = 16;

/// A line, or of a line that is too long the sentences that say most of what was asked.
fn best_part(line: &str, plan: &Plan, idf: &[f64], room: usize) -> String {
    if cut::utf16_len(line) <= room {
        return line.to_owned();
    }
    let owners = plan.owners();
    let forms: HashMap<u32, (usize, f64)> = plan
        .forms()
        .map(|(number, form)| {
            let owner = owners[usize::from(number)];
            (form.hash, (owner, f64::from(form.weight) * plan.concepts[owner].weight * idf[owner]))
        })
        .collect();
    let mut analyzer = Analyzer::new();
    let longest = (SNIPPET_UNITS / 2).min(room.saturating_sub(2 * GAP.len())).max(SHORTEST);
    let pieces: Vec<(&str, usize, f64)> = line
        .split_sentence_bounds()
        .flat_map(|sentence| short_pieces(sentence, longest))
        .map(|piece| {
            let mut held: HashMap<usize, f64> = HashMap::new();
            for term in analyzer.terms(piece) {
                if let Some(&(owner, value)) = forms.get(&term_hash(&term)) {
                    let best = held.entry(owner).or_default();
                    *best = best.max(value);
                }
            }
            let mut values: Vec<f64> = held.into_values().collect();
            // A sum of floats depends on its order.
            values.sort_by(f64::total_cmp);
            (piece, cut::utf16_len(piece), values.iter().sum())
        })
        .collect();
    let best = (0..pieces.len()).rev().max_by(|a, b| pieces[*a].2.total_cmp(&pieces[*b].2)).unwrap_or(0);
    let (mut first, mut last) = (best, best);
    let mut units = pieces.get(best).map_or(0, |piece| piece.1);
    let room = room.saturating_sub(2 * GAP.len());
    loop {
        let fits = |at: &usize| pieces.get(*at).is_some_and(|piece| units + piece.1 <= room);
        let before = first.checked_sub(1).filter(fits);
        let after = Some(last + 1).filter(fits);
        let pick = match (before, after) {
            (Some(a), Some(b)) => Some(if pieces[b].2 >= pieces[a].2 { b } else { a }),
            (a, b) => a.or(b),
        };
        let Some(pick) = pick else { break };
        units += pieces[pick].1;
        (first, last) = (first.min(pick), last.max(pick));
    }
    let body: String = pieces[first..=last].iter().map(|piece| piece.0).collect();
    let mut text = String::new();
    if first > 0 {
        text.push_str(GAP);
    }
    text.push_str(body.trim_end());
    if last + 1 < pieces.len() {
        text.push_str(GAP);
    }
    text
}

/// A sentence, or what is left of it in pieces where it is longer than `longest`.
fn short_pieces(sentence: &str, longest: usize) -> Vec<&str> {
    // Keeps a found word together with a few around it.
    let piece = longest / 2;
    let mut pieces = Vec::new();
    let mut rest = sentence;
    // Asked of its beginning: counting all that is left, each time, is four times the work for twice the line.
    while cut::head(rest, longest).len() < rest.len() {
        let head = cut::head(rest, piece);
        let end = head.rfind(char::is_whitespace).map_or(head.len(), |space| space + 1);
        let end = if end < piece / 4 { head.len() } else { end };
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}
