//! Cuts text into pieces (runs of one script) and remembers what glues them together,
//! so that `src/foo.rs`, `a::b`, `10.0.0.1` and `l'amour` can be read whole and in parts.

use super::script::{Script, script};

/// What stands between a piece and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glue {
    /// A border: they have nothing to do with each other.
    Border,
    /// `'`, as in `don't` or `l'amour`.
    Apostrophe,
    /// `.`
    Dot,
    /// `,` between digits.
    Comma,
    /// `-`, `_`, `:`, `::`, `#`, `&`: parts of one name.
    Joint,
    /// `/` or `\`: levels of a path.
    Slash,
    /// `@`, as in an e-mail address.
    At,
    /// `://`: what came before is a URL scheme.
    Scheme,
}

/// A run of characters of one script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// Byte offset of its first character.
    pub start: u32,
    /// Byte offset after its last character.
    pub end: u32,
    /// How it is cut into terms; never `None` or `Mark`.
    pub script: Script,
    /// What glues it to the piece before it.
    pub glue: Glue,
    /// `#` or `@` right in front of it, with a border before that: a tag, a ticket number, a handle.
    pub tagged: bool,
}

impl Piece {
    /// The characters of the piece.
    #[must_use]
    pub(crate) fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// Appends the pieces of `text` (one line, composed by [`super::fold::compose`], at most 4 GiB) to `out`; offsets are
/// moved by `base`.
pub(crate) fn pieces(text: &str, base: u32, out: &mut Vec<Piece>) {
    let bytes = text.as_bytes();
    let mut previous: Option<(usize, Script)> = None;
    let mut at = 0;
    while at < bytes.len() {
        let (kind, width) = char_at(text, at);
        if matches!(kind, Script::None | Script::Mark) {
            at += width;
            continue;
        }
        let start = at;
        at += width;
        while at < bytes.len() {
            if kind == Script::Spaced && bytes[at].is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let (next, width) = char_at(text, at);
            if next != kind && next != Script::Mark {
                break;
            }
            at += width;
        }
        let (glue, tagged) = match previous {
            Some((end, before)) => {
                let glue = glue(text, end, start, before, kind);
                (glue, glue == Glue::Border && is_tagged(bytes, end, start))
            }
            None => (Glue::Border, is_tagged(bytes, 0, start)),
        };
        out.push(Piece { start: base + start as u32, end: base + at as u32, script: kind, glue, tagged });
        previous = Some((at, kind));
    }
}

fn char_at(text: &str, at: usize) -> (Script, usize) {
    match text.get(at..).and_then(|rest| rest.chars().next()) {
        Some(c) => (script(c), c.len_utf8()),
        // Unreachable on a character border; one byte on keeps the scan moving.
        None => (Script::None, 1),
    }
}

fn glue(text: &str, end: usize, start: usize, before: Script, after: Script) -> Glue {
    // Nothing longer than three bytes joins.
    let Some(gap) = text.get(end..start).filter(|g| !g.is_empty() && g.len() <= 3) else { return Glue::Border };
    if gap.bytes().all(|b| b == b'_') {
        return Glue::Joint;
    }
    // Between two runs without spaces, punctuation is punctuation: 苹果/香蕉, ガ-ガ.
    if before != Script::Spaced && after != Script::Spaced {
        return Glue::Border;
    }
    let digits = || {
        let left = text.as_bytes().get(end.wrapping_sub(1)).is_some_and(u8::is_ascii_digit);
        left && text.as_bytes().get(start).is_some_and(u8::is_ascii_digit)
    };
    match gap {
        "'" | "’" | "ʼ" => Glue::Apostrophe,
        "." => Glue::Dot,
        "," if digits() => Glue::Comma,
        "-" | "\u{2010}" | ":" | "::" | "#" | "&" | "->" => Glue::Joint,
        "/" | "\\" => Glue::Slash,
        "@" => Glue::At,
        "://" => Glue::Scheme,
        _ => Glue::Border,
    }
}

/// Whether the character before `start` is `#` or `@` with a border (not a letter) before it.
fn is_tagged(bytes: &[u8], end: usize, start: usize) -> bool {
    start > end && matches!(bytes.get(start - 1), Some(b'#' | b'@')) && !(start >= 2 && bytes[start - 2] == b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(&str, Glue)> {
        let mut out = Vec::new();
        pieces(text, 0, &mut out);
        out.iter().map(|p| (p.of(text), p.glue)).collect()
    }

    #[test]
    fn scripts_and_glue() {
        use Glue::{Apostrophe, At, Border, Comma, Dot, Joint, Scheme, Slash};
        for (text, want) in [
            ("hello, world", vec![("hello", Border), ("world", Border)]),
            ("a.b_c", vec![("a", Border), ("b", Dot), ("c", Joint)]),
            ("std::fs", vec![("std", Border), ("fs", Joint)]),
            ("src/foo.rs.", vec![("src", Border), ("foo", Slash), ("rs", Dot)]),
            ("l’amour", vec![("l", Border), ("amour", Apostrophe)]),
            ("me@host.io", vec![("me", Border), ("host", At), ("io", Dot)]),
            ("http://x.y", vec![("http", Border), ("x", Scheme), ("y", Dot)]),
            ("1,500 a,b", vec![("1", Border), ("500", Comma), ("a", Border), ("b", Border)]),
            ("我用Rust写", vec![("我用", Border), ("Rust", Border), ("写", Border)]),
            ("会议_2024.md", vec![("会议", Border), ("2024", Joint), ("md", Dot)]),
            ("苹果/香蕉", vec![("苹果", Border), ("香蕉", Border)]),
            ("한국어Rust", vec![("한국어", Border), ("Rust", Border)]),
            ("end. Next", vec![("end", Border), ("Next", Border)]),
            ("\u{301}x", vec![("x", Border)]),
        ] {
            assert_eq!(cut(text), want, "{text}");
        }
    }

    #[test]
    fn tags() {
        let mut out = Vec::new();
        pieces("#1234 @ana a#b ## x ##y", 0, &mut out);
        let tagged: Vec<bool> = out.iter().map(|p| p.tagged).collect();
        assert_eq!(tagged, [true, true, false, false, false, false]);
    }
}
