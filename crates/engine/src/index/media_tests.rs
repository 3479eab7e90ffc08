use std::path::Path;

use super::{Captions, caption, content_hash, links};
use crate::workspace::roots::{Limits, Roots};
use model::config::multimodal::{Multimodal, Takes};
use store::{
    files::FileRow,
    ids::FileId,
    media::{MediaFile, is_media},
};

fn shown(line: &str) -> Vec<(String, String)> {
    links(line).into_iter().map(|link| (link.target, link.shown)).collect()
}

#[test]
fn links_of_markdown_and_of_wikis_are_read() {
    for (line, target, words) in [
        ("![the cat](pics/cat.png)", "pics/cat.png", "the cat"),
        ("[cat](<my pics/cat 1.png> \"title\")", "my pics/cat 1.png", "cat"),
        ("![](cat(1).png \"title\")", "cat(1).png", ""),
        ("![[cat.png]]", "cat.png", ""),
        ("![[pics/cat.png|the cat]]", "pics/cat.png", "the cat"),
        ("![[cat.png|300x200]]", "cat.png", ""),
    ] {
        assert_eq!(shown(line), [(target.to_owned(), words.to_owned())], "{line}");
    }
    assert_eq!(shown("a [x](a.png) and ![y](b.png)").len(), 2);
    for line in ["[not a link]", "[a](", "[[open", "a ] b ( c )", "[", "![", "[a](<b)", "ünïcöde [ü"] {
        assert!(shown(line).is_empty(), "{line}");
    }
}

#[test]
fn a_caption_is_the_line_without_the_markup_of_the_link() {
    let of = |line: &str| caption(line, &links(line)[0]);
    assert_eq!(of("- Mia on the sofa ![](cat.png)").as_deref(), Some("Mia on the sofa"));
    assert_eq!(of("> see ![the cat](cat.png) asleep").as_deref(), Some("see the cat asleep"));
    assert_eq!(of("![](cat.png)"), None);
    assert_eq!(of("- ![](cat.png) …"), None);
    assert_eq!(of("猫 ![](cat.png)").as_deref(), Some("猫"));
    assert_eq!(of(&format!("{} ![](cat.png)", "long ".repeat(100))).map(|text| text.chars().count()), Some(240));
}

fn file(path: &str) -> MediaFile {
    let row = FileRow { id: FileId::new(1), hash: [0; 32], mtime_ns: 0, size: 0, lines: 1, terms: 0 };
    MediaFile { path: path.into(), row, hash: [0; 32], text: String::new() }
}

#[test]
fn a_link_leads_where_its_note_says() {
    let extra = ["pics".to_owned(), "/srv".to_owned()];
    let mut roots = Roots::new(Path::new("/ws"), &extra, Limits::default());
    roots.media = Some(Multimodal { image: true, audio: true, max_file_bytes: 9, takes: Takes::Text });
    let files = ["pics/cat.png", "pics/my dog.png", "/srv/x/üñ 猫.mp3", "/srv/a/two.png", "/srv/b/two.png"].map(file);
    let mut captions = Captions::of(&roots, &files);
    captions.read("memory/2026-01-02.md", "- Mia ![](../pics/cat.png)\n- Rex ![](../pics/my%20dog.png)");
    captions.read("memory/2026-01-02.md", "- Mia ![](../pics/cat.png)");
    captions.read(
        "MEMORY.md",
        "The cat is [here](pics/cat.png).\nSong: [[üñ 猫.mp3]]\nTwo: ![[two.png]]\nB: ![[b/two.png]]",
    );
    captions.read("MEMORY.md", "Elsewhere: [cat](https://example.org/pics/other.png)");
    let found = captions.found();
    assert_eq!(found["pics/cat.png"], ["The cat is here .", "Mia"]);
    assert_eq!(found["pics/my dog.png"], ["Rex"]);
    assert_eq!(found["/srv/x/üñ 猫.mp3"], ["Song:"]);
    assert_eq!(found["/srv/b/two.png"], ["B:"]);
    assert!(!found.contains_key("/srv/a/two.png"), "a name that two have");
}

#[test]
fn a_vector_is_found_by_type_and_bytes() {
    let hash = content_hash("image/png", b"x");
    assert!(is_media(&hash));
    assert_eq!(hash, content_hash("image/png", b"x"));
    assert_ne!(hash, content_hash("image/png", b"y"));
    assert_ne!(hash, content_hash("image/gif", b"x"));
}
