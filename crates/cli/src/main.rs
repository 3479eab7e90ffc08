//! `memory-core`: the engine without Node, for developers. It indexes and searches a folder of notes, and measures both:
//! what a search shows of labelled questions (`eval`), and how long it takes (`bench`).
//!
//! Answers go to standard output, progress and errors to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage.

mod bench;
mod eval;
mod parity;
mod score;
mod session;

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Parser, Subcommand};
use serde::{Deserialize, Serialize};

use model::clock::now_ms;
use session::{InDatabase, Provider, Session};

/// The engine of memory-core-rs on the command line, for developers.
#[derive(Debug, Parser)]
#[command(name = "memory-core", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Answers as one line of JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Brings the index of a folder of notes up to date.
    Index {
        #[command(flatten)]
        place: Place,
        /// Reads every file again.
        #[arg(long)]
        force: bool,
    },
    /// Searches an index that `index` has made.
    Search {
        #[command(flatten)]
        place: Place,
        /// What to look for.
        query: String,
        /// Most results.
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
        max_results: Option<u16>,
        /// Says why each result is there (with --json).
        #[arg(long)]
        explain: bool,
        /// "Now" for words like "yesterday", in milliseconds since 1970; default the clock's.
        #[arg(long)]
        now_ms: Option<i64>,
    },
    /// Searches for every question of a file, in an index that `index` has made. One line of JSON for each: its id, and what
    /// is found.
    Ask {
        #[command(flatten)]
        place: Place,
        /// Lines of JSON with `id` and `query`.
        questions: PathBuf,
        /// Most results; without it as many as fit.
        #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
        max_results: Option<u16>,
        /// "Now" as in `search`.
        #[arg(long)]
        now_ms: Option<i64>,
    },
    /// Scores searches on sets of labelled questions, as `npm run eval` does.
    Eval {
        /// Folders of sets, such as eval/sets/exact.
        #[arg(required = true)]
        sets: Vec<PathBuf>,
        /// Keeps the indexes in this folder, so that the next run need not make them.
        #[arg(long)]
        keep: Option<PathBuf>,
        #[command(flatten)]
        with: With,
    },
    /// Whether the PostgreSQL database that MEMORY_PG_URL names shows what a file does, for every question of the sets, as
    /// `npm run lab -- parity` asks it. Needs a build with the feature `postgres`.
    Parity {
        /// Folders of sets, such as eval/sets/exact.
        #[arg(required = true)]
        sets: Vec<PathBuf>,
        /// The schema in that database; it stays.
        #[arg(long)]
        schema: String,
        #[command(flatten)]
        with: With,
    },
    /// Measures indexing and searching on generated notes.
    Bench {
        /// Files of notes.
        #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
        files: u32,
        /// Searches.
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
        searches: u32,
        /// Other notes for another number.
        #[arg(long, default_value_t = 7)]
        seed: u64,
        #[command(flatten)]
        with: With,
    },
}

/// Where the notes and the index are.
#[derive(Debug, Args)]
struct Place {
    /// The folder with MEMORY.md and memory/.
    workspace: PathBuf,
    /// The folder that the index is kept in.
    #[arg(long)]
    state: PathBuf,
    /// Keeps the index in the PostgreSQL database that MEMORY_PG_URL names, instead of a file. Needs a build with the
    /// feature `postgres`.
    #[arg(long)]
    postgres: bool,
    /// The schema in that database.
    #[arg(long, default_value = "openclaw_memory", requires = "postgres")]
    schema: String,
    #[command(flatten)]
    with: With,
}

impl Place {
    async fn open(&self) -> Result<Session, Failure> {
        let database = self.postgres.then(|| InDatabase::at(&self.schema));
        Session::open(&self.workspace, &self.state, self.with.provider, database).await
    }
}

#[derive(Debug, Args)]
struct With {
    /// What makes the vectors.
    #[arg(long, value_enum, default_value_t = Provider::Embedded)]
    provider: Provider,
}

/// What a command answers: for people, and for programs.
pub(crate) struct Answer {
    text: String,
    json: serde_json::Value,
}

impl Answer {
    pub(crate) fn new(text: String, json: &impl Serialize) -> Result<Self, Failure> {
        Ok(Self { text, json: serde_json::to_value(json)? })
    }
}

/// Why a command failed, with what helps.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The failure of something done to a file.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self(format!("{}: {error}", path.display()))
    }
}

impl From<model::error::Error> for Failure {
    fn from(error: model::error::Error) -> Self {
        let remedy = error.remedy.as_deref().map(|remedy| format!(". {remedy}")).unwrap_or_default();
        Self(format!("{} ({}){remedy}", error.message, error.code().as_str()))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("not JSON as it should be: {error}"))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Failure::from)
        .and_then(|runtime| runtime.block_on(run(cli.command)));
    let written = outcome.and_then(|answer| {
        let text = if cli.json { format!("{}\n", answer.json) } else { answer.text };
        match io::stdout().write_all(text.as_bytes()) {
            // Whoever reads has seen enough: `memory-core search … | head -3`.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            other => other.map_err(Failure::from),
        }
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            // There is nowhere left to say that this cannot be said.
            let _ = writeln!(io::stderr(), "memory-core: {message}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<Answer, Failure> {
    match command {
        Command::Index { place, force } => index(&place, force).await,
        Command::Search { place, query, max_results, explain, now_ms: now } => {
            let session = place.open().await?;
            if session.chunks() == 0 {
                return Err(Failure::new(
                    "nothing is indexed yet: run `memory-core index` with the same folders first",
                ));
            }
            let call = session::call(&query, max_results.map(usize::from), now.unwrap_or_else(now_ms));
            let answer = session.search(engine::services::SearchCall { explain, ..call }).await?;
            session.close().await;
            let mut text = String::new();
            for hit in &answer.hits {
                let place = format!("{}:{}-{}", hit.path, hit.start_line, hit.end_line);
                text += &format!("{:.3}  {place}\n{}\n\n", hit.score, hit.snippet.trim_end());
            }
            if answer.hits.is_empty() {
                text = "nothing found\n".to_owned();
            }
            if let Some(warning) = &answer.warning {
                text += &format!("{warning}\n");
            }
            Answer::new(text, &answer)
        }
        Command::Ask { place, questions, max_results, now_ms: now } => {
            ask(&place, &questions, max_results.map(usize::from), now.unwrap_or_else(now_ms)).await
        }
        Command::Eval { sets, keep, with } => eval::run(&sets, keep.as_deref(), with.provider).await,
        Command::Parity { sets, schema, with } => parity::run(&sets, &schema, with.provider).await,
        Command::Bench { files, searches, seed, with } => bench::run(files, searches, seed, with.provider).await,
    }
}

/// A line of a file of questions.
#[derive(Debug, Deserialize)]
struct Asked {
    id: String,
    query: String,
}

async fn ask(place: &Place, questions: &Path, most: Option<usize>, now_ms: i64) -> Result<Answer, Failure> {
    let lines = fs::read_to_string(questions).map_err(Failure::at(questions))?;
    let session = place.open().await?;
    let mut text = String::new();
    let mut all = Vec::new();
    for line in lines.trim().lines() {
        let Asked { id, query } = serde_json::from_str(line)?;
        let hits = session.search(session::call(&query, most, now_ms)).await?.hits;
        let found = serde_json::json!({ "id": id, "hits": hits });
        text += &format!("{found}\n");
        all.push(found);
    }
    session.close().await;
    Answer::new(text, &all)
}

async fn index(place: &Place, force: bool) -> Result<Answer, Failure> {
    let session = place.open().await?;
    let report = session.sync(force).await?;
    session.close().await;
    if let Some(failure) = &report.embedding_error {
        return Err(Failure::new(format!("the words are indexed, but not the meaning: {}", failure.message)));
    }
    let mut text = format!(
        "{} files, {} changed, {} removed, {} chunks written, {} texts embedded in {} ms\n",
        report.files, report.changed, report.removed, report.chunks, report.embedded, report.duration_ms
    );
    if let Some(warning) = &report.warning {
        text += &format!("{warning}\n");
    }
    Answer::new(text, &*report)
}
