//! The list items of a note, as Markdown reads them: with the lines that go on below, under the day of their heading.

use std::ops::Range;

use jiff::civil::Date;

/// The fewest characters that begin a fence.
const LEAST_FENCE: usize = 3;
/// The most digits of the number of an item.
const MOST_DIGITS: usize = 9;

/// An item of a list at the margin.
#[derive(Debug)]
pub(super) struct Item<'a> {
    /// The number of its first line, from 0.
    pub(super) at: usize,
    /// The day of its heading; none below any other heading.
    pub(super) under: Option<Date>,
    /// Its lines without white space at their ends: the first, and those that are set in below it.
    pub(super) lines: Vec<&'a str>,
}

impl Item<'_> {
    /// What it says, on one line and without its mark.
    pub(super) fn words(&self) -> String {
        let joined = self.lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ");
        joined.get(mark(&joined)..).unwrap_or_default().trim().to_owned()
    }

    /// The numbers of its lines.
    pub(super) fn place(&self) -> Range<usize> {
        self.at..self.at + self.lines.len()
    }
}

/// The list items of a text. What stands in a fence is none.
pub(super) fn items(text: &str) -> Vec<Item<'_>> {
    let (mut items, mut under, mut goes_on) = (Vec::<Item<'_>>::new(), None, false);
    let mut fence: Option<&str> = None;
    for (at, line) in text.lines().enumerate() {
        // As what looks for a line to take out compares it.
        let line = line.trim_end_matches(|c: char| c.is_ascii_whitespace());
        let is_set_in = line.starts_with("  ") || line.starts_with('\t');
        if let Some(item) = items.last_mut().filter(|_| goes_on && is_set_in) {
            item.lines.push(line);
            continue;
        }
        goes_on = false;
        match (fence, fence_of(line)) {
            // Only as many of the same, and nothing else, end it.
            (Some(open), Some(close)) if close.starts_with(open) && line.trim() == close => fence = None,
            (Some(_), _) => {}
            (None, Some(open)) => fence = Some(open),
            (None, None) if line.starts_with("# ") || line.starts_with("## ") => under = heading_day(line),
            (None, None) if mark(line) > 0 => {
                items.push(Item { at, under, lines: vec![line] });
                goes_on = true;
            }
            (None, None) => {}
        }
    }
    items
}

/// The day under which a text ends.
pub(super) fn last_day(text: &str) -> Option<Date> {
    // An item at its end is under the heading that counts there.
    items(&format!("{text}\n- end")).last().and_then(|item| item.under)
}

/// The day of a heading.
fn heading_day(line: &str) -> Option<Date> {
    line.strip_prefix("## ")?.trim().parse().ok()
}

/// The characters that begin or end a fence.
fn fence_of(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(first).len();
    line.get(..length).filter(|_| length >= LEAST_FENCE)
}

/// How many bytes at the beginning of a line make a list item of it: `- `, `* `, `+ `, `1. ` or `1) `; 0 = it is none.
fn mark(line: &str) -> usize {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line.get(digits..).unwrap_or_default();
    let signs: &[&str] = if digits == 0 { &["- ", "* ", "+ "] } else { &[". ", ") "] };
    let is_mark = digits <= MOST_DIGITS && signs.iter().any(|sign| rest.starts_with(sign));
    if is_mark { digits + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, Range<usize>, Option<String>)> {
        items(text).iter().map(|i| (i.words(), i.place(), i.under.map(|day| day.to_string()))).collect()
    }

    #[test]
    fn an_item_has_the_lines_that_are_set_in_below_it() {
        let text = "- a fact that goes on  \r\n  in the next line\r\n  - and below\r\n* two\n\n  no more of it\n- \n";
        let found = read(text);
        let of = |words: &str, place| (words.to_owned(), place, None);
        assert_eq!(found, [of("a fact that goes on in the next line - and below", 0..3), of("two", 3..4)]);
    }

    #[test]
    fn every_mark_of_a_list_makes_an_item_and_nothing_in_a_fence_is_one() {
        let text =
            "+ a\n1. b\n12) c\n-d\n1.5 e\n```md\n- code\n````\n~~~\n- code\n~~~\n- f\n````\n- code\n```\n- code\n";
        let words: Vec<String> = items(text).iter().map(Item::words).collect();
        assert_eq!(words, ["a", "b", "c", "f"]);
        let closed = format!("{text}````\n- g\n");
        assert_eq!(items(&closed).last().map(Item::words).as_deref(), Some("g"));
    }

    #[test]
    fn only_the_heading_of_a_day_gives_a_day() {
        let text = "- a\n## 2026-11-21\n- b\n### More\n- c\n## Things\n- d\n## 2026-11-22\n- e\n## 2026-13-45\n- f\n";
        let days: Vec<Option<String>> = read(text).into_iter().map(|(_, _, day)| day).collect();
        let of = |day: &str| Some(day.to_owned());
        let expected = [None, of("2026-11-21"), of("2026-11-21"), None, of("2026-11-22"), None];
        assert_eq!(days, expected);
        assert_eq!(last_day(text), None);
        assert_eq!(last_day("## 2026-11-21\n\n- b"), Some(jiff::civil::date(2026, 11, 21)));
    }
}
