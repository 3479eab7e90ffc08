//! What holds the words of a search and was not shown by it: a search shows the best, and of passages that say nearly the same one.

use std::collections::{BTreeSet, HashMap};

use ::search::confine::Confine;
use text::analyze::Analyzer;

use super::{
    super::{
        super::super::searcher::{SearchCall, searched_sources},
        ForgetCall,
    },
    Found,
    chosen::{Asked, Choice},
};
use crate::workspace::{exclusions::Exclusions, roots::Roots};
use model::{config::settings::Settings, error::Result, source::Source};
use store::{Reader, generations::GenerationId, ids::ChunkId};

/// Chunks with the words that are looked at; that there are more of them is all that the rest would tell.
const LOOKED_AT: usize = 1000;

/// A line that was not shown.
struct Line {
    source: Source,
    path: String,
    number: u32,
    text: String,
}

impl Found {
    /// Counts the passages that hold most of the words of the search and stay. Where a number of results was asked for that the
    /// search has not given, they are taken along up to it.
    pub(super) fn same_words(
        &mut self,
        r: &Reader<'_>,
        live: GenerationId,
        (roots, settings): (&Roots, &Settings),
        call: &ForgetCall,
        shown: usize,
    ) -> Result<()> {
        let Some(search) = call.search.as_ref().filter(|_| shown > 0) else { return Ok(()) };
        let asked = Asked::of(&search.query);
        let mut left = self.left(r, live, (roots, settings), search, &asked)?;
        // What a lowest score is asked for says which are meant.
        let most = search.max_results.filter(|_| search.min_score.is_none()).unwrap_or_default();
        let room = most.saturating_sub(shown);
        if room > 0 && !left.is_empty() {
            for Line { source, path, number, text } in left.into_iter().take(room) {
                let shown = (source == Source::Sessions).then_some(text.as_str());
                let choice = Choice { asked: Some(&asked), shown, best: None };
                self.passage(r, (live, roots), (source, &path), (number, number), choice)?;
            }
            left = self.left(r, live, (roots, settings), search, &asked)?;
        }
        self.report.more = left.len();
        Ok(())
    }

    /// Lines with most of the words that stay.
    fn left(
        &self,
        r: &Reader<'_>,
        live: GenerationId,
        (roots, settings): (&Roots, &Settings),
        search: &SearchCall,
        asked: &Asked,
    ) -> Result<Vec<Line>> {
        let Some(sources) = searched_sources(search, settings) else { return Ok(Vec::new()) };
        let clock = (search.now_ms, &*settings.zone_name());
        let confine = Confine::of(&search.wish, search.conversations.clone(), &settings.workspace_dir, clock)?;
        let within = confine.map(|confine| confine.within(r, live)).transpose()?;
        let mut ids = chunks_with(r, live, asked)?;
        ids.retain(|id| within.as_ref().is_none_or(|within| within.has(*id)));
        ids.truncate(LOOKED_AT);
        let going = Exclusions::of_these(&self.whats);
        let (mut analyzer, mut known, mut left) = (Analyzer::new(), BTreeSet::new(), Vec::new());
        for chunk in r.chunks(&ids)? {
            let source = Source::of(&chunk.source);
            let is_searched = sources.is_empty() || sources.contains(&source);
            // What is said of a picture has no lines that could stay out.
            let is_media = source == Source::Memory && roots.media(&roots.workspace_dir.join(&chunk.path)).is_some();
            if !is_searched || is_media || going.path(&chunk.path).is_some() {
                continue;
            }
            // Lines of a conversation are numbered by message.
            let number = |at: u32| if source == Source::Sessions { chunk.start_line } else { chunk.start_line + at };
            for (at, text) in (0..).zip(chunk.text.split('\n')) {
                let stays = !going.line(&chunk.path, text) && asked.is_mostly_held(text, &mut analyzer);
                // Chunks overlap.
                if stays && known.insert((chunk.path.clone(), text.trim().to_owned())) {
                    left.push(Line { source, path: chunk.path.clone(), number: number(at), text: text.to_owned() });
                }
            }
        }
        Ok(left)
    }
}

/// The chunks that hold most of the words, wherever in them.
fn chunks_with(r: &Reader<'_>, live: GenerationId, asked: &Asked) -> Result<Vec<ChunkId>> {
    let mut held: HashMap<ChunkId, usize> = HashMap::new();
    for forms in asked.words() {
        let terms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let ids: BTreeSet<ChunkId> = r.postings_among(live, &terms, None)?.into_iter().flatten().collect();
        for id in ids {
            *held.entry(id).or_default() += 1;
        }
    }
    let mut ids: Vec<ChunkId> = held.into_iter().filter(|(_, count)| asked.is_most(*count)).map(|(id, _)| id).collect();
    ids.sort_unstable();
    Ok(ids)
}
