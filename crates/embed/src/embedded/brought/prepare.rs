//! From a model's files to a weights file of ours, once: named after its content, written beside its final name and
//! renamed, while other processes wait. A note per model says which file was made of which files, so that a start looks
//! at names, sizes and times only.

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use minilm::convert::{Fault, Source, convert, map};
use model::{
    error::{Code, Error, Result},
    own_file,
};

use super::{
    Prefixes, Ready, Wanted, Watch,
    description::{Description, OPTIONAL, REQUIRED, TOKENIZER, WEIGHTS, missing, unusable},
    fetch::fetch,
    tokens::Taken,
};

/// Raised when the same files are converted to something else.
const VERSION: u32 = 1;
/// Looks at whether another process has finished come so often.
const LOCK_PAUSE: Duration = Duration::from_millis(100);
/// Half-written files of processes that were killed go after so long.
const LEFTOVER_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Bytes of the weights hashed between two looks at whether to go on.
const HASHED: usize = 16 << 20;

/// Sentences that are taken through a model to see how large its numbers become.
const CALIBRATION: [&str; 14] = [
    "The boiler was serviced in February, and the pressure has to be topped up twice a year.",
    "Who has the spare key, and when does the landlord come by?",
    "| Date | Amount | Paid by |\n| 2026-03-01 | 1,250.00 EUR | Anna |",
    "git rebase --onto main feature~3 feature; see https://example.org/docs?page=2#top",
    "Der Keller war im November feucht, deshalb stehen die Kisten jetzt auf Paletten.",
    "La réunion de mardi est reportée à la semaine prochaine, à cause de la grève.",
    "El médico recomendó caminar media hora cada día después de la cena.",
    "A senha do roteador está no caderno azul, na segunda gaveta.",
    "Мама просила купить хлеб и молоко, а ещё забрать посылку на почте до шести.",
    "会议推迟到下周二，请通知所有人。",
    "会議は来週の火曜日に延期されました。",
    "내일 아침 일곱 시에 출발한다.",
    "اجتماع الفريق يوم الخميس في الساعة العاشرة صباحًا.",
    "अगले सप्ताह बिजली का बिल भरना है।",
];

/// What was made of which files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    version: u32,
    files: Vec<Seen>,
    identity: String,
    prefixes: Prefixes,
}

/// A file as it was when it was converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    name: String,
    bytes: u64,
    modified: u128,
}

/// The files of a folder as they are now.
///
/// # Errors
/// [`Code::NotFound`] when one is missing that every encoder has.
fn look(folder: &Path) -> Result<Vec<Seen>> {
    let mut files = Vec::new();
    for name in REQUIRED.iter().chain(&OPTIONAL) {
        match fs::metadata(folder.join(name)).ok().filter(fs::Metadata::is_file) {
            Some(meta) => {
                let modified = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                let modified = modified.unwrap_or_default().as_nanos();
                files.push(Seen { name: (*name).to_owned(), bytes: meta.len(), modified });
            }
            None if REQUIRED.contains(name) => return Err(missing(folder, name)),
            None => {}
        }
    }
    Ok(files)
}

fn note_path(wanted: &Wanted, cache: &Path) -> PathBuf {
    let hash = hex::encode(Sha256::digest(wanted.written().as_bytes()));
    cache.join(format!("{}.json", &hash[..32]))
}

/// The encoder, if it was converted and its files have not changed since. Looks at names, sizes and times only.
///
/// # Errors
/// [`Code::NotFound`] when a folder of the user's lacks a file.
pub fn ready(wanted: &Wanted, cache: &Path) -> Result<Option<Ready>> {
    let note = own_file::read(&note_path(wanted, cache))?;
    let note = note.and_then(|bytes| serde_json::from_slice::<Note>(&bytes).ok());
    let files = match (wanted, look(&wanted.folder(cache))) {
        (_, Ok(files)) => files,
        (Wanted::Hub { .. }, Err(_)) => return Ok(None),
        (Wanted::Folder(_), Err(error)) => return Err(error),
    };
    let current = note.filter(|note| note.version == VERSION && note.files == files);
    Ok(current.map(|note| of(wanted, cache, &note)).filter(|ready| ready.file.is_file()))
}

fn of(wanted: &Wanted, cache: &Path, note: &Note) -> Ready {
    Ready {
        file: cache.join(format!("{}.bin", note.identity)),
        space: format!("{}@{}", wanted.name(), note.identity.get(..16).unwrap_or_default()),
        prefixes: note.prefixes.clone(),
    }
}

/// The encoder, brought and converted if it is not there. One process does it, the others wait.
///
/// # Errors
/// When files are missing, cannot be downloaded or are none of an encoder that can run here, when the cache cannot be
/// written, and [`Code::Cancelled`] when `watch` says so.
pub async fn prepare(wanted: &Wanted, cache: &Path, watch: Watch) -> Result<Ready> {
    prepare_from(wanted, cache, &crate::download::hub(), watch).await
}

/// As [`prepare`], with another hub.
pub(super) async fn prepare_from(wanted: &Wanted, cache: &Path, hub: &str, watch: Watch) -> Result<Ready> {
    own_file::create_folder(cache).map_err(|e| Error::io(cache, &e))?;
    let lock_path = note_path(wanted, cache).with_extension("lock");
    let lock = own_file::open_or_create(&lock_path).map_err(|e| Error::io(&lock_path, &e))?;
    loop {
        match lock.try_lock() {
            Ok(()) => break,
            Err(fs::TryLockError::WouldBlock) if watch("Waiting for another process to prepare the model", 0.0) => {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            Err(fs::TryLockError::WouldBlock) => return Err(stopped()),
            Err(fs::TryLockError::Error(error)) => return Err(Error::io(&lock_path, &error)),
        }
    }
    fetch(wanted, &wanted.folder(cache), hub, &watch).await?;
    let (wanted, cache) = (wanted.clone(), cache.to_owned());
    let work = move || {
        // Held until the work is done, even when nobody waits for it any more.
        let _lock = lock;
        if let Some(ready) = ready(&wanted, &cache)? {
            return Ok(ready);
        }
        // The tokenizers crate and the model's own files meet here for the first time: a bug must not end the process.
        let make = std::panic::AssertUnwindSafe(|| make(&wanted, &cache, &watch));
        std::panic::catch_unwind(make).unwrap_or_else(|_| {
            Err(Error::new(Code::Internal, "the conversion of the model panicked").remedy("Choose another model"))
        })
    };
    let failed = |_| Error::new(Code::Internal, "the conversion of the model was interrupted");
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

fn stopped() -> Error {
    Error::new(Code::Cancelled, "preparing the model was stopped")
}

/// Converts the files of a folder.
fn make(wanted: &Wanted, cache: &Path, watch: &Watch) -> Result<Ready> {
    let folder = wanted.folder(cache);
    let files = look(&folder)?;
    let name = wanted.name();
    let description = Description::read(&folder, &name)?;
    let refuse = |cause: String| unusable(&folder, &cause);
    let shape = description.architecture.shape();
    let taken = Taken::read(&description.tokenizer, description.lower).map_err(refuse)?;
    if taken.last as usize >= shape.vocabulary {
        return Err(refuse(format!("{TOKENIZER} has more pieces than the {} of its weights", shape.vocabulary)));
    }
    let pipeline = taken.pipeline(shape.positions).map_err(refuse)?;
    let prefixes = description.prefixes.clone();
    let text = |text: &&str| pipeline.encode(&format!("{}{text}", prefixes.document));
    let calibration = CALIBRATION.iter().map(text).collect::<std::result::Result<Vec<_>, _>>().map_err(refuse)?;

    let path = folder.join(WEIGHTS);
    let weights = map(&path).map_err(|e| Error::io(&path, &e))?;
    let mut hasher = Sha256::new();
    hasher.update(format!("memory-core encoder {VERSION}\n"));
    for (index, part) in weights.chunks(HASHED).enumerate() {
        if !watch(&format!("Reading {name}"), (index * HASHED) as f32 / weights.len() as f32) {
            return Err(stopped());
        }
        hasher.update(part);
    }
    for part in [&description.tokenizer, format!("{shape:?} {}", description.lower).as_bytes()] {
        hasher.update(Sha256::digest(part));
    }
    let identity = hex::encode(hasher.finalize());
    let note = Note { version: VERSION, files, identity, prefixes };
    let target = of(wanted, cache, &note).file;

    // The same content under another name needs no second conversion.
    if !target.is_file() {
        remove_leftovers(cache);
        let source = Source {
            architecture: &description.architecture,
            weights: &weights,
            calibration: &calibration,
            attachments: &taken.attachments(),
        };
        let mut go_on = |share| watch(&format!("Converting {name} to int8"), share);
        write(&source, &target, &mut go_on).map_err(|fault| match fault {
            Fault::Unusable(cause) => refuse(cause),
            Fault::Io(error) => Error::io(&target, &error).context("converting the model"),
            Fault::Stopped => stopped(),
        })?;
    }
    if look(&folder)? != note.files {
        return Err(Error::new(Code::Busy, format!("the files in {} change while they are read", folder.display()))
            .remedy("Try again when they are complete"));
    }
    let path = note_path(wanted, cache);
    let content = serde_json::to_vec(&note).map_err(|error| Error::new(Code::Internal, error.to_string()))?;
    own_file::replace(&path, &content).map_err(|e| Error::io(&path, &e))?;
    Ok(of(wanted, cache, &note))
}

/// Writes the weights file beside its name and renames it.
fn write(source: &Source<'_>, target: &Path, go_on: &mut dyn FnMut(f32) -> bool) -> std::result::Result<(), Fault> {
    let folder = target.parent().unwrap_or_else(|| Path::new("."));
    // Removed when anything fails; readable for its owner only.
    let file = tempfile::Builder::new().suffix(".tmp").tempfile_in(folder)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    convert(source, &mut out, go_on)?;
    out.flush()?;
    let file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    // The name promises the content, also after a power cut.
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    own_file::sync_folder(target);
    Ok(())
}

/// Removes what killed processes left behind. Best effort: none of it does harm.
fn remove_leftovers(cache: &Path) {
    let is_old = |path: &Path| {
        let modified = File::open(path).and_then(|file| file.metadata()?.modified()).ok();
        modified.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > LEFTOVER_AGE)
    };
    let entries = fs::read_dir(cache).into_iter().flatten().flatten().map(|entry| entry.path());
    for path in entries.filter(|path| path.extension().is_some_and(|suffix| suffix == "tmp") && is_old(path)) {
        let _ = fs::remove_file(path);
    }
}
