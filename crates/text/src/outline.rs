//! The outline of a Markdown file: what each line is and which headings stand above it.

use super::lines::LineKind;

/// Longest heading text kept, in characters: context for ranking, not content.
const TITLE_CHARS: usize = 200;
/// Front matter that is not closed within this many lines is a thematic break and text.
const FRONT_MATTER_LINES: usize = 1_000;

/// One heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// Line of the heading, from 1.
    pub line: u32,
    /// 1–6; 0 is the title that the front matter gives the page.
    pub level: u8,
    /// Text of the heading without markers.
    pub title: Box<str>,
    /// The heading around it.
    pub parent: Option<u32>,
    /// First line after the heading's own lines (a setext heading has two).
    body: u32,
}

/// Headings and line kinds of one file.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    sections: Vec<Section>,
    kinds: Vec<LineKind>,
}

impl Outline {
    /// Reads the outline of a text; lines are separated by `\n`. Linear in the length of the text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut outline = Self::default();
        let front_matter = front_matter_lines(text);
        if let Some(title) = title_in(text.split('\n').take(front_matter)) {
            outline.open(1, 1, 0, title);
        }
        let mut fence: Option<(u8, usize)> = None;
        // The only line so far of a paragraph: what a setext underline makes a heading.
        let mut paragraph: Option<&str> = None;
        let mut paragraph_lines = 0_usize;
        for (index, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let number = u32::try_from(index).unwrap_or(u32::MAX - 1) + 1;
            let mut kind = LineKind::Text;
            let mut goes_on = false;
            if index < front_matter {
                kind = LineKind::FrontMatter;
            } else if let Some((mark, length)) = fence {
                kind = LineKind::Code;
                if fence_mark(line).is_some_and(|(m, n, bare)| m == mark && n >= length && bare) {
                    kind = LineKind::Fence;
                    fence = None;
                }
            } else if line.trim().is_empty() {
                kind = LineKind::Blank;
            } else if let Some((mark, length, _)) = fence_mark(line) {
                kind = LineKind::Fence;
                fence = Some((mark, length));
            } else if let Some((level, title)) = atx(line) {
                kind = LineKind::Heading;
                outline.open(number, number + 1, level, title);
            } else if let (Some(title), Some(level), 1) = (paragraph, setext(line), paragraph_lines) {
                kind = LineKind::Heading;
                outline.open(number - 1, number + 1, level, title);
                if let Some(above) = outline.kinds.last_mut() {
                    *above = LineKind::Heading;
                }
            } else {
                goes_on = true;
                paragraph_lines += 1;
                paragraph = (paragraph_lines == 1 && is_paragraph(line)).then_some(line);
            }
            if !goes_on {
                paragraph = None;
                paragraph_lines = 0;
            }
            outline.kinds.push(kind);
        }
        outline
    }

    fn open(&mut self, line: u32, body: u32, level: u8, title: &str) {
        // Climbs from the latest heading; each step goes up a level, so at most six steps.
        let mut parent = self.sections.len().checked_sub(1).map(|last| last as u32);
        while let Some(id) = parent {
            let section = &self.sections[id as usize];
            if section.level < level {
                break;
            }
            parent = section.parent;
        }
        let title = title.trim();
        let end = title.char_indices().nth(TITLE_CHARS).map_or(title.len(), |(end, _)| end);
        self.sections.push(Section { line, level, title: title[..end].into(), parent, body });
    }

    /// What a line is; lines past the end are text.
    #[must_use]
    pub fn kind_of(&self, line: u32) -> LineKind {
        (line as usize).checked_sub(1).and_then(|i| self.kinds.get(i)).copied().unwrap_or_default()
    }

    /// The section a line belongs to, as an index into [`Outline::sections`]; none before the first heading.
    /// A heading belongs to the section around it.
    #[must_use]
    pub fn section_of(&self, line: u32) -> Option<u32> {
        let after = self.sections.partition_point(|s| s.line <= line);
        let last = after.checked_sub(1)?;
        let section = &self.sections[last];
        if line < section.body { section.parent } else { Some(last as u32) }
    }

    /// Heading texts from the outermost down to the section.
    pub fn path_of_section(&self, section: u32) -> impl Iterator<Item = &str> {
        let up = |id: &u32| self.sections.get(*id as usize).and_then(|s| s.parent);
        let mut path: Vec<u32> = std::iter::successors(Some(section), up).collect();
        path.reverse();
        path.into_iter().filter_map(|id| self.sections.get(id as usize)).map(|s| &*s.title)
    }
}

/// Number of lines of front matter, with its borders.
fn front_matter_lines(text: &str) -> usize {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut lines = text.split('\n').take(FRONT_MATTER_LINES);
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    lines.position(|line| matches!(line.trim_end(), "---" | "...")).map_or(0, |i| i + 2)
}

/// The title of a page as its front matter has it: all that stands on the page is about it.
fn title_in<'a>(mut front_matter: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let title = front_matter.find_map(|line| line.strip_prefix("title:"))?.trim();
    let bare = ['"', '\''].iter().find_map(|quote| title.strip_prefix(*quote)?.strip_suffix(*quote));
    Some(bare.unwrap_or(title)).filter(|title| !title.is_empty())
}

/// The line without up to three spaces of indent; none if it is indented more.
fn outdent(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= 3).then_some(rest)
}

fn atx(line: &str) -> Option<(u8, &str)> {
    let rest = outdent(line.strip_prefix('\u{FEFF}').unwrap_or(line))?;
    let title = rest.trim_start_matches('#');
    let level = rest.len() - title.len();
    if !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    let title = title.trim();
    let open = title.trim_end_matches('#');
    // Closing marks count only after a space: `# C#` is about C#.
    let title = if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title };
    Some((level as u8, title))
}

fn setext(line: &str) -> Option<u8> {
    let mark = outdent(line)?.trim_end();
    if mark.is_empty() {
        None
    } else if mark.bytes().all(|b| b == b'=') {
        Some(1)
    } else if mark.bytes().all(|b| b == b'-') {
        Some(2)
    } else {
        None
    }
}

/// Whether a line is plain prose, which an underline turns into a heading.
fn is_paragraph(line: &str) -> bool {
    outdent(line).is_some_and(|l| !l.starts_with(['-', '*', '+', '>', '|', '<']) && !starts_numbered_item(l))
}

fn starts_numbered_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// Character, length and "nothing after it" of a code fence. Any indent: fences stand in list items too.
fn fence_mark(line: &str) -> Option<(u8, usize, bool)> {
    let line = line.trim_start();
    let mark = *line.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = line.bytes().take_while(|b| *b == mark).count();
    let info = &line[length..];
    // ``` `inline` ``` is code within a line.
    (length >= 3 && !(mark == b'`' && info.contains('`'))).then(|| (mark, length, info.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headings_above(outline: &Outline, line: u32) -> Vec<&str> {
        outline.section_of(line).map(|id| outline.path_of_section(id).collect()).unwrap_or_default()
    }

    fn path(text: &str, line: u32) -> String {
        headings_above(&Outline::of(text), line).join(" > ")
    }

    #[test]
    fn headings_nest() {
        let text = "intro\n# A\na\n### C ###\nc\n## B\r\nb\n# D\nd";
        for (line, want) in
            [(1, ""), (2, ""), (3, "A"), (4, "A"), (5, "A > C"), (6, "A"), (7, "A > B"), (8, ""), (9, "D"), (99, "D")]
        {
            assert_eq!(path(text, line), want, "line {line}");
        }
    }

    #[test]
    fn underlined_headings() {
        let text = "Title\n=====\nx\n\nSub\n---\ny\n\n- item\n---\nz\n\ntwo\nlines\n---\nw";
        let outline = Outline::of(text);
        assert_eq!(headings_above(&outline, 3), ["Title"]);
        assert_eq!((outline.kind_of(1), outline.kind_of(2)), (LineKind::Heading, LineKind::Heading));
        assert_eq!(headings_above(&outline, 1), [""; 0]);
        assert_eq!(headings_above(&outline, 7), ["Title", "Sub"]);
        assert_eq!(headings_above(&outline, 16), ["Title", "Sub"]);
    }

    #[test]
    fn what_looks_like_a_heading_and_is_none() {
        for text in
            ["#tag\nx", "####### seven\nx", "    # code\nx", "```\n# in code\n```\nx", "~~~md\n# a\n```\n# b\n~~~\nx"]
        {
            assert!(Outline::of(text).sections.is_empty(), "{text}");
        }
        assert_eq!(path("# C#\nx", 2), "C#");
        assert_eq!(path("#\nx", 2), "");
    }

    #[test]
    fn line_kinds() {
        let text = "---\ntitle: x\n---\n# H\n\n```rs\ncode\n```\ntext";
        let outline = Outline::of(text);
        use LineKind::{Blank, Code, Fence, FrontMatter, Heading, Text};
        let kinds: Vec<LineKind> = (1..=9).map(|n| outline.kind_of(n)).collect();
        assert_eq!(kinds, [FrontMatter, FrontMatter, FrontMatter, Heading, Blank, Fence, Code, Fence, Text]);
        assert_eq!(Outline::of("---\nno end").kind_of(2), Text);
    }

    #[test]
    fn the_title_of_a_page_stands_above_all_its_headings() {
        for title in ["title: Telegram media", "title: \"Telegram media\"", "summary: x\ntitle:  'Telegram media' "] {
            let text = format!("---\n{title}\n---\nintro\n## Albums\nten\n# Other\nx");
            let line =
                |text: &str| 1 + Outline::of(text).kinds.iter().filter(|k| **k == LineKind::FrontMatter).count() as u32;
            let intro = line(&text);
            assert_eq!(path(&text, intro), "Telegram media");
            assert_eq!(path(&text, intro + 2), "Telegram media > Albums");
            assert_eq!(path(&text, intro + 4), "Telegram media > Other");
        }
        for none in ["---\ntitle:\n---\nx", "---\ntitle: \"\"\n---\nx", "---\nsubtitle: y\n---\nx", "title: y\nx"] {
            assert_eq!(path(none, 4), "", "{none}");
        }
    }

    #[test]
    fn hostile_input() {
        let headings = "###### x\n".repeat(100_000);
        assert_eq!(Outline::of(&headings).sections.len(), 100_000);
        let deep: String = (0..100_000).map(|i| format!("{} h\n", "#".repeat(i % 6 + 1))).collect();
        assert_eq!(headings_above(&Outline::of(&deep), 99_996).len(), 5);
        let one_line = format!("# {}", "x".repeat(10_000_000));
        assert_eq!(Outline::of(&one_line).sections[0].title.len(), TITLE_CHARS);
        let ticks = "`".repeat(1_000_000);
        assert_eq!(Outline::of(&ticks).kind_of(1), LineKind::Fence);
        let dashes = "---\n".repeat(100_000);
        assert!(Outline::of(&dashes).sections.is_empty());
    }
}
