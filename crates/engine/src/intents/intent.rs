//! One standing intent: what it says, where it counts, and how often it has come up.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::matching::{can_be_mentioned, says_nothing};
use crate::capture::filter::is_injection;
use model::error::{Code, Error, Result};
use text::redact::redact;

/// Characters of a description, at most.
const DESCRIPTION_CHARS: usize = 500;
/// Keywords of an intent, and characters of one, at most.
const KEYWORDS: usize = 24;
const KEYWORD_CHARS: usize = 120;
/// How far a clock is set by itself; one that was further ahead was wrong.
const CLOCK_STEP_MS: i64 = 60_000;
/// How long an intent lives where nobody says: 90 days.
const LIFE_MS: i64 = 90 * 24 * 3_600_000;
/// How often it comes up, and how long it rests in between, where nobody says.
const MAX_FIRES: u32 = 3;
const COOLDOWN_SECONDS: u64 = 86_400;
/// How long a turn may take before what it has reserved is free again: its process may be gone.
const RESERVED_MS: i64 = 30 * 60_000;
/// What was done with an intent, at most; the oldest goes first.
const HISTORY: usize = 50;

/// Where an intent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IntentStatus {
    /// Made, but not at work; memory-core knows it and never sets it.
    Pending,
    /// The next message that mentions it brings it up.
    Armed,
    /// It has come up, and rests.
    Fired,
    /// It has come up as often as it was meant to.
    Done,
    /// Its time is over.
    Expired,
    /// Somebody took it back.
    Cancelled,
}

impl IntentStatus {
    /// The status of a name.
    ///
    /// # Errors
    /// `MEM_ARGUMENT` when there is none of that name.
    pub fn parse(name: &str) -> Result<Self> {
        serde_json::from_value(name.into())
            .map_err(|_| argument("status must be one of: pending, armed, fired, done, cancelled, expired".to_owned()))
    }

    /// Whether it may come up yet.
    fn is_live(self) -> bool {
        matches!(self, Self::Pending | Self::Armed | Self::Fired)
    }
}

/// Where an intent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// In the conversation it was made in.
    Conversation,
    /// On the channel it was made on.
    Channel,
    /// Everywhere.
    Anywhere,
}

/// Who speaks where, as far as a host tells; what it does not tell is missing or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Speaker {
    /// The channel: `telegram`, `webchat`.
    pub provider: Option<String>,
    /// The account of the agent on that channel.
    pub account_id: Option<String>,
    /// The conversation on that channel.
    pub conversation_id: Option<String>,
    /// Who wrote the message.
    pub sender_id: Option<String>,
    /// The key of the session, for those who talk to the agent without a channel.
    pub session_key: Option<String>,
}

impl Speaker {
    /// The channel, or the conversation on it, as memory-core writes it down.
    pub(super) fn place(&self, scope: Scope) -> Option<String> {
        let provider = known(self.provider.as_ref())?.to_lowercase();
        let (name, identity) = match scope {
            Scope::Anywhere => return None,
            Scope::Channel => ("channel", provider.clone()),
            Scope::Conversation => ("conversation", known(self.conversation_id.as_ref())?.to_owned()),
        };
        Some(encoded(&["v1", name, &provider, self.account(), &identity]))
    }

    /// The session, for who has no channel. memory-core has nothing like it.
    pub(super) fn session(&self) -> Option<String> {
        Some(encoded(&["v1", "session", known(self.session_key.as_ref())?]))
    }

    /// The sender as memory-core writes it down.
    pub(super) fn sender(&self) -> Option<String> {
        let provider = known(self.provider.as_ref())?.to_lowercase();
        Some(encoded(&["v1", &provider, self.account(), known(self.sender_id.as_ref())?]))
    }

    fn account(&self) -> &str {
        known(self.account_id.as_ref()).unwrap_or("default")
    }
}

fn known(part: Option<&String>) -> Option<&str> {
    part.map(|text| text.trim()).filter(|text| !text.is_empty() && !text.eq_ignore_ascii_case("unknown"))
}

fn encoded(parts: &[&str]) -> String {
    serde_json::Value::from(parts.to_vec()).to_string()
}

/// What the tool is given for a new intent.
#[derive(Debug, Clone, Default)]
pub struct NewIntent {
    /// What the model is reminded of.
    pub description: String,
    /// Any of these brings it up: all words of one, in any order and inflection; `"…"` as they stand.
    pub trigger_keywords: Vec<String>,
    /// None of these may be in the message.
    pub unless: Vec<String>,
    /// Where it counts; default: on the channel.
    pub scope: Option<Scope>,
    /// Whether it counts for messages of anybody, not only of who made it.
    pub anyone: bool,
    /// When it ends, in milliseconds since the epoch; default: in 90 days.
    pub expires_at: Option<i64>,
    /// How often it comes up; default 3.
    pub max_fires: Option<u32>,
    /// How long it rests after it came up; default a day.
    pub cooldown_seconds: Option<u64>,
    /// The session it was made in.
    pub source_session_id: Option<String>,
}

/// One thing that happened to an intent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntentEvent {
    /// `created`, `imported`, `fired`, `returned`, `cancelled`.
    pub what: String,
    /// When, in milliseconds since the epoch.
    pub at: i64,
}

/// A turn that shows an intent and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Reservation {
    pub(super) turn: String,
    pub(super) at: i64,
}

impl Reservation {
    /// Whether its turn has taken so long that nobody will end it, or began while the clock was ahead.
    pub(super) fn is_lost(&self, now: i64) -> bool {
        self.at + RESERVED_MS <= now || is_ahead(self.at, now)
    }
}

/// Whether a time cannot have been: it was written down while the clock was ahead.
fn is_ahead(at: i64, now: i64) -> bool {
    at > now.saturating_add(CLOCK_STEP_MS)
}

/// A standing intent, with the fields of memory-core's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StandingIntent {
    /// Its id.
    pub id: String,
    /// What the model is reminded of.
    pub description: String,
    /// See [`NewIntent::trigger_keywords`].
    pub trigger_keywords: Vec<String>,
    /// See [`NewIntent::unless`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// The channel, conversation or session it counts in, encoded; null is anywhere.
    pub channel_scope: Option<String>,
    /// Whose messages it counts for, encoded; null is anybody's.
    pub sender_scope: Option<String>,
    /// Who made it.
    pub creator_sender: Option<String>,
    /// Where it stands.
    pub status: IntentStatus,
    /// When it ends, in milliseconds since the epoch.
    pub expires_at: i64,
    /// How often it comes up.
    pub max_fires: u32,
    /// How often it has come up.
    pub fire_count: u32,
    /// How long it rests after it came up.
    pub cooldown_seconds: u64,
    /// When it came up last.
    pub last_fired_at: Option<i64>,
    /// When it was made.
    pub created_at: i64,
    /// The session it was made in.
    pub source_session_id: Option<String>,
    /// The turn that shows it now; stored apart from the intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reserved: Option<Reservation>,
    /// What happened to it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<IntentEvent>,
    /// What a person or a newer version has written beside it.
    #[serde(flatten)]
    pub(super) beside: serde_json::Map<String, serde_json::Value>,
}

impl StandingIntent {
    /// A new intent, armed.
    pub(super) fn new(id: String, given: NewIntent, by: &Speaker, now: i64) -> Result<Self> {
        let description = limited(given.description.trim(), "description", DESCRIPTION_CHARS)?;
        let trigger_keywords = keywords(&given.trigger_keywords, "triggerKeywords")?;
        if trigger_keywords.is_empty() {
            return Err(argument("triggerKeywords must be a non-empty string array".to_owned()));
        }
        let expires_at = given.expires_at.unwrap_or(now + LIFE_MS);
        if expires_at <= now {
            return Err(argument("expiresAt must be a future ISO 8601 timestamp".to_owned()));
        }
        let (channel_scope, sender_scope) = places(&given, by)?;
        let unless = keywords(&given.unless, "unless")?;
        if let Some(both) = trigger_keywords.iter().find(|keyword| unless.contains(keyword)) {
            return Err(argument(format!(
                "{both} brings it up and keeps it down: it may be in one of both lists only"
            )));
        }
        let mut intent = Self {
            id,
            description,
            trigger_keywords,
            unless,
            channel_scope,
            sender_scope,
            creator_sender: known(by.sender_id.as_ref()).map(str::to_owned),
            status: IntentStatus::Armed,
            expires_at,
            max_fires: given.max_fires.unwrap_or(MAX_FIRES).max(1),
            fire_count: 0,
            cooldown_seconds: given.cooldown_seconds.unwrap_or(COOLDOWN_SECONDS),
            last_fired_at: None,
            created_at: now,
            source_session_id: given.source_session_id,
            reserved: None,
            history: Vec::new(),
            beside: serde_json::Map::new(),
        };
        intent.note("created", now);
        Ok(intent)
    }

    /// Whether another that may come up yet brings up the same, of the same messages.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let sorted = |keywords: &[String]| {
            let mut keywords = keywords.to_vec();
            keywords.sort();
            keywords
        };
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        other.status.is_live()
            && plain(&self.description) == plain(&other.description)
            && sorted(&self.trigger_keywords) == sorted(&other.trigger_keywords)
            && sorted(&self.unless) == sorted(&other.unless)
            && (&self.channel_scope, &self.sender_scope) == (&other.channel_scope, &other.sender_scope)
    }

    /// That it came up while the clock was ahead says nothing of when it may again: it would be silent until then.
    pub(super) fn drop_time_ahead(&mut self, now: i64) {
        self.last_fired_at = self.last_fired_at.filter(|at| !is_ahead(*at, now));
    }

    /// What passes by itself: the end of its life and of its rest.
    pub(super) fn pass(&mut self, now: i64) {
        if self.status.is_live() && self.expires_at <= now {
            self.status = IntentStatus::Expired;
        }
        if self.status == IntentStatus::Fired && self.fire_count < self.max_fires && self.has_rested(now) {
            self.status = IntentStatus::Armed;
        }
    }

    /// Whether the next message may bring it up.
    pub(super) fn is_ready(&self, now: i64) -> bool {
        self.status == IntentStatus::Armed
            && self.reserved.is_none()
            && self.fire_count < self.max_fires
            && self.has_rested(now)
    }

    fn has_rested(&self, now: i64) -> bool {
        let rest = i64::try_from(self.cooldown_seconds).unwrap_or(i64::MAX).saturating_mul(1000);
        self.last_fired_at.is_none_or(|at| at.saturating_add(rest) <= now)
    }

    /// Whether it counts for who speaks.
    #[must_use]
    pub fn counts_for(&self, by: &Speaker) -> bool {
        let is_here = match &self.channel_scope {
            None => true,
            Some(scope) => {
                let here = [by.place(Scope::Channel), by.place(Scope::Conversation), by.session()];
                here.iter().flatten().any(|place| place == scope)
            }
        };
        is_here && self.sender_scope.as_ref().is_none_or(|scope| by.sender().as_ref() == Some(scope))
    }

    /// What a turn that shows it now writes down: later than what counted before, so that neither is taken for the other.
    pub(super) fn reservation(&self, turn: &str, now: i64) -> Reservation {
        Reservation { turn: turn.to_owned(), at: self.last_fired_at.map_or(now, |last| now.max(last + 1)) }
    }

    /// A turn shows it.
    pub(super) fn reserve(&mut self, by: Reservation) {
        self.reserved = Some(by);
    }

    /// Whether the turn of a reservation has ended with a reply.
    pub(super) fn has_counted(&self, by: &Reservation) -> bool {
        self.last_fired_at.is_some_and(|last| last >= by.at)
    }

    /// Whether a turn shows it.
    pub(super) fn is_shown_by(&self, turn: &str) -> bool {
        self.reserved.as_ref().is_some_and(|reserved| reserved.turn == turn)
    }

    /// The turn that showed it has its reply.
    pub(super) fn fire(&mut self) {
        let Some(Reservation { at, .. }) = self.reserved.take() else { return };
        self.fire_count += 1;
        self.last_fired_at = Some(at);
        if self.status.is_live() {
            self.status = if self.fire_count >= self.max_fires { IntentStatus::Done } else { IntentStatus::Fired };
        }
        self.note("fired", at);
    }

    /// The turn that showed it came to nothing.
    pub(super) fn give_back(&mut self, now: i64) {
        if self.reserved.take().is_some() {
            self.note("returned", now);
        }
    }

    /// Takes it back; whether there was anything to take back.
    pub(super) fn cancel(&mut self, now: i64) -> bool {
        let was_live = self.status.is_live();
        if was_live {
            self.status = IntentStatus::Cancelled;
            self.note("cancelled", now);
        }
        was_live
    }

    /// Whether nothing can become of it any more, since when.
    pub(super) fn over_since(&self) -> Option<i64> {
        let last = self.history.last().map_or(self.created_at, |event| event.at);
        (!self.status.is_live() && self.reserved.is_none()).then_some(last.max(self.created_at))
    }

    pub(super) fn note(&mut self, what: &str, at: i64) {
        self.history.push(IntentEvent { what: what.to_owned(), at });
        let surplus = self.history.len().saturating_sub(HISTORY);
        self.history.drain(..surplus);
    }
}

/// The place and the sender that an intent is bound to. Who has no channel is bound to the session: nobody else is in it.
fn places(given: &NewIntent, by: &Speaker) -> Result<(Option<String>, Option<String>)> {
    let scope = given.scope.unwrap_or(Scope::Channel);
    let Some(sender) = by.sender() else {
        let session = by.session().ok_or_else(|| {
            argument("nothing tells who speaks in this turn".to_owned())
                .remedy("Try again in a conversation of your own")
        })?;
        return Ok(((scope != Scope::Anywhere).then_some(session), None));
    };
    let place = by.place(scope);
    if scope == Scope::Conversation && place.is_none() {
        // The owner in a web chat has a name and no conversation: the session is the conversation, and a hook there does
        // not tell who speaks.
        let session = by
            .session()
            .ok_or_else(|| argument("conversation identity is unavailable for this creating turn".to_owned()))?;
        return Ok((Some(session), None));
    }
    Ok((place, (!given.anyone).then_some(sender)))
}

fn keywords(given: &[String], field: &str) -> Result<Vec<String>> {
    let mut unique: Vec<String> = Vec::new();
    for keyword in given {
        let keyword = limited(keyword.trim(), &format!("{field} entry"), KEYWORD_CHARS)?.to_lowercase();
        if !can_be_mentioned(&keyword) {
            return Err(argument(format!(
                "{field} entry {keyword} has no letter and no digit, so no message mentions it"
            ))
            .remedy("Name a word"));
        }
        if says_nothing(&keyword) {
            return Err(argument(format!("{field} entry {keyword} is in any message, whatever that is about")).remedy(
                "Name a word that says what it is about, or put it between quotation marks to mean it as it stands",
            ));
        }
        if !unique.contains(&keyword) {
            unique.push(keyword);
        }
    }
    if unique.len() > KEYWORDS {
        return Err(argument(format!("{field} must contain at most {KEYWORDS} entries")));
    }
    Ok(unique)
}

fn limited(text: &str, field: &str, most: usize) -> Result<String> {
    if text.is_empty() {
        return Err(argument(format!("{field} is required")));
    }
    if text.chars().count() > most {
        return Err(argument(format!("{field} must be at most {most} characters")));
    }
    if !matches!(redact(text), Cow::Borrowed(_)) {
        return Err(argument(format!("{field} holds a password, a key or the like, and memory keeps none"))
            .remedy("Say it without"));
    }
    if is_injection(text) {
        return Err(argument(format!("{field} reads like an instruction to a model, not like a reminder"))
            .remedy("Say what the user shall be reminded of"));
    }
    Ok(text.to_owned())
}

pub(super) fn argument(message: String) -> Error {
    Error::new(Code::Argument, message)
}
