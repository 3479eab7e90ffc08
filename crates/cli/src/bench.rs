//! `memory-core bench`: how long indexing and searching take on notes that are made up.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde::Serialize;

use crate::{
    Answer, Failure,
    session::{Provider, Session, call, told},
};

/// Lines of one file of notes.
const LINES: usize = 40;

/// Words that can be asked for. Few are frequent and most are rare, as in a language.
const VOCABULARY: usize = 20_000;

/// What was measured.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    provider: &'static str,
    files: u32,
    chunks: u64,
    index_ms: f64,
    /// The same again with nothing to do.
    unchanged_ms: f64,
    searches: usize,
    /// Searches that found something.
    answered: usize,
    p50_ms: f64,
    p90_ms: f64,
    p99_ms: f64,
    max_ms: f64,
}

pub(crate) async fn run(files: u32, searches: u32, seed: u64, provider: Provider) -> Result<Answer, Failure> {
    let dir = tempfile::tempdir()?;
    let workspace = dir.path().join("workspace");
    let mut rng = Rng::with_seed(seed);
    write_notes(&workspace.join("memory"), files, &mut rng)?;
    let session = Session::open(&workspace, &dir.path().join("state"), provider, None).await?;
    let started = Instant::now();
    let report = session.sync(false).await?;
    let index = started.elapsed();
    if let Some(failure) = &report.embedding_error {
        return Err(Failure::new(failure.message.clone()));
    }
    let started = Instant::now();
    session.sync(false).await?;
    let unchanged = started.elapsed();
    let mut times = Vec::new();
    let mut answered = 0;
    for n in 0..searches {
        told(&format!("searching: {n} of {searches}"));
        let query: Vec<String> = (0..3).map(|_| word(&mut rng)).collect();
        let call = call(&query.join(" "), None, model::clock::now_ms());
        let started = Instant::now();
        let answer = session.search(call).await?;
        times.push(started.elapsed());
        answered += usize::from(!answer.hits.is_empty());
    }
    told("");
    let chunks = session.chunks();
    session.close().await;
    times.sort_unstable();
    let report = Report {
        provider: provider.id(),
        files,
        chunks,
        index_ms: ms(index),
        unchanged_ms: ms(unchanged),
        searches: times.len(),
        answered,
        p50_ms: ms(quantile(&times, 0.5)),
        p90_ms: ms(quantile(&times, 0.9)),
        p99_ms: ms(quantile(&times, 0.99)),
        max_ms: ms(quantile(&times, 1.0)),
    };
    let text = format!(
        "index   {} files, {} chunks: {:.0} ms; again, unchanged: {:.1} ms\n\
         search  {} of {} found something: p50 {:.2} ms, p90 {:.2} ms, p99 {:.2} ms, max {:.2} ms\n",
        report.files,
        report.chunks,
        report.index_ms,
        report.unchanged_ms,
        report.answered,
        report.searches,
        report.p50_ms,
        report.p90_ms,
        report.p99_ms,
        report.max_ms
    );
    Answer::new(text, &report)
}

fn write_notes(folder: &Path, files: u32, rng: &mut Rng) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::at(folder))?;
    for n in 0..files {
        let mut text = format!("# {} {}\n\n", word(rng), word(rng));
        for _ in 0..LINES {
            let words: Vec<String> = (0..rng.usize(6..14)).map(|_| word(rng)).collect();
            text += &format!("- {}\n", words.join(" "));
        }
        let path = folder.join(format!("note-{n}.md"));
        fs::write(&path, text).map_err(Failure::at(&path))?;
    }
    Ok(())
}

/// A word; the n-th is about n times as rare as the first.
fn word(rng: &mut Rng) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ko", "ti", "ren", "lu", "mas", "do", "vi", "pel", "sha", "nor", "ge", "fi", "tu", "zan", "qui"];
    let rank = (VOCABULARY as f64).powf(rng.f64()) as usize;
    let (mut rest, mut word) = (rank + SYLLABLES.len(), String::new());
    while rest > 0 {
        word += SYLLABLES[rest % SYLLABLES.len()];
        rest /= SYLLABLES.len();
    }
    word
}

/// The shortest time that a share of all does not exceed. `times` is sorted.
fn quantile(times: &[Duration], share: f64) -> Duration {
    let rank = (share * times.len() as f64).ceil() as usize;
    times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_times_that_were_measured() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        for (share, expected) in [(0.5, 100), (0.9, 180), (0.99, 198), (1.0, 200)] {
            assert_eq!(quantile(&times, share), Duration::from_millis(expected));
        }
        assert_eq!(quantile(&times[..1], 0.5), Duration::from_millis(1));
    }

    #[test]
    fn the_same_seed_gives_the_same_notes() {
        let (mut a, mut b, mut c) = (Rng::with_seed(1), Rng::with_seed(1), Rng::with_seed(2));
        let first: Vec<_> = (0..50).map(|_| word(&mut a)).collect();
        assert_eq!(first, (0..50).map(|_| word(&mut b)).collect::<Vec<_>>());
        assert_ne!(first, (0..50).map(|_| word(&mut c)).collect::<Vec<_>>());
    }
}
