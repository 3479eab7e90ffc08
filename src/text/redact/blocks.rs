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
