//! The files of an encoder from the hub, one after the other, the small ones first.

use std::path::Path;

use url::Url;

use super::{
    Wanted, Watch,
    description::{OPTIONAL, REQUIRED, missing},
};
use crate::download::{Remote, download_if_any, is_safe};
use model::error::{Code, Error, Result};

/// Brings what is not in `folder` yet.
///
/// # Errors
/// As the download, and [`Code::NotFound`] when the repository has no file that every encoder needs.
pub(super) async fn fetch(wanted: &Wanted, folder: &Path, hub: &str, watch: &Watch) -> Result<()> {
    let Wanted::Hub { owner, name, revision } = wanted else { return Ok(()) };
    // What is missing of the optional files was missing before: the required ones come after them.
    if REQUIRED.iter().all(|file| folder.join(file).is_file()) {
        return Ok(());
    }
    for file in OPTIONAL.iter().chain(&REQUIRED) {
        let address = format!("{}/{owner}/{name}/resolve/{revision}/{file}", hub.trim_end_matches('/'));
        let url = Url::parse(&address).ok().filter(is_safe);
        let url =
            url.ok_or_else(|| Error::new(Code::Config, "the address of the hub is none").remedy("Check HF_ENDPOINT"))?;
        let place = folder.join(file);
        let (Some(target), Some(file_name)) = (place.parent(), place.file_name()) else { continue };
        let file_name = file_name.to_string_lossy().into_owned();
        let remote = Remote { url, file_name, sha256: None, begins: None, setting: "model" };
        let label = format!("Downloading {file} of {name}");
        let share = |have: u64, total: Option<u64>| total.map_or(0.0, |total| have as f32 / total.max(1) as f32);
        let heard = |have: u64, total: Option<u64>| watch(&label, share(have, total));
        let found = download_if_any(&remote, target, &heard).await?;
        if found.is_none() && REQUIRED.contains(file) {
            return Err(missing(Path::new(&wanted.written()), file));
        }
    }
    Ok(())
}
