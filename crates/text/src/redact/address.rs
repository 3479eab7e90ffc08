//! Secrets in addresses and commands: `scheme://user:secret@host`, `curl -u user:secret`, `mysql -psecret`.

use std::ops::Range;

use super::value::is_placeholder;

/// Bytes of an address or a command that are looked at.
const REACH: usize = 300;

/// The password in the address whose `://` ends at `at`.
pub(super) fn password(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary((at + REACH).min(text.len())))?;
    let authority = rest.get(
        ..rest
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>' | '`'))
            .unwrap_or(rest.len()),
    )?;
    let (user_info, _) = authority.rsplit_once('@')?;
    let (user, secret) = user_info.split_once(':')?;
    let stands_for = matches!(
        secret.to_ascii_lowercase().as_str(),
        "password" | "pass" | "pwd" | "passwd" | "secret" | "pw" | "token"
    );
    let start = at + user.len() + 1;
    (!secret.is_empty() && !stands_for && !is_placeholder(secret)).then_some(start..start + secret.len())
}

/// How an option has its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// `user:secret` in the next word.
    Pair,
    /// The next word.
    Next,
    /// The rest of the same word.
    Glued,
}

/// Commands with the options that take a secret. Options named for it (`--password`) are found by their name.
const COMMANDS: &[(&str, &[(&str, Takes)])] = &[
    ("curl ", &[("-u", Takes::Pair), ("--user", Takes::Pair), ("-U", Takes::Pair), ("--proxy-user", Takes::Pair)]),
    ("http ", &[("-a", Takes::Pair), ("--auth", Takes::Pair)]),
    ("sshpass ", &[("-p", Takes::Next), ("-p", Takes::Glued)]),
    ("mysql", &[("-p", Takes::Glued)]),
    ("mariadb", &[("-p", Takes::Glued)]),
    ("redis-cli ", &[("-a", Takes::Next)]),
    ("docker login", &[("-p", Takes::Next)]),
    ("podman login", &[("-p", Takes::Next)]),
    ("az login", &[("-p", Takes::Next)]),
    ("mongo", &[("-p", Takes::Next)]),
    ("ldapsearch ", &[("-w", Takes::Next)]),
    ("smbclient ", &[("-U", Takes::Pair)]),
    ("openssl ", &[("-pass", Takes::Pair), ("-passin", Takes::Pair), ("-passout", Takes::Pair), ("-k", Takes::Next)]),
    ("7z ", &[("-p", Takes::Glued)]),
    ("zip ", &[("-P", Takes::Next)]),
    ("unzip ", &[("-P", Takes::Next)]),
    ("xfreerdp ", &[("/p:", Takes::Glued)]),
    ("htpasswd ", &[("-b", Takes::Next)]),
];

/// The beginnings of the commands.
pub(super) fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(command, _)| *command)
}

/// The secret of the command number `which`, whose name ends at `at`.
pub(super) fn option(text: &str, at: usize, which: usize) -> Option<Range<usize>> {
    let (_, options) = COMMANDS.get(which)?;
    let rest = text.get(at..text.floor_char_boundary((at + REACH).min(text.len())))?;
    let line = rest.get(..rest.find('\n').unwrap_or(rest.len()))?;
    let mut takes = None;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let start = at + (word.as_ptr() as usize - text.as_ptr() as usize - at);
        let bare = word.trim_matches(['"', '\'', '`', ',', ')']);
        let quote = word.len() - word.trim_start_matches(['"', '\'', '`']).len();
        match takes.take() {
            Some(Takes::Pair) => {
                let (name, secret) = bare.split_once([':', '%'])?;
                let begin = start + quote + name.len() + 1;
                return good(secret).then_some(begin..begin + secret.len());
            }
            Some(_) => return good(bare).then_some(start + quote..start + quote + bare.len()),
            None => {}
        }
        for (option, how) in *options {
            if *how != Takes::Glued && word == *option {
                takes = Some(*how);
            } else if *how == Takes::Glued
                && let Some(glued) = word.strip_prefix(option).filter(|glued| !glued.is_empty())
            {
                let secret = glued.trim_matches(['"', '\'', '`']);
                let begin = start + option.len() + (glued.len() - glued.trim_start_matches(['"', '\'', '`']).len());
                return good(secret).then_some(begin..begin + secret.len());
            }
        }
    }
    None
}

fn good(secret: &str) -> bool {
    secret.len() >= 3 && !secret.starts_with(['$', '<', '-', '@', '{']) && !is_placeholder(secret)
}
