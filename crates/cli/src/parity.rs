//! `memory-core parity`: whether a database shows what a file does, of the same notes for the same questions.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    Answer, Asked, Failure,
    eval::cases,
    session::{InDatabase, Provider, Session, call, told},
};

/// What a search shows first.
const SHOWN: usize = 6;

/// What is known of a case beside its questions.
#[derive(Debug, Deserialize)]
struct Meta {
    /// The day on which they are asked, in seconds since 1970.
    now: i64,
}

/// Path, first and last line.
type Place = (String, u32, u32);

/// What one store shows of the questions of a case, best first: by words alone, and by meaning too.
struct Shown {
    by_words: Vec<Vec<Place>>,
    by_both: Vec<Vec<Place>>,
}

/// How many of the questions of a case are answered as a file answers them.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Same {
    case: String,
    queries: usize,
    /// By words alone: the same six in the same order.
    words: usize,
    /// By words and meaning, with vectors in memory, and compared in the database.
    local: usize,
    database: usize,
    /// The same six in any order.
    local_unordered: usize,
    database_unordered: usize,
    /// Questions with another six.
    differing: Vec<String>,
}

/// Asks each question of the cases three stores: a file, a schema of the database with vectors in memory, and the same schema
/// where the database compares vectors.
pub(crate) async fn run(sets: &[PathBuf], schema: &str, provider: Provider) -> Result<Answer, Failure> {
    let mut all: Vec<Same> = Vec::new();
    for set in sets {
        for case in cases(set)? {
            let at = all.len();
            all.push(compare(&case, (schema, at), provider).await?);
        }
    }
    told("");
    let mut text =
        "| case | queries | words alone | vectors in memory | in the database | the same six in any order |\n"
            .to_owned();
    text += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
    let mut total = Same { case: "all".to_owned(), ..Same::default() };
    for same in &all {
        total.queries += same.queries;
        total.words += same.words;
        total.local += same.local;
        total.database += same.database;
        total.local_unordered += same.local_unordered;
        total.database_unordered += same.database_unordered;
    }
    for same in all.iter().chain([&total]) {
        text += &format!(
            "| {} | {} | {} | {} | {} | {}, {} |\n",
            same.case,
            same.queries,
            same.words,
            same.local,
            same.database,
            same.local_unordered,
            same.database_unordered
        );
    }
    for query in all.iter().flat_map(|same| &same.differing) {
        text += &format!("{query}\n");
    }
    all.push(total);
    Answer::new(text, &all)
}

async fn compare(case: &Path, (schema, at): (&str, usize), provider: Provider) -> Result<Same, Failure> {
    let read = |name: &str| {
        let path = case.join(name);
        fs::read_to_string(&path).map_err(Failure::at(&path))
    };
    let meta: Meta = serde_json::from_str(&read("meta.json")?)?;
    let questions: Vec<Asked> =
        read("queries.jsonl")?.trim().lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let name = case.canonicalize().map_err(Failure::at(case))?;
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = tempfile::tempdir()?;
    let state = folder.path().join("state");
    let (of_file, of_database) = (state.join("file"), state.join("database"));
    // Each case is a tenant: all agents have one name.
    let tenant = format!("case{at}");
    let within = |search| Some(InDatabase { schema, tenant: &tenant, search });
    let ask = async |state: &Path, place| {
        let session = Session::open(&case.join("ws"), state, provider, place).await?;
        let report = session.sync(false).await?;
        if let Some(failure) = &report.embedding_error {
            return Err(Failure::new(failure.message.clone()));
        }
        if let Some(warning) = &report.warning {
            return Err(Failure::new(warning.clone()));
        }
        let mut shown = Shown { by_words: Vec::new(), by_both: Vec::new() };
        for (n, question) in questions.iter().enumerate() {
            told(&format!("{name}: {n} of {}", questions.len()));
            for lexical_only in [true, false] {
                let six = engine::services::SearchCall {
                    lexical_only,
                    ..call(&question.query, Some(SHOWN), meta.now * 1000)
                };
                let hits = session.search(six).await?.hits;
                let places = hits.into_iter().map(|hit| (hit.path, hit.start_line, hit.end_line)).collect();
                if lexical_only { &mut shown.by_words } else { &mut shown.by_both }.push(places);
            }
        }
        session.close().await;
        Ok(shown)
    };
    let file = ask(&of_file, None).await?;
    let local = ask(&of_database, within("local")).await?;
    let database = ask(&of_database, within("database")).await?;
    let mut same = Same { case: name, queries: questions.len(), ..Same::default() };
    for (n, question) in questions.iter().enumerate() {
        let is_same = |a: &[Vec<Place>], b: &[Vec<Place>]| a[n] == b[n];
        let holds_same = |a: &[Vec<Place>], b: &[Vec<Place>]| sorted(&a[n]) == sorted(&b[n]);
        let words = is_same(&file.by_words, &local.by_words) && is_same(&file.by_words, &database.by_words);
        let [in_memory, compared] = [&local, &database].map(|other| is_same(&file.by_both, &other.by_both));
        same.words += usize::from(words);
        same.local += usize::from(in_memory);
        same.database += usize::from(compared);
        same.local_unordered += usize::from(holds_same(&file.by_both, &local.by_both));
        same.database_unordered += usize::from(holds_same(&file.by_both, &database.by_both));
        if !(words && in_memory && compared) {
            let told = format!("{}: words {words}, in memory {in_memory}, in the database {compared}", question.id);
            same.differing.push(told);
        }
    }
    Ok(same)
}

fn sorted(places: &[Place]) -> Vec<&Place> {
    let mut places: Vec<&Place> = places.iter().collect();
    places.sort();
    places
}
