//! What is told of a run in DREAMS.md, between the host's marks of a diary, so that its page shows it. Blocks of others
//! are never touched.

use std::{collections::BTreeMap, fmt::Write as _};

use jiff::Zoned;

use super::plan::Plan;

pub(super) const DIARY: &str = "DREAMS.md";
const START: &str = "<!-- openclaw:dreaming:diary:start -->";
const END: &str = "<!-- openclaw:dreaming:diary:end -->";
const TITLE: &str = "# Dream Diary";
const RULE: &str = "---";
/// Blocks of ours that stay.
const MOST_BLOCKS: usize = 30;

/// The mark of a run's block.
pub(super) fn mark(run_id: &str) -> String {
    format!("<!-- mcrs:run {run_id} -->")
}

/// The block of a run.
pub(super) fn block(plan: &Plan, at: &Zoned, diary: Option<&str>) -> String {
    let mut text = format!("{RULE}\n\n*{}*\n\n{}\n", at.strftime("%B %-d, %Y at %-I:%M %p %Z"), mark(&plan.run_id));
    // Writing to a string never fails.
    if let Some(diary) = diary {
        let _ = writeln!(text, "\n{diary}");
    }
    let _ = writeln!(text, "\nLearned {}, moved {} to the archive.\n", plan.add.len(), plan.moved.len());
    for addition in &plan.add {
        let source = addition.sources.first().filter(|source| !source.path.is_empty());
        let source = source.map_or_else(|| "said".to_owned(), |source| format!("{}#L{}", source.path, source.line));
        let _ = writeln!(text, "- {} ({source}; {} days, {} uses)", addition.text, addition.days, addition.uses);
    }
    for moved in &plan.moved {
        let _ = writeln!(
            text,
            "- Archived: {} ({})",
            moved.line.split(" <!--").next().unwrap_or_default().trim_start_matches("- "),
            moved.reason
        );
    }
    let refused = counts(&plan.refused_counts);
    if !refused.is_empty() {
        let _ = writeln!(text, "\nNot kept: {refused}.");
    }
    text
}

/// `known 3, few-days 2`, most frequent first.
pub(super) fn counts(refused: &BTreeMap<String, usize>) -> String {
    let mut counts: Vec<_> = refused.iter().collect();
    counts.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    counts.iter().map(|(code, n)| format!("{code} {n}")).collect::<Vec<_>>().join(", ")
}

/// A diary with a block more, and without our oldest beyond those that stay. None when the marks of the diary are damaged:
/// then nothing is written into it.
pub(super) fn with_block(diary: Option<&str>, block: &str) -> Option<String> {
    let Some(diary) = diary else { return Some(format!("{TITLE}\n\n{START}\n{block}\n{END}\n")) };
    let (start, end) = (diary.find(START), diary.find(END));
    match (start, end) {
        (None, None) => {
            let gap = if diary.is_empty() || diary.ends_with("\n\n") {
                ""
            } else if diary.ends_with('\n') {
                "\n"
            } else {
                "\n\n"
            };
            Some(format!("{diary}{gap}{START}\n{block}\n{END}\n"))
        }
        (Some(start), Some(end)) if start < end => {
            let from = start + START.len();
            let (head, inside, tail) = (diary.get(..from)?, diary.get(from..end)?, diary.get(end..)?);
            let inside = without_oldest(inside);
            let gap = if inside.ends_with("\n\n") || inside.trim().is_empty() { "" } else { "\n" };
            Some(format!("{head}{inside}{gap}{block}\n{tail}"))
        }
        _ => None,
    }
}

/// The blocks without the oldest of ours, so that one more is no more than may stay.
fn without_oldest(inside: &str) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for line in inside.split_inclusive('\n') {
        match blocks.last_mut() {
            Some(last) if line.trim_end() != RULE => last.push_str(line),
            _ => blocks.push(line.to_owned()),
        }
    }
    let ours = blocks.iter().filter(|block| block.contains("<!-- mcrs:run ")).count();
    let mut surplus = (ours + 1).saturating_sub(MOST_BLOCKS);
    blocks.retain(|block| {
        let goes = surplus > 0 && block.contains("<!-- mcrs:run ");
        surplus -= usize::from(goes);
        !goes
    });
    blocks.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(run: &str) -> String {
        let plan = Plan { run_id: run.to_owned(), refused_counts: [("known".to_owned(), 2)].into(), ..Plan::default() };
        let at: Zoned = "2026-11-22T03:00:00+00:00[UTC]".parse().unwrap();
        block(&plan, &at, None)
    }

    #[test]
    fn a_diary_is_made_and_grows_and_blocks_of_others_stay() {
        let first = with_block(None, &told("r1")).unwrap();
        assert!(first.contains("*November 22, 2026 at 3:00 AM UTC*") && first.contains("Not kept: known 2."));
        let theirs = first.replace(END, &format!("{RULE}\n\n*another day*\n\nA dream of others.\n{END}"));
        let mut diary = theirs;
        for n in 2..40 {
            diary = with_block(Some(&diary), &told(&format!("r{n}"))).unwrap();
        }
        assert!(diary.contains("A dream of others."));
        assert_eq!(diary.matches("<!-- mcrs:run ").count(), MOST_BLOCKS);
        assert!(!diary.contains(&mark("r1")) && diary.contains(&mark("r39")));
        assert_eq!((diary.matches(START).count(), diary.matches(END).count()), (1, 1));
    }

    #[test]
    fn text_around_the_diary_stays_and_damaged_marks_are_left_alone() {
        let diary = with_block(Some("# My dreams\nmine"), &told("r1")).unwrap();
        assert!(diary.starts_with("# My dreams\nmine\n\n<!--"));
        assert_eq!(with_block(Some(END), &told("r1")), None);
        assert_eq!(with_block(Some(&format!("{END}\n{START}")), &told("r1")), None);
    }
}
