//! Conversations that the host keeps itself: it is asked which there are, and what is new in one.

use std::{collections::HashSet, pin::pin, sync::Arc, time::Duration};

use serde::de::DeserializeOwned;
use tokio::runtime::Handle;

use super::{
    Step,
    cutter::TranscriptCutter,
    session_pass::{Scope, SessionPass, SessionSync, State, is_hosts, is_quiet},
};
use crate::transcripts::{
    files::display,
    host::{AskHost, CURSOR_PREFIX, Listing, Page, Request, Session, ask},
};
use model::{
    config::memory_policy::SessionFacts,
    error::{Error, ErrorKind, Result},
};
use store::transcripts::TranscriptRow;

/// Patience with one answer of the host.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a cancellation is looked for meanwhile.
const POLL: Duration = Duration::from_millis(50);

/// How reading a conversation ended.
enum End {
    /// All of it is indexed.
    Read,
    /// There is no such conversation any more.
    Gone,
    /// Not now, and why.
    Later(String),
}

impl SessionPass<'_> {
    pub(super) fn read_host(&self, host: &AskHost, sync: &mut SessionSync) -> Result<()> {
        let listing: Listing = self.ask(host, &Request::List)?;
        let (mut seen, mut left_out) = (HashSet::new(), HashSet::new());
        let total = listing.sessions.len();
        for (done, session) in listing.sessions.iter().enumerate() {
            self.cancel.check()?;
            if session.excluded().is_some() || !is_name(&session.session_id) || !seen.insert(&session.session_id) {
                continue;
            }
            let path = display(&self.settings.agent_id, &format!("{}.jsonl", session.session_id));
            if sync.forgotten.conversation(&path, Some(&session.session_key))
                || self.settings.excluded_sessions.reason(session.facts()).is_some()
            {
                left_out.insert(path);
                continue;
            }
            let row = sync.known.get(&path).filter(|row| is_hosts(Some(row))).cloned();
            if !self.is_news(&path, row.as_ref(), session) {
                if row.is_some() {
                    sync.keep(&path);
                }
                continue;
            }
            match self.read_session(host, &path, row.as_ref(), session, sync)? {
                End::Read => sync.keep(&path),
                End::Gone => {}
                End::Later(reason) => sync.skip(&path, reason),
            }
            (self.progress)(&Step { completed: done + 1, total, label: "Reading conversations".to_owned() });
        }
        if !listing.complete {
            self.ask_for_the_rest(host, sync, &left_out)?;
        }
        Ok(())
    }

    fn is_news(&self, path: &str, row: Option<&TranscriptRow>, session: &Session) -> bool {
        let updated_ns = nanoseconds(session.updated_at_ms);
        let differs = row.is_none_or(|row| row.mtime_ns != updated_ns);
        self.noted.contains(path) || (differs && (self.scope == Scope::All || is_quiet(updated_ns)))
    }

    fn read_session(
        &self,
        host: &AskHost,
        path: &str,
        row: Option<&TranscriptRow>,
        session: &Session,
        sync: &mut SessionSync,
    ) -> Result<End> {
        let Session { session_key, session_id, .. } = session;
        let mut cursor = row.and_then(|row| row.cursor.strip_prefix(CURSOR_PREFIX)).map(str::to_owned);
        let mut cutter = match row.filter(|_| cursor.is_some()) {
            Some(row) => self.resume(row)?,
            None => TranscriptCutter::begin(),
        };
        let forgotten = Arc::clone(&sync.forgotten);
        let keep = |line: &str| !forgotten.line(path, line);
        let mut lines = 0;
        loop {
            self.cancel.check()?;
            let (next, more, messages) =
                match self.ask(host, &Request::Read { session_key, session_id, cursor: cursor.as_deref() })? {
                    Page::Messages { cursor, more, messages } => (cursor, more, messages),
                    Page::Reset if cursor.is_some() => {
                        (cursor, cutter) = (None, TranscriptCutter::begin());
                        continue;
                    }
                    Page::Reset => return Ok(End::Later("the host begins this conversation anew".to_owned())),
                    Page::Missing => return Ok(End::Gone),
                    Page::Unavailable { reason } => return Ok(End::Later(reason)),
                };
            if more && cursor.as_ref() == Some(&next) {
                return Err(Error::new(ErrorKind::HOST, "the host gives the same part of a conversation again"));
            }
            for message in messages.iter().filter(|message| !message.is_machine()) {
                cutter.add(message.line, message.speaker(), &message.text, keep);
            }
            lines = messages.last().map_or(lines, |message| message.line);
            let stored = format!("{CURSOR_PREFIX}{next}");
            cursor = Some(next);
            if more && !cutter.is_large() {
                continue;
            }
            let state = State {
                path,
                session_key: Some(session_key),
                cursor: &stored,
                // Not all of it yet: the next look must not take it for read. What the host adds, it adds before it
                // notes the time.
                mtime_ns: if more { i64::MIN } else { nanoseconds(session.updated_at_ms) },
                size: 0,
                lines,
            };
            self.commit(&mut cutter, row, &state, sync)?;
            if !more {
                return Ok(End::Read);
            }
        }
    }

    /// Asks the host and waits, on a thread that may, as long as the pass goes on.
    fn ask<T: DeserializeOwned>(&self, host: &AskHost, request: &Request<'_>) -> Result<T> {
        Handle::current().block_on(async {
            let mut answer = pin!(tokio::time::timeout(PATIENCE, ask(host, request)));
            loop {
                match tokio::time::timeout(POLL, &mut answer).await {
                    Ok(Ok(answer)) => return answer,
                    Ok(Err(_)) => {
                        return Err(Error::new(ErrorKind::HOST, "the host does not tell about its conversations"));
                    }
                    Err(_) => self.cancel.check()?,
                }
            }
        })
    }

    /// A conversation that is not in the list may have been deleted, or only have been followed by another one.
    fn ask_for_the_rest(&self, host: &AskHost, sync: &mut SessionSync, left_out: &HashSet<String>) -> Result<()> {
        let is_open = |path: &&String| is_hosts(sync.known.get(*path)) && !left_out.contains(*path);
        let mut rest: Vec<String> = sync.gone.iter().filter(is_open).cloned().collect();
        rest.sort_unstable();
        for path in rest {
            self.cancel.check()?;
            let Some(row) = sync.known.get(&path) else { continue };
            let facts = SessionFacts { key: row.session_key.as_deref(), ..SessionFacts::default() };
            if sync.forgotten.conversation(&path, facts.key) || self.settings.excluded_sessions.reason(facts).is_some()
            {
                continue;
            }
            let (Some(session_key), Some(cursor)) = (&row.session_key, row.cursor.strip_prefix(CURSOR_PREFIX)) else {
                continue;
            };
            let name = path.rsplit('/').next().unwrap_or_default();
            let session_id = name.strip_suffix(".jsonl").unwrap_or(name);
            let request = Request::Read { session_key, session_id, cursor: Some(cursor) };
            if !matches!(self.ask(host, &request)?, Page::Missing) {
                sync.keep(&path);
            }
        }
        Ok(())
    }
}

/// Whether an id can be the name of a transcript.
fn is_name(id: &str) -> bool {
    !id.is_empty() && !id.contains(['/', '\\', '\n'])
}

fn nanoseconds(ms: i64) -> i64 {
    ms.saturating_mul(1_000_000)
}
