//! Pictures and sounds below extra paths: what is sent, what is not, and how they are found.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    index::plan::is_stale,
    services::{
        Lease, OpenCall,
        admin::ForgetCall,
        open,
        searcher::SearchCall,
        testing::{FakeHost, Home, asking, hits, open_call, sync},
    },
    workspace::media_samples::{png, png_of, wav, webp},
};
use embed::{
    BoxFuture,
    callback::{Asked, Callback},
    media::Media,
};
use model::{
    cancel::Cancel,
    error::{Code, Error},
};

/// What the provider was sent.
#[derive(Default, Clone)]
struct Sent {
    media: Arc<Mutex<Vec<Media>>>,
    /// Whether it refuses pictures.
    refuses: Arc<AtomicBool>,
}

impl Sent {
    /// A model for which a picture means what is appended to it.
    fn callback(&self) -> Callback {
        let sent = self.clone();
        Arc::new(move |asked| -> BoxFuture<'static, _> {
            let made = match asked {
                Asked::Texts(texts, _) => Ok(texts.iter().map(|text| meaning(text)).collect()),
                Asked::Media(media) => {
                    sent.media.lock().unwrap().push((*media).clone());
                    let appended = String::from_utf8_lossy(&media.bytes).rsplit('\0').next().unwrap_or("").to_owned();
                    if sent.refuses.load(Ordering::Relaxed) {
                        Err(Error::new(Code::ProviderInput, "cannot read it"))
                    } else {
                        Ok(vec![meaning(&appended)])
                    }
                }
            };
            Box::pin(async move { made })
        })
    }

    /// The texts that came with what was sent since the last call.
    fn take(&self) -> Vec<String> {
        let mut texts: Vec<String> =
            std::mem::take(&mut *self.media.lock().unwrap()).into_iter().map(|media| media.text).collect();
        texts.sort_unstable();
        texts
    }
}

/// Seas and ships mean the same, and everything else something else.
fn meaning(text: &str) -> Vec<f32> {
    let text = text.to_lowercase();
    let about = |words: &[&str]| if words.iter().any(|word| text.contains(word)) { 1.0 } else { 0.05 };
    vec![about(&["sea", "ship", "harbour"]), about(&["cat", "sofa"]), about(&["song", "music"]), 0.1]
}

fn multimodal() -> Value {
    json!({"provider": "bedrock", "model": "m", "extraPaths": ["pics"], "multimodal": {"enabled": true}})
}

async fn open_with(home: &Home, sent: &Sent, search: &Value, takes: bool) -> Lease {
    let mut call = OpenCall {
        host: Some(Arc::new(FakeHost::default().with_embed("bedrock", sent.callback()))),
        ..open_call(home.dir.path(), search)
    };
    call.config["adapterTakesMedia"] = json!(takes);
    open(call).await.unwrap().unwrap()
}

fn put(home: &Home, path: &str, bytes: &[u8]) {
    let path = home.workspace().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, bytes).unwrap();
    // Long enough ago that its time tells whether it changed, and another one each time.
    static WRITTEN: AtomicU64 = AtomicU64::new(0);
    let seconds = 1_700_000_000 + WRITTEN.fetch_add(1, Ordering::Relaxed);
    let at = SystemTime::UNIX_EPOCH + Duration::new(seconds, 5);
    fs::File::options().write(true).open(path).and_then(|file| file.set_modified(at)).unwrap();
}

async fn found(engine: &Lease, query: &str, lexical_only: bool) -> Vec<String> {
    let call = SearchCall { lexical_only, ..asking(query) };
    let hits = engine.searcher.search(call, Cancel::new()).await.unwrap().hits;
    hits.into_iter().map(|hit| hit.path).collect()
}

async fn skipped(engine: &Lease) -> Vec<(String, String)> {
    let skipped = engine.context.store().read(|r| r.skipped()).unwrap();
    let mut skipped: Vec<_> = skipped.into_iter().map(|skip| (skip.path, skip.code)).collect();
    skipped.sort_unstable();
    skipped
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_found_by_its_name_its_caption_and_what_it_shows() {
    let home = Home::new(&[
        ("MEMORY.md", "The boiler is in Leipzig."),
        ("memory/2026-01-02.md", "- Grandmother Gerda in Porto ![](../pics/old/img_01.png)\n"),
    ]);
    put(&home, "pics/old/img_01.png", &png("\0a ship at sea"));
    put(&home, "pics/boiler-manual.png", &png("\0a cat"));
    let sent = Sent::default();
    let engine = open_with(&home, &sent, &multimodal(), true).await;
    sync(&engine).await;
    assert_eq!(sent.take(), ["Image file: pics/boiler-manual.png", "Image file: pics/old/img_01.png"]);
    let hit = hits(&engine, "manual").await.remove(0);
    assert_eq!((hit.path.as_str(), hit.start_line, hit.end_line), ("pics/boiler-manual.png", 1, 1));
    assert_eq!(hit.snippet, "Image file: pics/boiler-manual.png");
    assert!(found(&engine, "Gerda", true).await.contains(&"pics/old/img_01.png".to_owned()));
    assert_eq!(found(&engine, "harbour", true).await, [""; 0], "no word says so");
    assert_eq!(found(&engine, "harbour", false).await[0], "pics/old/img_01.png");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_until_it_is_switched_on_and_nothing_beside_the_notes_ever() {
    let home = Home::new(&[("MEMORY.md", "The boiler is in Leipzig.")]);
    put(&home, "pics/a.png", &png("\0a ship"));
    put(&home, "memory/private.png", &png("\0a cat"));
    let sent = Sent::default();
    let off = json!({"provider": "bedrock", "model": "m", "extraPaths": ["pics", "."]});
    let engine = open_with(&home, &sent, &off, true).await;
    sync(&engine).await;
    assert_eq!(sent.take(), [""; 0]);
    assert!(found(&engine, "pics png", true).await.is_empty());
    engine.release().await;

    let mut on = off;
    on["multimodal"] = json!({"enabled": true, "modalities": ["image"]});
    put(&home, "pics/b.wav", &wav(1, 100));
    let engine = open_with(&home, &sent, &on, true).await;
    sync(&engine).await;
    assert_eq!(sent.take(), ["Image file: pics/a.png"]);
    assert!(found(&engine, "private", true).await.is_empty());
    // Switched off again, what is indexed goes.
    on["multimodal"]["enabled"] = json!(false);
    engine.release().await;
    let engine = open_with(&home, &sent, &on, true).await;
    sync(&engine).await;
    assert!(found(&engine, "pics", true).await.is_empty());
    assert_eq!(sent.take(), [""; 0]);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_has_a_reason_and_is_never_sent() {
    let home = Home::new(&[]);
    put(&home, "MEMORY.md", b"The boiler is in Leipzig.");
    let mut search = multimodal();
    search["multimodal"]["maxFileBytes"] = json!(10_000);
    put(&home, "pics/good.png", &png("\0a ship"));
    put(&home, "pics/huge.png", &[&png("")[..], &[0; 11_000]].concat());
    put(&home, "pics/fake.png", b"# a note that was renamed");
    put(&home, "pics/empty.png", b"");
    put(&home, "pics/cut.png", &png("")[..40]);
    put(&home, "pics/wide.png", &png_of(70_000, 70_000, ""));
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.workspace().join("pics/good.png"), home.workspace().join("pics/link.png")).unwrap();
    let sent = Sent::default();
    let engine = open_with(&home, &sent, &search, true).await;
    for _ in 0..2 {
        sync(&engine).await;
        let mut expected = vec![
            ("pics/cut.png", "wrong-content"),
            ("pics/empty.png", "wrong-content"),
            ("pics/fake.png", "wrong-content"),
            ("pics/huge.png", "too-large"),
            ("pics/wide.png", "wrong-content"),
        ];
        if cfg!(unix) {
            expected.insert(4, ("pics/link.png", "link"));
        }
        let expected: Vec<_> = expected.into_iter().map(|(path, code)| (path.to_owned(), code.to_owned())).collect();
        assert_eq!(skipped(&engine).await, expected);
    }
    assert_eq!(sent.take(), ["Image file: pics/good.png"]);
    let settings = engine.context.settings();
    let stale = is_stale(engine.context.store(), &settings.settings, &Cancel::new()).unwrap();
    assert!(!stale, "a file that is no picture is nothing to do");
    // What becomes a picture is one, and what was one and is none any more is not found.
    put(&home, "pics/fake.png", &png("\0a cat on a sofa"));
    put(&home, "pics/good.png", b"no more");
    sync(&engine).await;
    assert_eq!(sent.take(), ["Image file: pics/fake.png"]);
    assert!(found(&engine, "good", true).await.is_empty());
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_paid_for_is_never_paid_for_again() {
    let home = Home::new(&[("MEMORY.md", "Words."), ("memory/a.md", "A trip ![](../pics/a.png)")]);
    put(&home, "pics/a.png", &png("\0a ship"));
    let sent = Sent::default();
    let engine = open_with(&home, &sent, &multimodal(), true).await;
    sync(&engine).await;
    assert_eq!(sent.take().len(), 1);
    let renamed = "pics/ünïcode 猫.png";
    fs::rename(home.workspace().join("pics/a.png"), home.workspace().join(renamed)).unwrap();
    put(&home, "pics/copy.png", &png("\0a ship"));
    home.write("memory/a.md", "Another trip ![](<../pics/ünïcode 猫.png>)");
    sync(&engine).await;
    assert_eq!(sent.take(), [""; 0], "renamed, copied and captioned anew");
    assert!(found(&engine, "another trip", true).await.contains(&renamed.to_owned()));
    assert_eq!(found(&engine, "pics a.png trip", true).await.iter().filter(|path| *path == "pics/a.png").count(), 0);
    put(&home, renamed, &png("\0a cat on a sofa"));
    fs::remove_file(home.workspace().join("pics/copy.png")).unwrap();
    sync(&engine).await;
    assert_eq!(sent.take(), [format!("Image file: {renamed}")], "a changed picture is another one");
    assert_eq!(found(&engine, "sofa", false).await[0], renamed);
    assert!(found(&engine, "copy", true).await.is_empty(), "removed");
    home.write("memory/a.md", "Nothing is linked.");
    sync(&engine).await;
    assert!(found(&engine, "another trip", true).await.is_empty(), "a caption goes with its note");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_picture_comes_back_neither_by_its_name_nor_as_a_copy() {
    let home = Home::new(&[
        ("MEMORY.md", "The boiler is in Leipzig."),
        ("memory/a.md", "Grandmother Gerda on her trip to Porto ![](../pics/gerda.png)"),
    ]);
    put(&home, "pics/gerda.png", &png("\0a ship"));
    put(&home, "pics/other.png", &png("\0a cat"));
    let engine = open_with(&home, &Sent::default(), &multimodal(), false).await;
    sync(&engine).await;
    let call = ForgetCall { search: Some(asking("Gerda Porto")), ..ForgetCall::default() };
    let report = engine.admin.forget(call).await.unwrap();
    assert_eq!((report.files.as_slice(), report.passages.len()), (&["pics/gerda.png".to_owned()][..], 1), "{report:?}");
    // Without its caption it says something else than what was shown.
    put(&home, "pics/holiday.png", &png("\0a ship"));
    for _ in 0..2 {
        sync(&engine).await;
        let found = found(&engine, "image file gerda holiday pics", true).await;
        assert_eq!(found, ["pics/other.png"]);
    }
    let left_out: Vec<String> = skipped(&engine).await.into_iter().map(|(path, _)| path).collect();
    assert_eq!(left_out, ["pics/gerda.png", "pics/holiday.png"]);
    engine.admin.undo_forget(report.id).await.unwrap();
    sync(&engine).await;
    let mut back = found(&engine, "gerda holiday", true).await;
    back.sort_unstable();
    back.dedup();
    assert!(
        ["memory/a.md", "pics/gerda.png", "pics/holiday.png"].iter().all(|path| back.iter().any(|b| b == path)),
        "{back:?}"
    );
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_of_text_gets_names_and_captions_and_no_bytes() {
    let home = Home::new(&[
        ("MEMORY.md", "The boiler is in Leipzig."),
        ("memory/b.md", "The cat is grey."),
        ("memory/a.md", "A ship ![](../pics/img_1.png)"),
    ]);
    put(&home, "pics/img_1.png", &png("\0a cat"));
    let sent = Sent::default();
    let engine = open_with(&home, &sent, &multimodal(), false).await;
    sync(&engine).await;
    assert_eq!(sent.take(), [""; 0]);
    assert_eq!(engine.context.settings().warnings.len(), 1);
    assert!(found(&engine, "harbour", false).await.contains(&"pics/img_1.png".to_owned()), "by its caption");
    engine.release().await;
    // With one that takes pictures, and without again.
    let engine = open_with(&home, &sent, &multimodal(), true).await;
    sync(&engine).await;
    assert_eq!(sent.take(), ["Image file: pics/img_1.png"]);
    assert!(found(&engine, "sofa", false).await.contains(&"pics/img_1.png".to_owned()), "by what it shows");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_counts_them_and_sends_nothing() {
    let home = Home::new(&[("MEMORY.md", "Words.")]);
    put(&home, "pics/a.png", &png_of(1000, 700, ""));
    put(&home, "pics/b.wav", &wav(1, 16_000));
    put(&home, "pics/c.webp", &webp());
    put(&home, "pics/fake.png", b"no");
    let sent = Sent::default();
    let engine = open_with(&home, &sent, &multimodal(), true).await;
    let answer = engine.indexer.plan(false, false).await.unwrap();
    let plan = &answer["plan"];
    assert_eq!((&plan["files"], &plan["texts"]), (&json!(4), &json!(4)));
    // Words; two tiles; three seconds; one tile.
    assert_eq!(plan["tokens"], 2 + 2 * 258 + 3 * 32 + 258);
    assert_eq!(plan["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(sent.take(), [""; 0]);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_the_provider_refuses_is_left_alone_and_found_by_name() {
    let home = Home::new(&[("MEMORY.md", "Words.")]);
    put(&home, "pics/a.png", &png("\0a ship"));
    let sent = Sent::default();
    sent.refuses.store(true, Ordering::Relaxed);
    let engine = open_with(&home, &sent, &multimodal(), true).await;
    sync(&engine).await;
    sync(&engine).await;
    assert_eq!(sent.take().len(), 1, "asked once");
    assert_eq!(found(&engine, "pics", true).await, ["pics/a.png"]);
    engine.release().await;
}
