//! Converts an encoder and says what it costs: `cargo run --profile local -p embed --example encoder -- FOLDER CACHE`.

use std::{
    env,
    error::Error,
    fs,
    io::{self, Write},
    sync::Arc,
    time::{Duration, Instant},
};

use embed::{
    Embedder, Purpose,
    embedded::{
        InProcess,
        brought::{Wanted, prepare},
    },
};

/// A chunk of the default size, some 400 tokens of an English tokenizer.
const CHUNK: &str = "The boiler was serviced in February, and the pressure has to be topped up twice a year. ";

fn main() -> Result<(), Box<dyn Error>> {
    let mut given = env::args().skip(1);
    let (Some(folder), Some(cache)) = (given.next(), given.next()) else {
        return Err("usage: encoder FOLDER CACHE".into());
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_time().build()?;
    let mut out = io::stdout();
    let begun = Instant::now();
    let ready = runtime.block_on(prepare(&Wanted::Folder(folder.into()), cache.as_ref(), Arc::new(|_, _| true)))?;
    writeln!(out, "prepared in {:.1?}, {}", begun.elapsed(), memory())?;
    writeln!(out, "{} MB: {}", fs::metadata(&ready.file)?.len() >> 20, ready.space)?;

    let begun = Instant::now();
    let model = InProcess::open_brought(&ready, ready.prefixes.clone())?;
    writeln!(out, "opened in {:.1?}, {}", begun.elapsed(), memory())?;
    let limit = Duration::from_secs(600);
    let embed = |texts: &[String], purpose| {
        let begun = Instant::now();
        runtime.block_on(model.embed(texts, purpose, limit)).map(|_| begun.elapsed())
    };
    let question = ["How often does the pressure need topping up?".to_owned()];
    writeln!(out, "first question {:.1?}, {}", embed(&question, Purpose::Query)?, memory())?;
    let mut questions = (0..20).map(|_| embed(&question, Purpose::Query)).collect::<Result<Vec<_>, _>>()?;
    questions.sort();
    writeln!(out, "question {:.1?} (median of 20)", questions[10])?;
    let chunks: Vec<String> = (0..24).map(|i| format!("{i} {}", CHUNK.repeat(12))).collect();
    let before = model.usage().tokens;
    let taken = embed(&chunks, Purpose::Document)?;
    let tokens = (model.usage().tokens - before) as f64 / chunks.len() as f64;
    let each = taken.as_secs_f64() * 1000.0 / chunks.len() as f64;
    writeln!(out, "chunk of {} bytes, {tokens:.0} tokens: {each:.1} ms, {}", chunks[0].len(), memory())?;
    Ok(())
}

/// What the process has in memory: all of it, and what is its own.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or_default() >> 10
    };
    format!("{} MB resident, {} MB of it its own", of("VmRSS:"), of("RssAnon:"))
}
