//! The note of a conversation that ends (H5, H6): its last messages as `memory/YYYY-MM-DD-slug.md`.

use std::{fmt::Write as _, fs::OpenOptions, io::Write as _, path::Path};

use super::{
    daily_note, envelope,
    queue::{Message, Role},
};
use crate::{
    error::{Error, Result},
    text::redact::redact,
};

/// Longest slug in characters.
const MAX_SLUG: usize = 48;

/// The conversation.
#[derive(Debug, Clone, Copy)]
pub struct Conversation<'a> {
    /// The host's key of it.
    pub session_key: &'a str,
    /// The host's id of it.
    pub session_id: &'a str,
    /// What ended it, for example `reset`.
    pub source: &'a str,
    /// Oldest first.
    pub messages: &'a [Message],
}

/// Writes the note; gives its path, or none when nothing was said. `slug` names it, else the time does. An existing
/// note is never touched: the new one gets a number.
///
/// # Errors
/// When the note cannot be written.
pub fn write(
    workspace: &Path,
    conversation: &Conversation<'_>,
    limit: usize,
    slug: Option<&str>,
    now: &jiff::Zoned,
) -> Result<Option<String>> {
    let Some(text) = render(conversation, limit, now) else { return Ok(None) };
    let slug = slug.and_then(clean_slug).unwrap_or_else(|| now.strftime("%H%M").to_string());
    let stem = format!("memory/{}-{slug}", now.date());
    for n in 1_u32.. {
        let relative = if n == 1 { format!("{stem}.md") } else { format!("{stem}-{n}.md") };
        let path = daily_note::contained(workspace, &relative)?;
        let created = OpenOptions::new().write(true).create_new(true).open(&path);
        match created.and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => return Ok(Some(relative)),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(Error::io(&path, &e)),
        }
    }
    Ok(None)
}

fn render(conversation: &Conversation<'_>, limit: usize, now: &jiff::Zoned) -> Option<String> {
    let said: Vec<(Role, String)> = conversation
        .messages
        .iter()
        .map(|m| (m.role, envelope::strip(&m.text)))
        .filter(|(_, text)| !text.starts_with('/') && !envelope::is_noise(text))
        .collect();
    if said.is_empty() {
        return None;
    }
    let mut note = format!("# Session: {}\n\n", now.timestamp().strftime("%Y-%m-%d %H:%M:%S UTC"));
    for (name, value) in [
        ("Session Key", conversation.session_key),
        ("Session ID", conversation.session_id),
        ("Source", conversation.source),
    ] {
        // Writing to a String cannot fail.
        let _ = writeln!(note, "- **{name}**: {}", value.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    note.push_str("\n## Conversation Summary\n\n");
    for (role, text) in said.iter().skip(said.len().saturating_sub(limit)) {
        let name = if *role == Role::User { "user" } else { "assistant" };
        let _ = writeln!(note, "{name}: {}", redact(text));
    }
    Some(note)
}

/// Lower-case letters and digits of any script with hyphens between; none when nothing is left.
fn clean_slug(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase);
    let slug: String = words.collect::<Vec<_>>().join("-").chars().take(MAX_SLUG).collect();
    let slug = slug.trim_matches('-').to_owned();
    (!slug.is_empty()).then_some(slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: Role, text: &str) -> Message {
        Message { role, text: text.to_owned() }
    }

    #[test]
    fn the_last_messages_are_kept_without_commands_blocks_and_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let now: jiff::Zoned = "2026-11-20T23:30:00-03:00[America/Sao_Paulo]".parse().unwrap();
        let messages = [
            said(Role::User, "too old"),
            said(
                Role::User,
                "<relevant-memories>old</relevant-memories>\nthe key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
            ),
            said(Role::Assistant, "NO_REPLY"),
            said(Role::Assistant, "Noted."),
            said(Role::User, "/new"),
        ];
        let conversation =
            Conversation { session_key: "agent:main:main", session_id: "s1", source: "new", messages: &messages };
        let path = write(dir.path(), &conversation, 2, None, &now).unwrap().unwrap();
        assert_eq!(path, "memory/2026-11-20-2330.md");
        let text = std::fs::read_to_string(dir.path().join(&path)).unwrap();
        assert!(text.starts_with("# Session: 2026-11-21 02:30:00 UTC\n\n- **Session Key**: agent:main:main\n"));
        assert!(
            text.contains("## Conversation Summary\n\nuser: the key is [redacted:")
                && text.ends_with("assistant: Noted.\n")
        );
        assert!(!text.contains("too old") && !text.contains("old<"));
        let second = write(dir.path(), &conversation, 2, Some("../Über: die Brücke!"), &now).unwrap().unwrap();
        assert_eq!(second, "memory/2026-11-20-über-die-brücke.md");
        let third = write(dir.path(), &conversation, 2, None, &now).unwrap().unwrap();
        assert_eq!(third, "memory/2026-11-20-2330-2.md");
    }

    #[test]
    fn nothing_said_is_no_note() {
        let dir = tempfile::tempdir().unwrap();
        let messages = [said(Role::User, "/new"), said(Role::Assistant, "NO_REPLY")];
        let conversation = Conversation { session_key: "k", session_id: "i", source: "new", messages: &messages };
        assert_eq!(write(dir.path(), &conversation, 15, None, &jiff::Zoned::now()).unwrap(), None);
    }
}
