//! Brings a model to disk: into a `.part` file that the next attempt goes on with, checked, and only then renamed.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use http::{
    StatusCode,
    header::{HeaderMap, RANGE},
};
use reqwest::{Response, redirect::Policy};
use sha2::{Digest, Sha256};
use url::Url;

use crate::client::{is_loopback, origin, pool::build};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Without a byte for so long, the connection counts as dead; the next attempt goes on from there.
const STALL: Duration = Duration::from_secs(60);
const MAX_REDIRECTS: usize = 5;
/// The hub names the content of a file in the answer that redirects to where it lies.
const HUB_HASH: &str = "x-linked-etag";

/// Where `hf:` points; `HF_ENDPOINT` overrides it, as in the hub's own clients.
const HUB: &str = "https://huggingface.co";

/// The address of the hub.
pub(crate) fn hub() -> String {
    std::env::var("HF_ENDPOINT").ok().filter(|value| !value.is_empty()).unwrap_or_else(|| HUB.to_owned())
}

/// A file to download.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remote {
    /// Its address.
    pub(crate) url: Url,
    /// Its name in the cache folder.
    pub(crate) file_name: String,
    /// SHA-256 in lower-case hexadecimal, when it was written down with the address.
    pub(crate) sha256: Option<String>,
    /// What the file begins with, where that can be told.
    pub(crate) begins: Option<[u8; 4]>,
    /// The setting that names it, for remedies.
    pub(crate) setting: &'static str,
}

/// Hears how many bytes are there and how many there will be, and says whether to go on.
pub(crate) type Heard<'a> = &'a (dyn Fn(u64, Option<u64>) -> bool + Sync);

/// Whether a text is a SHA-256 in hexadecimal.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a model may come from an address: without encryption only from this machine, for whoever alters a model alters
/// what is found.
pub(crate) fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

/// The model's file in `cache_dir`, downloaded if it is not there.
///
/// # Errors
/// [`Code::ProviderUnavailable`] when the download stops (what arrived is kept) or there is no such file,
/// [`Code::ProviderResponse`] when what arrived is not what was announced (it is thrown away), and when the folder cannot
/// be written.
#[cfg_attr(not(feature = "llama-cpp"), expect(dead_code, reason = "for GGUF models"))]
pub(crate) async fn download(remote: &Remote, cache_dir: &Path) -> Result<PathBuf> {
    download_if_any(remote, cache_dir, &|_, _| true).await?.ok_or_else(|| absent(remote, StatusCode::NOT_FOUND))
}

/// As [`download`]; none when the server has no such file.
///
/// # Errors
/// As [`download`], and [`Code::Cancelled`] when `heard` says so.
pub(crate) async fn download_if_any(remote: &Remote, cache_dir: &Path, heard: Heard<'_>) -> Result<Option<PathBuf>> {
    let target = cache_dir.join(&remote.file_name);
    if target.is_file() {
        return Ok(Some(target));
    }
    own_file::create_folder(cache_dir).map_err(|e| Error::io(cache_dir, &e))?;
    let part = cache_dir.join(format!("{}.part", remote.file_name));
    let mut file = own_file::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&part)
        .map_err(|e| Error::io(&part, &e))?;
    // Two processes that want the same model: the second waits for the first and finds the file.
    let mut file = tokio::task::spawn_blocking(move || {
        file.lock().map(|()| {
            let _ = file.rewind();
            file
        })
    })
    .await
    .map_err(|_| Error::new(Code::Internal, "waiting for another download was interrupted"))?
    .map_err(|e| Error::io(&part, &e))?;
    if target.is_file() {
        return Ok(Some(target));
    }
    let Some(announced) = fetch(remote, &mut file, &part, heard).await? else {
        // It was only made to be waited for.
        let _ = fs::remove_file(&part);
        return Ok(None);
    };
    let expected = remote.sha256.clone().or(announced);
    let (checked, place, name) = (remote.clone(), part.clone(), target.clone());
    // Hashing hundreds of megabytes is no work for a thread that others wait for.
    let finish = move || {
        check(&checked, &mut file, &place, expected.as_deref())?;
        file.sync_all().map_err(|e| Error::io(&place, &e))?;
        fs::rename(&place, &name).map_err(|e| Error::io(&name, &e))
    };
    tokio::task::spawn_blocking(finish)
        .await
        .map_err(|_| Error::new(Code::Internal, "checking a download was interrupted"))??;
    Ok(Some(target))
}

fn absent(remote: &Remote, status: StatusCode) -> Error {
    let from = origin(&remote.url);
    Error::new(
        Code::ProviderUnavailable,
        format!("{from} does not give {} (HTTP {})", remote.file_name, status.as_u16()),
    )
    .remedy(format!("Check `{}`, or download the model yourself and set its path", remote.setting))
}

/// Appends what is missing; returns the SHA-256 that the server announced, and nothing when it has no such file.
async fn fetch(remote: &Remote, file: &mut File, part: &Path, heard: Heard<'_>) -> Result<Option<Option<String>>> {
    let from = origin(&remote.url);
    let mut have = file.seek(SeekFrom::End(0)).map_err(|e| Error::io(part, &e))?;
    let (mut response, hash) = open(remote, have, &from).await?;
    match response.status() {
        StatusCode::OK => {
            file.set_len(0).and_then(|()| file.rewind()).map_err(|e| Error::io(part, &e))?;
            have = 0;
        }
        StatusCode::PARTIAL_CONTENT => {}
        // Nothing is missing.
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => return Ok(Some(hash)),
        StatusCode::NOT_FOUND => return Ok(None),
        status => return Err(absent(remote, status)),
    }
    let total = response.content_length().map(|left| have + left);
    loop {
        let chunk = tokio::time::timeout(STALL, response.chunk()).await;
        let Ok(Ok(chunk)) = chunk else {
            return Err(Error::new(
                Code::ProviderUnavailable,
                format!("the download of the model from {from} stopped"),
            )
            .remedy("It goes on from where it stopped with the next attempt"));
        };
        let Some(bytes) = chunk else { return Ok(Some(hash)) };
        file.write_all(&bytes).map_err(|e| Error::io(part, &e))?;
        have += bytes.len() as u64;
        if !heard(have, total) {
            return Err(Error::new(Code::Cancelled, "the download of the model was stopped"));
        }
    }
}

/// Asks for the bytes from `have` on, following redirects by hand to read the hash on the way.
async fn open(remote: &Remote, have: u64, from: &str) -> Result<(Response, Option<String>)> {
    let client = build(&remote.url, Policy::none())?;
    let mut url = remote.url.clone();
    let mut hash = None;
    for _ in 0..=MAX_REDIRECTS {
        let mut request = client.get(url.clone());
        if have > 0 {
            request = request.header(RANGE, format!("bytes={have}-"));
        }
        let response = request.send().await.map_err(|error| {
            Error::new(Code::ProviderUnavailable, format!("{from} cannot be reached: {}", error.without_url()))
                .remedy("Check the network, or download the model yourself and set its path")
        })?;
        hash = hash.or_else(|| announced(response.headers()));
        let next = response.headers().get("location").and_then(|to| url.join(to.to_str().ok()?).ok());
        match next.filter(|next| response.status().is_redirection() && is_safe(next)) {
            Some(next) => url = next,
            None => return Ok((response, hash)),
        }
    }
    Err(Error::new(Code::ProviderResponse, format!("{from} redirects without end")))
}

fn announced(headers: &HeaderMap) -> Option<String> {
    let hash = headers.get(HUB_HASH)?.to_str().ok()?.trim_matches('"').to_ascii_lowercase();
    is_sha256(&hash).then_some(hash)
}

/// Refuses what is no model or not the one that was announced; it is emptied, so that the next attempt starts anew.
fn check(remote: &Remote, file: &mut File, part: &Path, expected: Option<&str>) -> Result<()> {
    let io = |e: std::io::Error| Error::io(part, &e);
    file.rewind().map_err(io)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut head: Option<[u8; 4]> = None;
    loop {
        let count = file.read(&mut buffer).map_err(io)?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        head = head.or_else(|| bytes.first_chunk().copied());
        hasher.update(bytes);
    }
    let found = hex::encode(hasher.finalize());
    let wrong = match expected {
        Some(expected) if expected != found => format!("its SHA-256 is {found}, {expected} was announced"),
        _ if remote.begins.is_some() && head != remote.begins => {
            format!("it does not begin like {}", remote.file_name)
        }
        _ => return Ok(()),
    };
    file.set_len(0).map_err(io)?;
    Err(Error::new(Code::ProviderResponse, format!("the downloaded model is not used: {wrong}"))
        .remedy(format!("Try again; if it stays so, check `{}`", remote.setting)))
}
