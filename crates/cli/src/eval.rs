//! `memory-core eval`: searches for labelled questions, and scores what they show.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use engine::services::SearchCall;
use serde::Deserialize;

use crate::{
    Answer, Failure,
    score::{Found, MEASURES, Question, Values, means, one_digit, score},
    session::{Provider, Session, call, told},
};

/// What stands beside the questions of a case.
#[derive(Debug, Deserialize)]
struct Meta {
    /// The day on which they are asked, in seconds since 1970.
    now: i64,
    /// What is measured where it is not what a search shows.
    kind: Option<String>,
}

pub(crate) async fn run(sets: &[PathBuf], keep: Option<&Path>, provider: Provider) -> Result<Answer, Failure> {
    let (mut text, mut json) = (String::new(), BTreeMap::new());
    for set in sets {
        let name = set.canonicalize().map_err(Failure::at(set))?;
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut scores = Vec::new();
        for case in cases(set)? {
            scores.extend(run_case(&case, keep, provider, &name).await?);
        }
        told("");
        let means = means(&scores);
        let cells = MEASURES.map(|measure| means.get(measure).map_or_else(|| "–".to_owned(), |mean| one_digit(*mean)));
        text += &format!("\n### {name} ({} queries)\n\n", scores.len());
        text += &format!("| provider | {} |\n|---|{}\n", MEASURES.join(" | "), "---:|".repeat(MEASURES.len()));
        text += &format!("| {} | {} |\n", provider.id(), cells.join(" | "));
        json.insert(name, serde_json::json!({ "count": scores.len(), "means": means }));
    }
    Answer::new(text, &json)
}

/// The cases of a set, in the order of their names: the set itself, or the folders in it.
pub(crate) fn cases(set: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_case = |dir: &PathBuf| dir.join("queries.jsonl").is_file();
    let own = set.to_path_buf();
    if is_case(&own) {
        return Ok(vec![own]);
    }
    let below = fs::read_dir(set).map_err(Failure::at(set))?.flatten().map(|entry| entry.path());
    let mut cases: Vec<_> = below.filter(is_case).collect();
    cases.sort();
    if cases.is_empty() {
        return Err(Failure::new(format!("{} holds no queries.jsonl", set.display())));
    }
    Ok(cases)
}

/// Searches for the questions of one case, in an index of its own.
async fn run_case(case: &Path, keep: Option<&Path>, provider: Provider, set: &str) -> Result<Vec<Values>, Failure> {
    let read = |name: &str| {
        let path = case.join(name);
        fs::read_to_string(&path).map_err(Failure::at(&path))
    };
    let meta: Meta = serde_json::from_str(&read("meta.json")?)?;
    if let Some(kind) = meta.kind {
        return Err(Failure::new(format!("{set} measures {kind}, which only `npm run eval` does")));
    }
    let lines = read("queries.jsonl")?;
    let questions: Vec<Question> = lines.trim().lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let workspace = case.join("ws");
    let fresh = tempfile::tempdir()?;
    let kept = keep.map(|keep| keep.join(set).join(case.file_name().unwrap_or_default()).join(provider.id()));
    let session = Session::open(&workspace, kept.as_deref().unwrap_or_else(|| fresh.path()), provider, None).await?;
    let report = session.sync(kept.is_none()).await?;
    if let Some(failure) = &report.embedding_error {
        return Err(Failure::new(failure.message.clone()));
    }
    let mut scores = Vec::with_capacity(questions.len());
    for (n, question) in questions.iter().enumerate() {
        told(&format!("{set}: {n} of {}", questions.len()));
        let ask = |most| session.search(call(&question.query, most, meta.now * 1000));
        let six = ask(Some(6)).await?;
        let more = match six.more {
            Some(more) => {
                let next = call(&more.query, Some(6), meta.now * 1000);
                session.search(SearchCall { after: more.after, ..next }).await?.hits
            }
            None => Vec::new(),
        };
        let found =
            Found { six: &six.hits, more: &more, twenty: &ask(Some(20)).await?.hits, budget: &ask(None).await?.hits };
        scores.push(score(question, &found, &workspace)?);
    }
    session.close().await;
    Ok(scores)
}
