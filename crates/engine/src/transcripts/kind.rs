//! Which conversations people hold. What machines say to each other is not remembered.

use model::session_key::SessionKey;

/// Why the session of a key is left out; none for a conversation that people hold.
#[must_use]
pub(crate) fn machine_session(key: &str) -> Option<&'static str> {
    SessionKey::read(key).machine()
}

/// Whether a message in the user's role begins a run that no person is part of.
#[must_use]
pub(crate) fn begins_machine_run(text: &str) -> Option<&'static str> {
    text.trim_start().starts_with("[cron:").then_some("a scheduled run")
}
