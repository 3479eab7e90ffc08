//! What a sync would do, from a real comparison of disk and index: nothing is written, nothing is sent.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde::Serialize;

use super::{
    changes::{Changes, Read},
    difference::{Difference, difference},
    encoding::{not_read_again, other_encoding},
    holders::Holding,
    identity::generation_identity,
    lost::{Folders, LostFolder, contents, judge},
    rows::Shape,
};
use crate::{
    exchange::ahead,
    forgetting::shared,
    workspace::{
        discover::discover,
        exclusions::FOLLOWED,
        roots::Roots,
        skipped::{SkipCode, Skipped},
    },
};
use embed::Space;
use model::{cancel::Cancel, config::settings::Settings, error::Result, source::Source};
use store::{Reader, Store, embeddings::SpaceRow, files::Hash, ids::SpaceId, media::is_media, others::Others};

/// Bytes of text that count as one token in an estimate.
const BYTES_PER_TOKEN: usize = 4;

/// The same of a picture or sound that is indexed and has no vector: what a picture of two tiles costs.
const TYPICAL_MEDIA: usize = 2 * 258 * BYTES_PER_TOKEN;

/// The difference between disk and index, and what closing it costs.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Files on disk that belong to the index.
    pub files: usize,
    /// Files to read: new, changed, or all of them after a change of settings.
    pub changed: Vec<String>,
    /// Files to remove.
    pub removed: Vec<String>,
    /// Notes that a database has and this workspace is to get.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<String>,
    /// Why all files are read again, when they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuild: Option<&'static str>,
    /// Texts to embed.
    pub texts: usize,
    /// Tokens to send, estimated.
    pub tokens: usize,
    /// Files left out, the first 1,000 that the look at the disk found.
    pub skipped: Vec<Skipped>,
    /// How many more there are.
    pub more_skipped: usize,
    /// Folders whose notes are not found and would be kept all the same.
    #[serde(rename = "lostFolders", skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<LostFolder>,
    /// Texts whose vectors are taken over before.
    #[serde(skip)]
    taken: HashSet<Hash>,
}

impl Plan {
    /// Whether the index does not show what is on disk.
    #[must_use]
    pub(crate) fn is_stale(&self) -> bool {
        !self.changed.is_empty() || !self.removed.is_empty() || !self.restored.is_empty() || self.rebuild.is_some()
    }

    /// Whether all that is missing is what a database has and this workspace does not have yet.
    #[must_use]
    pub(crate) fn is_only_behind(&self) -> bool {
        !self.restored.is_empty() && self.changed.is_empty() && self.removed.is_empty() && self.rebuild.is_none()
    }

    /// What differs since the last update, in words.
    #[must_use]
    pub(crate) fn differences(&self) -> String {
        if let Some(why) = self.rebuild {
            return format!("{} files have to be read: {why}", self.files);
        }
        let restored = format!("{} notes in the database that this workspace gets", self.restored.len());
        if self.is_only_behind() {
            return restored;
        }
        let (changed, removed) = (self.changed.len(), self.removed.len());
        let told = format!("{changed} files changed and {removed} gone since the last update");
        if self.restored.is_empty() { told } else { format!("{told}, and {restored}") }
    }

    /// Counts those texts (hash, bytes) for which a vector has to be made.
    pub(super) fn count_missing(&mut self, r: &Reader<'_>, vectors: &Vectors, texts: &[(Hash, usize)]) -> Result<()> {
        for (hash, bytes) in texts {
            if !r.has_embedding(vectors.id(), hash)? {
                self.count(vectors, hash, *bytes);
            }
        }
        Ok(())
    }

    /// Counts a text without vector in the index, unless one is taken over.
    fn count(&mut self, vectors: &Vectors, hash: &Hash, bytes: usize) {
        if !self.taken.contains(hash) && !vectors.others.has(&vectors.key, vectors.dims(), hash) {
            self.texts += 1;
            self.tokens += tokens(bytes);
        }
    }
}

/// Where the vectors of a space are looked for: in the index, and in those of the agent's other workspaces.
pub(super) struct Vectors {
    key: String,
    row: Option<SpaceRow>,
    others: Others,
}

impl Vectors {
    /// Of the space in which a sync would store vectors.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub(super) fn of(store: &Store, space: &Space, cancel: &Cancel) -> Result<Self> {
        let key = space.key();
        let row = store.read_with(cancel, |r| r.space(&key))?;
        Ok(Self { key, row, others: store.others() })
    }

    /// Its id; of a space that is not there yet one in which everything is missing.
    fn id(&self) -> SpaceId {
        self.row.as_ref().map(|row| row.id).unwrap_or_default()
    }

    fn dims(&self) -> Option<u32> {
        self.row.as_ref().and_then(|row| row.dims)
    }
}

/// Compares disk and index, as it is once the vectors of `taken` are there.
///
/// # Errors
/// When the store cannot be read, or when cancelled.
pub fn plan(
    store: &Store,
    settings: &Settings,
    force: bool,
    (space, taken): (Option<&Space>, HashSet<Hash>),
    cancel: &Cancel,
) -> Result<Plan> {
    let mut roots = Roots::of(settings);
    // A pass begins by asking what other gateways, or this one before its state was removed, have forgotten.
    if let Some(list) = shared::foreseen(store, settings, &roots.forgotten, cancel)? {
        roots.forgotten = Arc::new(list);
    }
    let discovery = discover(&roots);
    let shape = Shape::of(settings);
    let mut plan = Plan {
        files: discovery.entries.len(),
        skipped: discovery.skipped.records.clone(),
        more_skipped: discovery.skipped.more,
        taken,
        ..Plan::default()
    };
    let vectors = space.map(|space| Vectors::of(store, space, cancel)).transpose()?;
    let (known, live_files, left_out, before, list_changed, holding) = store.read_with(cancel, |r| {
        let live = r.live()?;
        let list_changed = r.meta(FOLLOWED)?.unwrap_or_default() != roots.forgotten.version();
        let same = live.as_ref().is_some_and(|g| g.identity == generation_identity(shape, settings));
        plan.rebuild = match &live {
            None => Some("there is no index yet"),
            Some(_) if force => Some("a rebuild was asked for"),
            Some(_) if !same => Some("chunk sizes or the text analysis changed"),
            Some(_) => None,
        };
        let holding = Holding::of(store, r, Source::Memory)?;
        let mut live_files = match &live {
            Some(live) if !force => r.files(live.id, Source::Memory.as_str())?,
            _ => HashMap::new(),
        };
        holding.leave_others(&mut live_files, &discovery);
        let known = match live.filter(|_| plan.rebuild.is_none()) {
            Some(live) => {
                if let Some(vectors) = &vectors {
                    let mut after = None;
                    loop {
                        let page = r.missing_embeddings(live.id, vectors.id(), after.as_ref(), 1000)?;
                        let Some(last) = page.last() else { break };
                        for missing in &page {
                            let bytes = if is_media(&missing.hash) { TYPICAL_MEDIA } else { missing.text.len() };
                            plan.count(vectors, &missing.hash, bytes);
                        }
                        after = Some(last.hash);
                    }
                }
                live_files.clone()
            }
            None => HashMap::new(),
        };
        Ok((known, live_files, r.skipped()?, Folders::stored(r)?, list_changed, holding))
    })?;
    let Difference { mut stale, removed } = difference(&discovery, &known, list_changed);
    let (mut counted, mut found, mut left) = (HashSet::new(), HashSet::new(), Vec::new());
    let changes = Changes { roots: &roots, shape: vectors.as_ref().map(|_| shape), known: &known };
    if !list_changed {
        holding.leave_newer(&mut stale, &known);
        stale.extend(changes.refused(&discovery.entries));
    }
    left.extend(not_read_again(&left_out, &discovery.entries, &stale));
    changes.read_all(&stale, cancel, |read| {
        if let Read::Same { path, is_lossy: true, .. } | Read::Changed { path, is_lossy: true, .. } = &read {
            left.push(other_encoding(path.clone()));
        }
        match read {
            Read::Gone => {}
            Read::Unreadable(record, _) => left.push(record),
            Read::Refused { entry, reason, .. } => {
                plan.files = plan.files.saturating_sub(1);
                left.push(Skipped { path: entry.path, code: SkipCode::WrongContent, reason });
            }
            Read::Same { hash, .. } => drop(found.insert(hash)),
            Read::Changed { path, hash, rows, .. } => {
                found.insert(hash);
                plan.changed.push(path);
                if let Some(vectors) = &vectors {
                    let fresh = rows.chunks.iter().filter(|c| counted.insert(c.hash));
                    let bytes = |text: &str| rows.media_tokens.map_or(text.len(), |tokens| tokens * BYTES_PER_TOKEN);
                    let fresh: Vec<_> = fresh.map(|c| (c.hash, bytes(&c.text))).collect();
                    store.read_with(cancel, |r| plan.count_missing(r, vectors, &fresh))?;
                }
            }
        }
        Ok(())
    })?;
    // Files come as they are read.
    plan.changed.sort_unstable();
    left.sort_unstable_by(|a: &Skipped, b| a.path.cmp(&b.path));
    plan.skipped.extend(left);
    let restored = ahead::to_come(store, settings, (&roots, &discovery), &removed, cancel)?;
    let mut contents = contents(&live_files);
    contents.retain(|path, _| !restored.contains(*path));
    let judgement = judge(&roots, &discovery, &contents, &found, &before);
    plan.lost = judgement.folders.lost;
    let is_removed = |path: &&str| !judgement.kept.contains(*path) && !restored.contains(*path);
    plan.removed = removed.into_iter().filter(is_removed).map(str::to_owned).collect();
    plan.restored = restored.into_iter().collect();
    plan.restored.sort_unstable();
    Ok(plan)
}

/// Whether the disk differs from the index by name, size or time. Reads no file and writes nothing.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn is_stale(store: &Store, settings: &Settings, cancel: &Cancel) -> Result<bool> {
    let roots = Roots::of(settings);
    let discovery = discover(&roots);
    store.read_with(cancel, |r| {
        let Some(live) = r.live()? else { return Ok(true) };
        if r.meta(FOLLOWED)?.unwrap_or_default() != roots.forgotten.version() {
            return Ok(true);
        }
        if live.identity != generation_identity(Shape::of(settings), settings) {
            return Ok(true);
        }
        let mut files = r.files(live.id, Source::Memory.as_str())?;
        let holding = Holding::of(store, r, Source::Memory)?;
        holding.leave_others(&mut files, &discovery);
        let Difference { mut stale, removed } = difference(&discovery, &files, false);
        holding.leave_newer(&mut stale, &files);
        if !stale.is_empty() || holding.needs_pass() {
            return Ok(true);
        }
        let before = Folders::stored(r)?;
        let judgement = judge(&roots, &discovery, &contents(&files), &HashSet::new(), &before);
        // A folder that was lost or has come back since the last pass has to be told.
        Ok(before.lost != judgement.folders.lost || removed.iter().any(|path| !judgement.kept.contains(*path)))
    })
}

const fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}
