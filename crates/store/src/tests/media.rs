//! Pictures and sounds, for any backend.

use super::*;
use crate::{
    embeddings::NewEmbedding,
    files::{Hash, NewChunk, NewFile},
    media::{is_media, media_hash},
};

fn put(tx: &Tx<'_>, path: &str, hash: Hash, text: &str) {
    let live = tx.begin_building("v1").unwrap();
    let file = NewFile { source: "memory", path, hash, mtime_ns: 1, size: 1, lines: 1, terms: 1 };
    let chunk = NewChunk {
        start_line: 1,
        end_line: 1,
        hash,
        text: text.into(),
        line_terms: Vec::new(),
        fts_terms: "word".into(),
    };
    tx.replace_file(live.id, &file, &[chunk]).unwrap();
}

fn pictures_are_told_from_texts_by_their_hash<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let picture = media_hash(&[9; 32]);
    assert!(is_media(&picture) && !is_media(&[9; 32]) && !is_media(&[0; 32]));
    let space = fixture
        .store
        .write(move |tx| {
            put(tx, "memory/a.md", [1; 32], "a note with ![it](pics/a.png)");
            put(tx, "/x/a.png", picture, "Image file: /x/a.png");
            put(tx, "/x/b.png", picture, "Image file: /x/b.png");
            put(tx, "/x/c.webp", [2; 32], "Image file: /x/c.webp");
            tx.get_or_create_space("s")
        })
        .unwrap();
    fixture
        .store
        .read(|r| {
            let live = r.live()?.unwrap().id;
            let texts = r.unembedded_texts(live, space.id, None, 10)?;
            assert_eq!(texts.iter().map(|text| text.hash).collect::<Vec<_>>(), [[1; 32], [2; 32]]);
            let media = r.missing_media(live, space.id, None, 10)?;
            assert_eq!(media.len(), 1, "equal bytes are embedded once");
            assert_eq!((media[0].hash, media[0].path.as_str()), (picture, "/x/a.png"));
            assert!(r.missing_media(live, space.id, Some(&picture), 10)?.is_empty());
            assert_eq!(r.missing_embeddings(live, space.id, None, 10)?.len(), 3);
            let files: Vec<_> = r.media_files(live, "memory")?.into_iter().map(|file| file.path).collect();
            assert_eq!(files, ["/x/a.png", "/x/b.png", "/x/c.webp"]);
            let mut linking = Vec::new();
            r.for_each_linking_text(live, "memory", |path, text| linking.push((path.to_owned(), text.to_owned())))?;
            assert_eq!(linking, [("memory/a.md".to_owned(), "a note with ![it](pics/a.png)".to_owned())]);
            Ok(())
        })
        .unwrap();
}

// Its vector is no vector of its text: the check for a swapped model would have found one at every start.
fn a_picture_is_no_sample_and_has_no_lines<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let picture = media_hash(&[9; 32]);
    let space = fixture
        .store
        .write(move |tx| {
            put(tx, "/x/a.png", picture, "Image file: /x/a.png");
            put(tx, "memory/a.md", [1; 32], "a note");
            let space = tx.get_or_create_space("s")?;
            let vector = |hash| NewEmbedding { hash, vector: vec![1.0, 0.0] };
            tx.insert_embeddings(space.id, &[vector(picture), vector([1; 32])])?;
            Ok(space)
        })
        .unwrap();
    fixture
        .store
        .read(|r| {
            let live = r.live()?.unwrap().id;
            let samples = r.samples(live, space.id, 100, 10)?;
            assert_eq!(samples.iter().map(|sample| sample.text.as_str()).collect::<Vec<_>>(), ["a note"]);
            assert_eq!(r.pending_lines(live, Some(space.id))?, 1);
            assert_eq!(r.coverage(live, space.id)?.embedded, 2);
            Ok(())
        })
        .unwrap();
}

for_every_backend!(pictures_are_told_from_texts_by_their_hash, a_picture_is_no_sample_and_has_no_lines);
