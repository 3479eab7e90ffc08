//! Which conversations people hold. What machines say to each other is not remembered.

/// What a part of a session key says about the whole session.
const MACHINE_PARTS: &[(&str, &str)] = &[
    ("cron", "a scheduled run"),
    ("heartbeat", "a heartbeat"),
    ("hook", "a hook's run"),
    ("subagent", "a sub-agent"),
    ("active-memory", "a memory recall"),
    ("memory-capture", "a memory capture"),
    ("memory-core-rs", "a memory capture"),
    ("internal-session-effects", "an internal run"),
];

/// The same for the beginning of a part.
const MACHINE_PREFIXES: &[(&str, &str)] = &[
    ("dreaming-narrative-", "a dream"),
    ("memory-core-rs-", "a memory capture"),
    ("incognito-", "an incognito conversation"),
];

/// Why the session of a key is left out; none for a conversation that people hold.
#[must_use]
pub(crate) fn machine_session(key: &str) -> Option<&'static str> {
    let key = key.trim().to_lowercase();
    if key.starts_with("temp:") {
        return Some("an internal run");
    }
    // The first two parts are `agent` and the agent's id, which may have any name.
    let parts = || key.split(':').skip(if key.starts_with("agent:") { 2 } else { 0 });
    parts().find_map(|part| {
        let exact = MACHINE_PARTS.iter().find(|(name, _)| part == *name);
        let beginning = || MACHINE_PREFIXES.iter().find(|(prefix, _)| part.starts_with(prefix));
        exact.or_else(beginning).map(|(_, reason)| *reason)
    })
}

/// Whether a message in the user's role begins a run that no person is part of.
#[must_use]
pub(crate) fn begins_machine_run(text: &str) -> Option<&'static str> {
    text.trim_start().starts_with("[cron:").then_some("a scheduled run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_of_people_stay() {
        for key in [
            "agent:main:main",
            "agent:cron:main",
            "agent:main:telegram:direct:4711",
            "agent:main:whatsapp:group:120363@g.us",
            "agent:main:thread:crontab",
            "main",
            "global",
        ] {
            assert_eq!(machine_session(key), None, "{key}");
        }
    }

    #[test]
    fn runs_of_machines_are_left_out() {
        for key in [
            "agent:main:cron:job:run:1",
            "agent:main:main:heartbeat",
            "agent:main:subagent:4f1c",
            "agent:main:subagent:memory-core-rs-4f1c",
            "agent:main:memory-core-rs:4f1c",
            "agent:main:main:active-memory:0123456789ab",
            "agent:main:internal-session-effects:x",
            "agent:main:dashboard:incognito-7",
            "agent:main:dreaming-narrative-light-1",
            "temp:slug-generator",
            "hook:gmail:1",
        ] {
            assert!(machine_session(key).is_some(), "{key}");
        }
    }
}
