//! Private keys in their armour: PEM, OpenSSH, PGP, SSH2, PuTTY.

use std::ops::Range;

/// What armour begins with.
pub(super) const OPENINGS: &[&str] = &["-----BEGIN ", "---- BEGIN ", "Private-Lines:", "minisign encrypted secret key"];

/// What the line begins with that ends armour.
const FOOTER: &str = "-----END ";
const SSH2_FOOTER: &str = "---- END ";

/// The key whose armour begins at `start`. `no_footer` remembers that none follows, so that nobody looks twice.
pub(super) fn find(text: &str, start: usize, no_footer: &mut bool) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    if !rest.starts_with("--") {
        return Some(start..start + body(rest, first_line(rest)));
    }
    let header = rest.get(..rest.floor_char_boundary(80.min(rest.len())))?;
    let close = header.get(5..)?.find("----").map(|at| at + 5)?;
    let name = header.get(..close)?;
    if !(name.contains("PRIVATE KEY") || name.contains("SECRET KEY")) || name.contains('\n') {
        return None;
    }
    let inside = close + header.get(close..)?.len() - header.get(close..)?.trim_start_matches('-').len();
    let has_key = rest
        .get(inside..rest.floor_char_boundary((inside + 400).min(rest.len())))?
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')))
        .any(|run| run.len() >= 12);
    if !has_key {
        return None;
    }
    let footer = || rest.get(inside..)?.find(FOOTER).or_else(|| rest.get(inside..)?.find(SSH2_FOOTER));
    let end = if *no_footer { None } else { footer().map(|at| inside + at) };
    *no_footer = end.is_none();
    let Some(end) = end else { return Some(start..start + body(rest, inside)) };
    let footer = rest.get(end + FOOTER.len()..)?;
    let tail = footer.find("----").map_or(footer.len(), |at| {
        at + footer.get(at..).map_or(0, |marks| marks.len() - marks.trim_start_matches('-').len())
    });
    Some(start..start + end + FOOTER.len() + tail)
}

fn first_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The end of the lines of a key that has no end of its own: until somebody speaks again.
fn body(rest: &str, from: usize) -> usize {
    let mut end = from;
    for line in rest.get(from..).unwrap_or_default().split_inclusive('\n') {
        let words = line.split_whitespace().count();
        if words > 2 && !line.contains(": ") {
            break;
        }
        end += line.len();
    }
    rest.get(..end).unwrap_or_default().trim_end().len()
}

/// Shortest line of a key that is no last one; fewer characters than any armour puts on a line.
const KEY_LINE: usize = 60;
/// Shortest line that is one of a key without others around it.
const LONG_LINE: usize = 100;

/// The rest of a key whose armour began before the text: what is cut into passages is cut inside of keys, too.
pub(super) fn begun_before(text: &str) -> Option<Range<usize>> {
    let (mut at, mut end, mut lines) = (0, 0, 0);
    loop {
        let rest = text.get(at..)?;
        let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let line = rest.get(indent..)?;
        let length = line.find(|c: char| !is_base64(c)).unwrap_or(line.len());
        // In JSON a line ends in an escaped feed.
        let after = line.get(length..)?;
        let feed = ["\r\n", "\n", "\\r\\n", "\\n"].into_iter().find(|feed| after.starts_with(feed));
        let is_last = after.is_empty() || after == "\\" || after.starts_with(['"', '\'']);
        let is_line = length > 0 && (feed.is_some() || is_last);
        if !is_line {
            break;
        }
        let line = line.get(..length)?;
        lines += match length {
            LONG_LINE.. if is_mixed(line) => 2,
            KEY_LINE.. if is_mixed(line) => 1,
            _ => 0,
        };
        end = at + indent + length;
        at = end + feed.map_or(0, str::len);
        if feed.is_none() {
            break;
        }
    }
    let rest = text.get(at..)?.trim_start_matches([' ', '\t']);
    let footer = footer(rest).filter(|_| end > 0).map(|footer| text.len() - rest.len() + footer);
    footer.or_else(|| (lines >= 2).then_some(end)).map(|end| 0..end)
}

/// The end of the line that ends a private key, where a text begins with it.
fn footer(text: &str) -> Option<usize> {
    let line = text.get(..text.floor_char_boundary(80.min(text.len())))?;
    let name = line.strip_prefix(FOOTER).or_else(|| line.strip_prefix(SSH2_FOOTER))?;
    let close = name.find("----")?;
    let is_key = name.get(..close).is_some_and(|name| name.contains("PRIVATE KEY") || name.contains("SECRET KEY"));
    let marks = name.get(close..)?;
    is_key.then(|| line.len() - marks.trim_start_matches('-').len())
}

const fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

/// Whether a line has what Base64 has: letters of both cases and digits.
fn is_mixed(line: &str) -> bool {
    let has = |is: fn(&u8) -> bool| line.bytes().any(|byte| is(&byte));
    has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit)
}
