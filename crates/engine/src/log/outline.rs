//! An error without its words: code, path, numbers and a remedy of ours. What a provider, a parser or SQLite says may
//! quote the text that was being worked on, and that is nobody's business in a log.

use std::{borrow::Cow, error::Error as StdError, io};

use model::error::{Error, ErrorKind};

/// Longest code of the host that is shown.
const MAX_HOST_CODE: usize = 40;

/// What can be told of an error; nothing of one that is not known here.
pub(super) fn outline(error: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<Error>() {
        return Some(of_engine(error));
    }
    error.downcast_ref::<io::Error>().map(of_system)
}

/// The stable code of an error, so that two failures of one kind count as one.
pub(super) fn code(error: &(dyn StdError + 'static)) -> &'static str {
    error.downcast_ref::<Error>().map_or("", |error| error.code().as_str())
}

fn of_engine(error: &Error) -> String {
    let known = match &error.kind {
        ErrorKind::File { path, fault, os } => {
            let system = os.map_or_else(|| io::Error::from(*fault), io::Error::from_raw_os_error);
            Some(format!("{}: {}", path.display(), of_system(&system)))
        }
        ErrorKind::Sqlite { extended: 0, .. } => None,
        ErrorKind::Sqlite { extended, .. } => Some(match extended & 0xff {
            // Nothing more is known than the number of the fault.
            fault if fault == *extended => format!("SQLite {fault}"),
            fault => format!("SQLite {fault} ({extended})"),
        }),
        ErrorKind::Provider { status: Some(status), .. } | ErrorKind::Host { status: Some(status), .. } => {
            Some(format!("HTTP {status}"))
        }
        ErrorKind::Provider { host: Some(code), .. } | ErrorKind::Host { code: Some(code), .. } => host_code(code),
        _ => None,
    };
    let mut text = error.code().as_str().to_owned();
    if let Some(known) = known {
        text = format!("{text}, {known}");
    }
    // Written in this program; one that was put together may quote something.
    if let Some(Cow::Borrowed(remedy)) = error.remedy {
        text = format!("{text}. {remedy}");
    }
    text
}

/// The system's own sentence for its number, which names nothing.
fn of_system(error: &io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.kind().to_string(), |number| io::Error::from_raw_os_error(number).to_string())
}

/// A code of the host, if it is one and no sentence.
fn host_code(code: &str) -> Option<String> {
    let is_code = code.len() <= MAX_HOST_CODE && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    is_code.then(|| code.to_owned())
}
