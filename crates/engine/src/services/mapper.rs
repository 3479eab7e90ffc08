//! The notes as a map.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use foldhash::fast::RandomState;
use itertools::Itertools as _;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::context::{Context, Service};
use crate::map::{self, Disc, Landmarks, MOST_TEXTS, Placed, Point};
use model::{error::Result, source::Source};
use store::{DataVersion, Reader, all_vectors::AllVectors, ids::FileId};
use text::time::note_date;

/// Passages on a map: more are a grey cloud on any screen.
const MOST: usize = 100_000;

/// Where the layout is kept, for maps to come.
pub(super) const KEY: &str = "map";

/// Bytes of a passage.
const POINT: usize = 14;
const DAY_MS: i64 = 24 * 3_600_000;

/// A place on the map is two of these.
const WIDTH: f32 = 65_535.0;

/// The passages of the notes in the plane, those that are alike near each other. Conversations are not on it: who may see
/// which is a question for each by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Map {
    /// Passages that have a vector. Where there are more than are shown, every second, third … is.
    pub total: usize,
    /// The paths of the notes, as in hits, with a zero character between two: one text is no work for the thread of a host.
    pub paths: String,
    /// [`POINT`] bytes for each passage, in base64, little-endian: the index of its note in `paths` and its first line (32
    /// bits each), its place from the left and from above (65,535 is the whole width) and its day, in days since 1970 (16
    /// bits each). The day is that in the note's name, else that of its last change.
    pub points: String,
    /// What lies where, the largest first.
    pub regions: Vec<Region>,
}

/// Passages that are alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Region {
    /// From the left, 0 to 65,535.
    pub x: u16,
    /// From above, 0 to 65,535.
    pub y: u16,
    /// Passages.
    pub count: usize,
    /// Words that most of them have and few others do.
    pub name: String,
}

/// How a map was laid out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Layout {
    /// Key of the space of the vectors.
    space: String,
    /// Passages that it was made of.
    made_of: usize,
    landmarks: Landmarks,
    discs: Vec<Disc>,
}

impl Layout {
    /// Whether a map of so many vectors can be drawn by it. After twice as many, what is new would lie between all chairs.
    fn fits(&self, vectors: &AllVectors) -> bool {
        self.is_whole_for(vectors) && vectors.total <= 2 * self.made_of && self.made_of <= 2 * vectors.total.max(1)
    }

    /// Whether it speaks of the same space.
    fn is_of_space(&self, vectors: &AllVectors) -> bool {
        self.space == vectors.space && self.landmarks.dims() == vectors.dims
    }

    /// Whether it speaks of the same space, and nothing of it is broken.
    fn is_whole_for(&self, vectors: &AllVectors) -> bool {
        self.is_of_space(vectors)
            && self.landmarks.len() == self.discs.len()
            && self.discs.iter().all(|disc| (disc.at.x + disc.at.y + disc.radius).is_finite())
    }
}

/// Draws the map, and keeps how it was laid out: what is added later moves nothing that was there.
pub struct Mapper {
    context: Arc<Context>,
    /// The last map, and of what it is.
    drawn: Mutex<Option<(DataVersion, Arc<Map>)>>,
}

impl Service for Mapper {
    fn context(&self) -> &Context {
        &self.context
    }
}

impl Mapper {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context), drawn: Mutex::default() }
    }

    /// The map of the notes as they are indexed now; without a passage where nothing is embedded. Some seconds for 100,000
    /// passages the first time.
    ///
    /// # Errors
    /// When the store cannot be read, or the engine is closed.
    pub async fn map(self: &Arc<Self>) -> Result<Arc<Map>> {
        // One at a time, and nobody holds a thread meanwhile: who comes second gets what the first has drawn.
        let mut drawn = self.drawn.lock().await;
        let known = drawn.clone();
        let current = self
            .background(move |mapper, _| {
                let version = mapper.context.store().data_version()?;
                match known.filter(|(of, _)| *of == version) {
                    Some(known) => Ok(known),
                    None => mapper.draw().map(|(of, map)| (of, Arc::new(map))),
                }
            })
            .await?;
        Ok(Arc::clone(&drawn.insert(current).1))
    }

    /// The map, and the version that all of it is of, or of a later one.
    fn draw(&self) -> Result<(DataVersion, Map)> {
        let (store, shutdown) = (self.context.store(), self.context.shutdown());
        let mut made: Option<Layout> = None;
        loop {
            // Of before anything is read: what is committed meanwhile is looked at by the next. A layout of our own is a
            // commit, too, and like any other; so all is read once more after it.
            let version = store.data_version()?;
            let found = store.read(|reader| {
                let kept = reader.meta(KEY)?.and_then(|text| serde_json::from_str::<Layout>(&text).ok());
                Ok(reader.all_vectors(Source::Memory, MOST)?.map(|vectors| (vectors, kept)))
            })?;
            let Some((vectors, kept)) = found.filter(|(vectors, _)| !vectors.chunks.is_empty()) else {
                return Ok((version, Map::default()));
            };
            let fitting = kept.as_ref().filter(|layout| layout.fits(&vectors));
            // What was made a moment ago and could not be kept: a map is drawn where nothing can be written.
            let layout = fitting.or_else(|| made.as_ref().filter(|layout| layout.is_of_space(&vectors)));
            if let Some(layout) = layout {
                let placed = map::place(&layout.landmarks, &layout.discs, &vectors.codes, shutdown)?;
                return Ok((version, store.read(|reader| drawn(reader, layout, &vectors, &placed))?));
            }
            let layout = self.lay_out(&vectors, kept.filter(|layout| layout.is_whole_for(&vectors)))?;
            let text = serde_json::to_string(&layout).unwrap_or_default();
            self.context.told(store.write(move |tx| tx.set_meta(KEY, &text)), "the layout of the map was not kept");
            made = Some(layout);
        }
    }

    fn lay_out(&self, vectors: &AllVectors, former: Option<Layout>) -> Result<Layout> {
        let shutdown = self.context.shutdown();
        let (landmarks, members) = map::landmarks(vectors.dims, &vectors.codes, shutdown)?;
        let before = match former {
            Some(former) => {
                let codes: Vec<i8> = landmarks.each().flatten().copied().collect();
                let placed = map::place(&former.landmarks, &former.discs, &codes, shutdown)?;
                Some(placed.into_iter().map(|placed| placed.at).collect())
            }
            None => None,
        };
        let places = map::plane(landmarks.len(), &landmarks.among_themselves(), before);
        let discs = map::discs(&places, &members);
        Ok(Layout { space: vectors.space.clone(), made_of: vectors.total, landmarks, discs })
    }
}

/// The map of placed passages with the names of its regions.
fn drawn(reader: &Reader<'_>, layout: &Layout, vectors: &AllVectors, placed: &[Placed]) -> Result<Map> {
    let Some(live) = reader.live()? else { return Ok(Map::default()) };
    let mut known: Vec<_> = reader.files(live.id, Source::Memory.as_str())?.into_iter().collect();
    known.sort_by(|a, b| a.0.cmp(&b.0));
    let mut of_file: HashMap<FileId, (u32, u16), RandomState> = HashMap::default();
    for ((path, row), at) in known.iter().zip(0..) {
        of_file.insert(row.id, (at, day_of(path, row.mtime_ns)));
    }
    let paths = known.iter().map(|(path, _)| path).join("\0");
    let places: HashMap<_, _, RandomState> =
        reader.chunk_places()?.into_iter().map(|place| (place.chunk, place)).collect();
    let mut points = Vec::with_capacity(POINT * placed.len());
    let mut members = vec![Vec::new(); layout.discs.len()];
    for (chunk, placed) in vectors.chunks.iter().zip(placed) {
        // Gone since the vectors were read.
        let Some(place) = places.get(chunk) else { continue };
        let Some((file, day)) = of_file.get(&place.file) else { continue };
        let (x, y) = on_map(placed.at);
        points.extend_from_slice(&file.to_le_bytes());
        points.extend_from_slice(&place.start_line.to_le_bytes());
        points.extend_from_slice(&x.to_le_bytes());
        points.extend_from_slice(&y.to_le_bytes());
        points.extend_from_slice(&day.to_le_bytes());
        members[placed.landmark].push((placed.similar, *chunk));
    }
    let mut texts = Vec::new();
    for of_one in &mut members {
        of_one.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let typical: Vec<_> = of_one.iter().take(MOST_TEXTS).map(|(_, chunk)| *chunk).collect();
        texts.push(reader.chunks(&typical)?.into_iter().map(|row| row.text).collect());
    }
    let named = map::names(&texts);
    let mut regions: Vec<Region> = layout
        .discs
        .iter()
        .zip(&members)
        .zip(named)
        .filter(|((_, members), name)| !members.is_empty() && !name.is_empty())
        .map(|((disc, members), name)| {
            let (x, y) = on_map(disc.at);
            Region { x, y, count: members.len(), name }
        })
        .collect();
    regions.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    Ok(Map { total: vectors.total, paths, points: BASE64_STANDARD.encode(points), regions })
}

/// The day of a note, in days since 1970.
fn day_of(path: &str, mtime_ns: i64) -> u16 {
    let named = note_date(path).map(|date| date.duration_since(Date::constant(1970, 1, 1)).as_hours() / 24);
    let days = named.unwrap_or(mtime_ns / 1_000_000 / DAY_MS);
    u16::try_from(days.max(0)).unwrap_or(u16::MAX)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 16 bits")]
fn on_map(point: Point) -> (u16, u16) {
    let part = |share: f32| (share * WIDTH).clamp(0.0, WIDTH) as u16;
    (part(point.x), part(point.y))
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Home, sync},
        *,
    };

    // Keeping the layout is a commit, and whoever asked second had the same map drawn once more.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_map_with_a_new_layout_is_drawn_once_and_other_commits_are_seen() {
        let home = Home::new(&[("memory/a.md", "abc of the boat house"), ("memory/b.md", "xyz of the yard")]);
        let engine = home.open().await;
        sync(&engine).await;
        let first = engine.mapper.map().await.unwrap();
        assert_eq!(first.total, 2);
        assert!(engine.context.store().read(|r| r.meta(KEY)).unwrap().is_some(), "its layout is kept");
        assert!(Arc::ptr_eq(&first, &engine.mapper.map().await.unwrap()), "nothing has changed but by itself");
        home.write("memory/c.md", "def of the pier");
        sync(&engine).await;
        let second = engine.mapper.map().await.unwrap();
        assert_eq!(second.total, 3);
        // So much is new that it is laid out anew.
        for n in 0..6 {
            home.write(&format!("memory/more-{n}.md"), &format!("ghi {n} of the harbour"));
        }
        sync(&engine).await;
        let third = engine.mapper.map().await.unwrap();
        assert_eq!(third.total, 9);
        assert!(Arc::ptr_eq(&third, &engine.mapper.map().await.unwrap()));
    }
}
