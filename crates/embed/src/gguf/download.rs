//! Brings a model to disk: into a `.part` file that the next attempt goes on with, checked, and only then renamed.

use std::{
    fs::{self, File},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::{
    Response, StatusCode,
    header::{HeaderMap, RANGE},
    redirect::Policy,
};
use sha2::{Digest, Sha256};

use super::source::{Remote, is_sha256};
use crate::client::{build, origin};
use model::{
    error::{Code, Error, Result},
    own_file,
};

/// Without a byte for so long, the connection counts as dead; the next attempt goes on from there.
const STALL: Duration = Duration::from_secs(60);
const MAX_REDIRECTS: usize = 5;
/// The hub names the content of a file in the answer that redirects to where it lies.
const HUB_HASH: &str = "x-linked-etag";

/// The model's file in `cache_dir`, downloaded if it is not there.
///
/// # Errors
/// [`Code::ProviderUnavailable`] when the download stops (what arrived is kept), [`Code::ProviderResponse`] when what
/// arrived is not what was announced (it is thrown away), and when the folder cannot be written.
pub(super) async fn download(remote: &Remote, cache_dir: &Path) -> Result<PathBuf> {
    let target = cache_dir.join(&remote.file_name);
    if target.is_file() {
        return Ok(target);
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
        return Ok(target);
    }
    let announced = fetch(remote, &mut file, &part).await?;
    let expected = remote.sha256.clone().or(announced);
    check(&mut file, &part, expected.as_deref())?;
    file.sync_all().map_err(|e| Error::io(&part, &e))?;
    fs::rename(&part, &target).map_err(|e| Error::io(&target, &e))?;
    Ok(target)
}

/// Appends what is missing; returns the SHA-256 that the server announced.
async fn fetch(remote: &Remote, file: &mut File, part: &Path) -> Result<Option<String>> {
    let from = origin(&remote.url);
    let have = file.seek(SeekFrom::End(0)).map_err(|e| Error::io(part, &e))?;
    let (mut response, hash) = open(remote, have, &from).await?;
    match response.status() {
        StatusCode::OK => {
            file.set_len(0).and_then(|()| file.rewind()).map_err(|e| Error::io(part, &e))?;
        }
        StatusCode::PARTIAL_CONTENT => {}
        // Nothing is missing.
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => return Ok(hash),
        status => {
            return Err(Error::new(
                Code::ProviderUnavailable,
                format!("{from} does not give the model (HTTP {status})"),
            )
            .remedy("Check `local.modelPath`, or download the file yourself and set its path"));
        }
    }
    loop {
        let chunk = tokio::time::timeout(STALL, response.chunk()).await;
        let Ok(Ok(chunk)) = chunk else {
            return Err(Error::new(
                Code::ProviderUnavailable,
                format!("the download of the model from {from} stopped"),
            )
            .remedy("It goes on from where it stopped with the next attempt"));
        };
        let Some(bytes) = chunk else { return Ok(hash) };
        file.write_all(&bytes).map_err(|e| Error::io(part, &e))?;
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
                .remedy("Check the network, or download the model yourself and set `local.modelPath` to the file")
        })?;
        hash = hash.or_else(|| announced(response.headers()));
        let next = response.headers().get("location").and_then(|to| url.join(to.to_str().ok()?).ok());
        match next.filter(|_| response.status().is_redirection()) {
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

/// Refuses what is no GGUF file or not the one that was announced; it is emptied, so that the next attempt starts anew.
fn check(file: &mut File, part: &Path, expected: Option<&str>) -> Result<()> {
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
        _ if head != Some(*b"GGUF") => "it is no GGUF file".to_owned(),
        _ => return Ok(()),
    };
    file.set_len(0).map_err(io)?;
    Err(Error::new(Code::ProviderResponse, format!("the downloaded model is not used: {wrong}"))
        .remedy("Try again; if it stays so, check `local.modelPath`"))
}
