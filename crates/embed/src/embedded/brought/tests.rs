//! Encoders that users bring, from their files to vectors, on the small models of `scripts/model/encoders.py`.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use parking_lot::Mutex;
use serde::Deserialize;
use tempfile::TempDir;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use super::{
    Prefixes, Ready, Wanted, Watch, prepare,
    prepare::prepare_from,
    ready,
    tokens::{Pipeline, Taken},
};
use crate::{Embedded, Embedder, Purpose, embedded::InProcess, tests::settings};
use model::error::{Code, Error, Result};

const ENCODERS: [&str; 4] = ["bert", "xlm-roberta", "roberta", "distilbert"];

#[derive(Deserialize)]
struct Golden {
    purpose: String,
    text: String,
    pieces: Vec<u32>,
    vector: String,
}

impl Golden {
    fn vector(&self) -> Vec<f32> {
        STANDARD.decode(&self.vector).unwrap().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
    }

    fn purpose(&self) -> Purpose {
        if self.purpose == "query" { Purpose::Query } else { Purpose::Document }
    }

    /// Whether somebody wrote a control piece, which the reference takes for one.
    fn writes_controls(&self) -> bool {
        self.text.contains("</s>")
    }
}

fn original(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../minilm/testdata/encoders").join(name)
}

fn golden(name: &str) -> Vec<Golden> {
    serde_json::from_slice(&fs::read(original(name).join("golden.json")).unwrap()).unwrap()
}

/// A copy to be changed.
fn copied(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    for file in super::description::REQUIRED.iter().chain(&super::description::OPTIONAL) {
        fs::copy(original(name).join(file), folder.path().join(file)).unwrap();
    }
    folder
}

fn quiet() -> Watch {
    Arc::new(|_, _| true)
}

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

fn prepared(folder: &Path, cache: &Path) -> Result<Ready> {
    RUNTIME.block_on(prepare(&Wanted::Folder(folder.to_owned()), cache, quiet()))
}

fn embedded(model: &InProcess, text: &str, purpose: Purpose) -> Vec<f32> {
    let texts = [text.to_owned()];
    match RUNTIME.block_on(model.embed(&texts, purpose, Duration::from_secs(60))).unwrap().remove(0) {
        Embedded::Vector(vector) => vector,
        Embedded::Refused(reason) => panic!("refused: {reason}"),
    }
}

#[test]
fn pieces_are_those_of_the_reference() {
    for name in ENCODERS {
        let json = fs::read(original(name).join("tokenizer.json")).unwrap();
        let taken = Taken::read(&json, false).unwrap();
        let pipeline = taken.pipeline(40).unwrap();
        let prefix = |golden: &Golden| match (name, golden.purpose()) {
            ("xlm-roberta", Purpose::Query) => "query: ",
            ("xlm-roberta", Purpose::Document) => "passage: ",
            _ => "",
        };
        for golden in golden(name) {
            let pieces = pipeline.encode(&format!("{}{}", prefix(&golden), golden.text)).unwrap();
            if golden.writes_controls() {
                let controls = pieces.iter().filter(|&&piece| piece == golden.pieces[0]).count();
                assert_eq!(controls, 1, "{name}: a text cannot begin an input");
                assert_eq!(pieces.iter().filter(|&&piece| piece == *golden.pieces.last().unwrap()).count(), 1);
            } else {
                assert_eq!(pieces, golden.pieces, "{name}: {:?}", golden.text);
            }
        }
    }
}

#[test]
fn vectors_are_those_of_the_reference_with_its_prefixes() {
    for name in ENCODERS {
        let cache = tempfile::tempdir().unwrap();
        let ready = prepared(&original(name), cache.path()).unwrap();
        let model = InProcess::open_brought(&ready, ready.prefixes.clone()).unwrap();
        assert!(model.by_piece().is_none() && model.language().is_none() && model.is_local());
        for golden in golden(name).iter().filter(|golden| !golden.writes_controls()) {
            let vector = embedded(&model, &golden.text, golden.purpose());
            let cosine: f32 = vector.iter().zip(golden.vector()).map(|(a, b)| a * b).sum();
            assert!(cosine >= 0.99, "{name}: {cosine} for {:?}", golden.text);
        }
    }
}

#[test]
fn a_second_start_needs_neither_conversion_nor_more_than_a_look_at_the_files() {
    let (folder, cache) = (copied("bert"), tempfile::tempdir().unwrap());
    let wanted = Wanted::Folder(folder.path().to_owned());
    assert_eq!(ready(&wanted, cache.path()).unwrap(), None, "nothing is converted by looking");
    let first = prepared(folder.path(), cache.path()).unwrap();
    assert_eq!(ready(&wanted, cache.path()).unwrap(), Some(first.clone()));
    let made = fs::metadata(&first.file).unwrap().modified().unwrap();
    assert_eq!(prepared(folder.path(), cache.path()).unwrap(), first);
    assert_eq!(fs::metadata(&first.file).unwrap().modified().unwrap(), made);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for entry in fs::read_dir(cache.path()).unwrap() {
            let path = entry.unwrap().path();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o077, 0, "{}", path.display());
        }
    }
    // A damaged file of ours is told, and made again once it is gone.
    fs::write(&first.file, b"MCRMODEL").unwrap();
    let error = InProcess::open_brought(&first, Prefixes::default()).err().unwrap();
    assert_eq!(error.code(), Code::Corrupt);
    fs::remove_file(&first.file).unwrap();
    assert_eq!(ready(&wanted, cache.path()).unwrap(), None);
    assert_eq!(prepared(folder.path(), cache.path()).unwrap(), first);
}

#[test]
fn whatever_decides_about_vectors_is_another_space() {
    let (folder, cache) = (copied("xlm-roberta"), tempfile::tempdir().unwrap());
    let space = || prepared(folder.path(), cache.path()).unwrap().space;
    let mut spaces = vec![space()];
    let mut changed = |file: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let path = folder.path().join(file);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        spaces.push(space());
    };
    let replace = |from: &'static str, to: &'static str| {
        move |bytes: &mut Vec<u8>| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            assert!(text.contains(from), "{from}");
            *bytes = text.replace(from, to).into_bytes();
        }
    };
    changed("1_Pooling/config.json", &replace("\"mean\"", "\"cls\""));
    changed("tokenizer_config.json", &replace("\"model_max_length\": 40", "\"model_max_length\": 39"));
    changed("config.json", &replace("1e-05", "1e-06"));
    changed("model.safetensors", &|bytes| {
        let last = bytes.len() - 2;
        bytes[last] ^= 1;
    });
    changed("tokenizer.json", &replace("\"NFKC\"", "\"NFC\""));
    let count = spaces.len();
    spaces.sort();
    spaces.dedup();
    assert_eq!(spaces.len(), count);

    // Prefixes are part of the space as well, and the settings' are used before the model's.
    let ready = prepared(folder.path(), cache.path()).unwrap();
    let mut settings = settings("embedded");
    let key = |prefixes: Prefixes| InProcess::open_brought(&ready, prefixes).unwrap().space().key();
    let own = key(ready.prefixes.or(&settings));
    settings.local_document_prefix = Some(String::new());
    let other = ready.prefixes.or(&settings);
    assert_eq!((other.query.as_str(), other.document.as_str()), ("query: ", ""));
    assert_ne!(key(other), own);
}

#[test]
fn many_at_once_convert_once() {
    let (folder, cache) = (copied("roberta"), tempfile::tempdir().unwrap());
    let conversions = Arc::new(AtomicUsize::new(0));
    let wanted = Wanted::Folder(folder.path().to_owned());
    let tasks: Vec<_> = (0..6)
        .map(|_| {
            let (wanted, cache, conversions) = (wanted.clone(), cache.path().to_owned(), Arc::clone(&conversions));
            let watch: Watch = Arc::new(move |label, share| {
                conversions.fetch_add(usize::from(label.starts_with("Converting") && share == 0.0), Ordering::SeqCst);
                true
            });
            RUNTIME.spawn(async move { prepare(&wanted, &cache, watch).await })
        })
        .collect();
    for task in tasks {
        RUNTIME.block_on(task).unwrap().unwrap();
    }
    assert_eq!(conversions.load(Ordering::SeqCst), 1);
}

#[test]
fn a_stopped_conversion_leaves_nothing_half_done() {
    let (folder, cache) = (copied("bert"), tempfile::tempdir().unwrap());
    let wanted = Wanted::Folder(folder.path().to_owned());
    for stop_at in ["Reading", "Converting"] {
        let watch: Watch = Arc::new(move |label, _| !label.starts_with(stop_at));
        let error = RUNTIME.block_on(prepare(&wanted, cache.path(), watch)).unwrap_err();
        assert_eq!(error.code(), Code::Cancelled);
        let left = fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path());
        assert!(left.into_iter().all(|path| path.extension().unwrap() == "lock"));
    }
    assert!(prepared(folder.path(), cache.path()).is_ok());
}

fn refusal(change: impl Fn(&Path)) -> Error {
    let (folder, cache) = (copied("bert"), tempfile::tempdir().unwrap());
    change(folder.path());
    let error = prepared(folder.path(), cache.path()).unwrap_err();
    assert!(error.remedy.is_some(), "{error}");
    assert!(!fs::read_dir(cache.path()).unwrap().any(|entry| entry.unwrap().path().extension().unwrap() == "bin"));
    error
}

#[test]
fn files_that_cannot_be_used_are_named() {
    for file in super::description::REQUIRED {
        let error = refusal(|folder| fs::remove_file(folder.join(file)).unwrap());
        assert_eq!(error.code(), Code::NotFound);
        assert!(error.message.contains(file), "{error}");
    }
    let write = |file: &'static str, content: &'static str| {
        refusal(move |folder| fs::write(folder.join(file), content).unwrap())
    };
    for (error, expected) in [
        (write("config.json", r#"{"model_type": "mpnet"}"#), "config.json"),
        (write("tokenizer.json", "{}"), "tokenizer.json"),
        (write("tokenizer.json", r#"{"model": {"type": "WordLevel", "vocab": {}}}"#), "WordLevel"),
        (write("model.safetensors", "\u{ff}\u{ff}\u{ff}\u{ff}\u{ff}\u{ff}\u{ff}\u{ff}"), "model.safetensors"),
        (write("1_Pooling/config.json", r#"{"pooling_mode": "lasttoken"}"#), "lasttoken"),
        (
            write("1_Pooling/config.json", r#"{"pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true}"#),
            "max_tokens",
        ),
        (write("modules.json", r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#), "Dense"),
        (write("modules.json", "nothing"), "modules.json"),
        (write("tokenizer_config.json", r#"{"model_max_length": 2}"#), "room"),
    ] {
        assert_eq!(error.code(), Code::Config);
        assert!(error.message.contains(expected), "{expected}: {error}");
    }
    let error = refusal(|folder| {
        let file = fs::OpenOptions::new().write(true).open(folder.join("model.safetensors")).unwrap();
        file.set_len(1000).unwrap();
    });
    assert!(error.message.contains("cut short"), "{error}");
    // A vocabulary larger than the table of words: the pieces beyond would have no vector.
    let error = refusal(|folder| {
        let path = folder.join("tokenizer.json");
        let mut tokenizer: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        tokenizer["model"]["vocab"]["beyond"] = 1_999_998.into();
        fs::write(&path, tokenizer.to_string()).unwrap();
    });
    assert!(error.message.contains("more pieces"), "{error}");
}

#[test]
fn older_files_say_the_same_in_other_words() {
    let (folder, cache) = (copied("xlm-roberta"), tempfile::tempdir().unwrap());
    let space = prepared(folder.path(), cache.path()).unwrap().space;
    let write = |file: &str, content: &str| fs::write(folder.path().join(file), content).unwrap();
    write("1_Pooling/config.json", r#"{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}"#);
    write("sentence_bert_config.json", r#"{"max_seq_length": 40, "do_lower_case": false}"#);
    write(
        "modules.json",
        r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]"#,
    );
    fs::remove_file(folder.path().join("tokenizer_config.json")).unwrap();
    assert_eq!(prepared(folder.path(), cache.path()).unwrap().space, space);
}

#[test]
fn models_of_the_e5_family_get_their_prefixes_though_their_files_do_not_say_so() {
    let (folder, cache) = (copied("bert"), tempfile::tempdir().unwrap());
    for (name, expected) in [("multilingual-e5-small", "query: "), ("e5-mistral-instruct", ""), ("made5", "")] {
        let named = folder.path().parent().unwrap().join(format!("{name}-{}", std::process::id())).join(name);
        fs::create_dir_all(named.parent().unwrap()).unwrap();
        let copy = copied("bert").keep();
        fs::rename(copy, &named).unwrap();
        assert_eq!(prepared(&named, cache.path()).unwrap().prefixes.query, expected, "{name}");
        fs::remove_dir_all(named.parent().unwrap()).unwrap();
    }
}

#[test]
fn long_and_strange_texts_give_unit_vectors() {
    for name in ENCODERS {
        let cache = tempfile::tempdir().unwrap();
        let ready = prepared(&original(name), cache.path()).unwrap();
        let model = InProcess::open_brought(&ready, ready.prefixes.clone()).unwrap();
        let long = "é".repeat(1 << 20);
        for text in ["", " ", "\u{0}\u{fffd}\u{202e}", "😀😀", &long, "<pad></s>[MASK]", "\u{1100}\u{1161}\u{301}"]
        {
            let vector = embedded(&model, text, Purpose::Document);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-4, "{name}: {length}");
        }
    }
}

#[test]
fn settings_name_a_folder_an_address_or_the_bundled_model() {
    let of = |id: &str, model: &str| {
        let mut settings = settings(id);
        settings.model = Some(model.to_owned());
        Wanted::of(&settings).map_err(|error| error.code())
    };
    // The host's configuration passes on the model of its own provider: an installation of 0.1.0 with one indexed nothing more.
    let of_others = ["text-embedding-3-small", "nomic-embed-text", ""];
    let own = ["all-minilm-l6-v2", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"];
    for bundled in own.into_iter().chain(of_others) {
        assert_eq!(of("embedded", bundled), Ok(None), "{bundled}");
    }
    assert_eq!(of("openai", "hf:a/b"), Ok(None), "what another provider's model is called is its own business");
    let hub = |owner: &str, name: &str, revision: &str| {
        Ok(Some(Wanted::Hub { owner: owner.into(), name: name.into(), revision: revision.into() }))
    };
    assert_eq!(of("embedded", "hf:intfloat/multilingual-e5-small"), hub("intfloat", "multilingual-e5-small", "main"));
    assert_eq!(of("embedded", "hf:a/b#v1.0"), hub("a", "b", "v1.0"));
    #[cfg(unix)]
    assert_eq!(of("embedded", "/models/e5"), Ok(Some(Wanted::Folder("/models/e5".into()))));
    for wrong in ["hf:only", "hf:a/../b", "hf:a/b#../../x", "hf:a/b?x=1", "hf:/b", "models/e5"] {
        assert_eq!(of("embedded", wrong), Err(Code::Config), "{wrong}");
    }
}

/// A hub with the files of a model; hears what was asked for.
async fn hub(folder: PathBuf, asked: Arc<Mutex<Vec<String>>>) -> MockServer {
    let server = MockServer::start().await;
    let serve = move |request: &Request| {
        let path = request.url.path().to_owned();
        asked.lock().push(path.clone());
        let file = path.strip_prefix("/owner/name/resolve/main/").map(|file| folder.join(file));
        match file.and_then(|file| fs::read(file).ok()) {
            Some(bytes) => ResponseTemplate::new(200).set_body_bytes(bytes),
            None => ResponseTemplate::new(404),
        }
    };
    Mock::given(any()).respond_with(serve).mount(&server).await;
    server
}

#[test]
fn a_model_of_the_hub_is_brought_once_and_only_when_it_is_prepared() {
    let (cache, asked) = (tempfile::tempdir().unwrap(), Arc::<Mutex<Vec<String>>>::default());
    let folder = copied("xlm-roberta");
    fs::remove_file(folder.path().join("modules.json")).unwrap();
    let server = RUNTIME.block_on(hub(folder.path().to_owned(), Arc::clone(&asked)));
    let wanted = Wanted::Hub { owner: "owner".into(), name: "name".into(), revision: "main".into() };
    assert_eq!(ready(&wanted, cache.path()).unwrap(), None);
    assert!(asked.lock().is_empty(), "looking asks nobody");
    let labels = Arc::<Mutex<Vec<String>>>::default();
    let heard = Arc::clone(&labels);
    let watch: Watch = Arc::new(move |label, _| {
        heard.lock().push(label.to_owned());
        true
    });
    let made = RUNTIME.block_on(prepare_from(&wanted, cache.path(), &server.uri(), watch)).unwrap();
    assert!(made.space.starts_with("name@"), "{}", made.space);
    assert!(labels.lock().iter().any(|label| label.contains("Downloading model.safetensors")));
    let count = asked.lock().len();
    assert_eq!(RUNTIME.block_on(prepare_from(&wanted, cache.path(), &server.uri(), quiet())).unwrap(), made);
    assert_eq!(asked.lock().len(), count, "nothing is asked for twice");
    // The same model in a folder is the same space but for its name.
    let local = prepared(folder.path(), cache.path()).unwrap();
    assert_eq!(local.file, made.file);
}

#[test]
fn a_repository_without_weights_is_told_and_what_came_is_kept() {
    let (cache, folder) = (tempfile::tempdir().unwrap(), copied("bert"));
    let weights = folder.path().join("model.safetensors");
    let kept = fs::read(&weights).unwrap();
    fs::remove_file(&weights).unwrap();
    let server = RUNTIME.block_on(hub(folder.path().to_owned(), Arc::default()));
    let wanted = Wanted::Hub { owner: "owner".into(), name: "name".into(), revision: "main".into() };
    let bring = || RUNTIME.block_on(prepare_from(&wanted, cache.path(), &server.uri(), quiet()));
    let error = bring().unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert!(error.message.contains("model.safetensors") && error.message.contains("hf:owner/name"), "{error}");
    fs::write(&weights, kept).unwrap();
    assert!(bring().is_ok());
}

/// The tokenizers crate cuts the same, for what people may write and what they may not.
#[test]
fn unigram_and_word_pieces_are_cut_as_the_tokenizers_crate_cuts_them() {
    for name in ["bert", "xlm-roberta"] {
        let path = original(name).join("tokenizer.json");
        let mut oracle = tokenizers::Tokenizer::from_file(&path).unwrap();
        oracle.with_truncation(None).unwrap();
        oracle.set_encode_special_tokens(true);
        let taken = Taken::read(&fs::read(&path).unwrap(), false).unwrap();
        let pipeline: Pipeline = taken.pipeline(4000).unwrap();
        proptest::proptest!(proptest::prelude::ProptestConfig::default(), |(
            text in "[a-zA-Zéß ,.0-9\u{400}-\u{45f}\u{3041}-\u{3096}\u{4e00}-\u{4e80}\u{ac00}-\u{ac80}\u{1f600}-\u{1f640}]{0,60}"
        )| {
            let expected = oracle.encode(text.as_str(), true).unwrap();
            proptest::prop_assert_eq!(pipeline.encode(&text).unwrap(), expected.get_ids());
        });
    }
}
