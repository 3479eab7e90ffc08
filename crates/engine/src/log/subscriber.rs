//! Hears what is said with `tracing`, and lets only that through which cannot be private.

use std::{
    cell::RefCell,
    error::Error as StdError,
    fmt::{self, Write as _},
    sync::atomic::{AtomicU64, Ordering},
};

use tracing::{
    Level, Metadata,
    field::{Field, Visit},
    span,
};

use super::outline::{code, outline};

/// The crates that are listened to; those of others say what they like.
const OURS: [&str; 5] = ["engine", "embed", "store", "model", "memory_core_rs"];

/// Fields whose text is told. Numbers are told under any name, errors by their outline, other text never.
const TEXTS: [&str; 2] = ["path", "reason"];

/// Something that was said.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// How grave.
    pub level: Level,
    /// Whose memory it is about.
    pub agent: Option<String>,
    /// What happened and why.
    pub text: String,
    /// What happened, as it is written in this program.
    message: String,
    /// The stable code of the error, so that another failure is another message.
    code: &'static str,
}

impl Event {
    /// Whether it is the same message as another.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (&self.message, &self.agent, self.code) == (&other.message, &other.agent, other.code)
    }

    /// Its level as loggers name it.
    pub(super) fn level_name(&self) -> &'static str {
        match self.level {
            Level::ERROR => "error",
            Level::WARN => "warn",
            Level::INFO => "info",
            _ => "debug",
        }
    }
}

/// Gives each event to a function.
pub(super) struct Subscriber {
    hear: fn(Event),
    last_span: AtomicU64,
}

thread_local! {
    /// Whether this thread is telling something: what is said meanwhile would never end.
    static TELLING: RefCell<bool> = const { RefCell::new(false) };
}

impl Subscriber {
    pub(super) const fn new(hear: fn(Event)) -> Self {
        Self { hear, last_span: AtomicU64::new(0) }
    }
}

impl tracing::Subscriber for Subscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let name = metadata.target().split("::").next().unwrap_or_default();
        metadata.is_event() && *metadata.level() <= Level::DEBUG && OURS.contains(&name)
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(tracing::level_filters::LevelFilter::DEBUG)
    }

    // No span is enabled.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(self.last_span.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        if TELLING.replace(true) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        let text = format!("{}{}{}", fields.message, fields.details(), fields.cause);
        let Fields { agent, message, code, .. } = fields;
        (self.hear)(Event { level: *metadata.level(), agent, text, message, code });
        TELLING.set(false);
    }
}

/// What an event carries.
#[derive(Default)]
struct Fields {
    /// A sentence of this program: nothing that was read or said is ever put into it.
    message: String,
    agent: Option<String>,
    named: Vec<(&'static str, String)>,
    cause: String,
    code: &'static str,
}

impl Fields {
    /// Numbers, paths and reasons in brackets.
    fn details(&self) -> String {
        let named: Vec<String> = self.named.iter().map(|(name, value)| format!("{name} {value}")).collect();
        if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) }
    }

    fn number(&mut self, field: &Field, value: impl fmt::Display) {
        self.named.push((field.name(), value.to_string()));
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Text of any other field may be anything.
        if field.name() == "message" {
            // Writing to a String cannot fail.
            let _ = write!(self.message, "{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.message.push_str(value),
            "agent" => self.agent = Some(value.to_owned()),
            name if TEXTS.contains(&name) => self.named.push((name, value.to_owned())),
            _ => {}
        }
    }

    fn record_error(&mut self, _: &Field, value: &(dyn StdError + 'static)) {
        self.code = code(value);
        if let Some(known) = outline(value) {
            self.cause = format!(": {known}");
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.number(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.number(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.number(field, value);
    }
}
