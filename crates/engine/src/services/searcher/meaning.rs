//! What a question means: its vectors, in the spaces of the index as it is known when it is asked.

use std::{io::Write, path::Path, sync::Arc, time::Instant};

use super::{
    super::{
        context::{Context, Service},
        model_check,
        telemetry::{EMBEDDING, QUERY, TEXT},
    },
    Searcher,
    queries::{MAX_QUERY_CHARS, Meant},
};
use crate::index::line_pass;
use ::search::{
    QueryVector,
    native::{is_beside_english, is_foreign},
};
use embed::Embedder;
use model::{
    cancel::Cancel,
    config::settings::Ranking,
    error::{Code, Error, Result},
};
use store::{Reader, embeddings::SpaceRow, generations::GenerationId};
use text::{
    language::Language,
    query::{QueryPlan, understand},
    translations::Speech,
};

/// What a model is asked, and the language that its answer counts in: where neither the model nor the notes know the language of the
/// question, its English words.
fn asked_of(embedder: &dyn Embedder, text: &str, gloss: Option<&str>) -> (String, Option<Language>) {
    match gloss.filter(|_| embedder.language() == Some(Language::English)) {
        Some(gloss) => (gloss.to_owned(), None),
        None => (text.to_owned(), embedder.language()),
    }
}

/// When a model that knows nothing but English is asked the English words of a question that is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InEnglish {
    /// Where no note is in its language.
    WhenForeign,
    /// Also where notes in English stand beside those.
    WhenBeside,
}

impl Searcher {
    /// What a query means, in the space that is searched and in that of the lines; none when nothing is to be searched
    /// by meaning. In the index as it was after `since`, or as it is known.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) async fn meaning(
        self: &Arc<Self>,
        text: &str,
        in_english: InEnglish,
        since: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Option<Meaning>> {
        let Some(embedder) = self.context.provider().embedder()? else { return Ok(None) };
        let by_lines = (self.context.settings().settings.query.ranking == Ranking::Native)
            .then(|| self.context.provider().line_embedder())
            .flatten();
        // Of models of any language nothing is put into English, and the notes are not asked for their language.
        let knows_english_only = |embedder: &dyn Embedder| embedder.language() == Some(Language::English);
        let may_gloss = knows_english_only(&*embedder) || by_lines.as_deref().is_some_and(knows_english_only);
        let asked = Asked {
            line_key: by_lines.as_ref().map(|embedder| embedder.space().key()),
            most: line_pass::most_chunks(&*embedder),
            foreign: may_gloss
                .then(|| understand(text, 0, "UTC"))
                .filter(|query| !query.is_in(Language::English))
                .map(Arc::new),
            in_english,
        };
        let look = |since| {
            let (asked, cancel) = (asked.clone(), cancel.clone());
            self.blocking(move |searcher, _| {
                searcher.context.store().look(&cancel, since, |look| {
                    let seen = look.read(|reader| asked.look(&searcher.context, reader))?;
                    Ok((seen, look.is_of_one_moment()))
                })
            })
        };
        let provider = self.context.provider();
        let is_usable = |seen: &Seen| {
            let key = provider.embedder()?.map(|embedder| embedder.space().key());
            Ok::<bool, Error>(seen.active.as_ref().zip(key).is_some_and(|(active, key)| active.key == key))
        };
        let (mut seen, is_of_one_moment) = look(since).await?;
        let mut is_certain = since.is_some();
        if is_of_one_moment && !is_certain && !is_usable(&seen)? {
            (seen, _) = look(Some(Instant::now())).await?;
            is_certain = true;
        }
        if let Some(refusal) = provider.model().and_then(|model| model.refusal()) {
            return Err(refusal);
        }
        let Some(embedder) = provider.embedder()? else { return Ok(None) };
        let key = embedder.space().key();
        let text: String = text.chars().take(MAX_QUERY_CHARS).collect();
        let is_usable = is_usable(&seen)?;
        if !is_usable && self.blocking(|searcher, _| searcher.indexer.holds_nothing()).await? {
            return Ok(None);
        }
        // Asked also when there is nothing to compare with yet: only the answer tells whether vectors are on their way.
        let (of_query, language) = asked_of(&*embedder, &text, seen.gloss.as_deref());
        let query = match self.queries.get(key, of_query, &embedder, cancel).await {
            Ok(meant) => Understood { meant, language },
            Err(error) => {
                self.telemetry.note(QUERY, Some(&error));
                self.context.warn(&error, "a question was searched by its words only");
                return Err(error);
            }
        };
        self.telemetry.note(QUERY, None);
        if !is_usable {
            return Err(self.vectors_missing().await);
        }
        let line = match by_lines.filter(|_| seen.has_lines) {
            Some(embedder) => {
                let key = embedder.space().key();
                // Finer evidence only: without it the chunk's meaning and the words decide.
                let (text, language) = asked_of(&*embedder, &text, seen.gloss.as_deref());
                let meant = self.queries.get(key.clone(), text, &embedder, cancel).await.ok();
                meant.map(|meant| (key, Understood { meant, language }))
            }
            None => None,
        };
        let english = match (&asked.foreign, &seen.gloss) {
            (None, _) => English::NotNeeded,
            (Some(_), None) => English::NotAsked,
            (Some(_), Some(_)) => English::Asked,
        };
        Ok(Some(Meaning { query, line, english, of: (!is_certain).then_some(Of { asked, seen }) }))
    }

    /// Why nothing can be compared with a query although the provider answers.
    async fn vectors_missing(self: &Arc<Self>) -> Error {
        if let Some(failed) = [EMBEDDING, TEXT].into_iter().find_map(|what| self.telemetry.error_of(what)) {
            return failed;
        }
        // A command asks before any pass has met a full disk, which takes no vectors either. A file of no use shows it, and not
        // a row: a pass that embeds keeps the writer busy, and the question would wait for it.
        match self.blocking(|searcher, _| takes_files(searcher.context.store().path())).await {
            Err(full) if full.code() == Code::DiskFull => full,
            _ => Error::new(Code::ProviderUnavailable, "the notes are still being embedded")
                .remedy("Nothing to do where a gateway runs; otherwise `openclaw memory index` finishes it"),
        }
    }
}

/// Whether a file can be written beside another; nothing is left of it.
fn takes_files(beside: &Path) -> Result<()> {
    let folder = beside.parent().unwrap_or(beside);
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(b"tried"));
    written.map_err(|error| Error::io(folder, &error))
}

/// The vectors of a query.
pub(super) struct Meaning {
    /// In the space that is searched.
    pub(super) query: Understood,
    /// In the space of the line vectors, with its key; none when lines have none.
    pub(super) line: Option<(String, Understood)>,
    /// Whether the model was asked the English words of the query.
    pub(super) english: English,
    /// The index that it was found out for; none where that is the one that is searched.
    pub(super) of: Option<Of>,
}

/// Whether a model was asked the English words of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum English {
    /// It knows the question's language.
    NotNeeded,
    NotAsked,
    Asked,
}

/// An index as it was known.
pub(super) struct Of {
    asked: Asked,
    seen: Seen,
}

impl Of {
    /// Whether an index is still as it was known.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn holds(&self, context: &Context, reader: &Reader<'_>) -> Result<bool> {
        Ok(self.asked.look(context, reader)? == self.seen)
    }
}

/// What is asked of an index to know what a question means in it.
#[derive(Clone)]
struct Asked {
    /// The key of the space of the lines.
    line_key: Option<String>,
    /// Lines of more chunks have no vectors, where some may be left from when there were fewer.
    most: u64,
    /// The question, where it is not English and a model knows nothing else.
    foreign: Option<Arc<QueryPlan>>,
    in_english: InEnglish,
}

/// What is answered.
#[derive(PartialEq)]
struct Seen {
    /// The space that is searched.
    active: Option<SpaceRow>,
    /// Whether lines have vectors.
    has_lines: bool,
    /// The question in English words, where the model is to be asked these.
    gloss: Option<String>,
    /// What is known of the model.
    model: Option<model_check::Record>,
}

impl Asked {
    fn look(&self, context: &Context, reader: &Reader<'_>) -> Result<Seen> {
        let model = model_check::follow(context, reader)?;
        let live = reader.live()?;
        let chunks = live.as_ref().map_or(Ok(0), |live| reader.chunk_count(live.id))?;
        let speech = self.foreign.as_deref().map(Speech::of);
        let gloss = match live.zip(speech) {
            Some((live, speech)) if self.is_in_english(reader, live.id, &speech)? => speech.gloss(),
            _ => None,
        };
        let lines = self.line_key.as_deref().filter(|_| chunks <= self.most);
        let lines = lines.map_or(Ok(None), |key| reader.space(key))?;
        let has_lines = lines.map_or(Ok(false), |space| reader.has_line_vectors(space.id))?;
        Ok(Seen { active: reader.active_space()?, has_lines, gloss, model })
    }

    fn is_in_english(&self, reader: &Reader<'_>, generation: GenerationId, speech: &Speech<'_>) -> Result<bool> {
        Ok(is_foreign(reader, generation, speech)? == Some(true)
            || (self.in_english == InEnglish::WhenBeside && is_beside_english(reader, generation, speech)?))
    }
}

/// The query as one model understands it.
pub(super) struct Understood {
    meant: Meant,
    /// As [`Embedder::language`].
    language: Option<Language>,
}

impl Understood {
    pub(super) fn as_query(&self) -> QueryVector<'_> {
        QueryVector { vector: &self.meant.vector, pieces: self.meant.pieces.as_deref(), language: self.language }
    }
}
