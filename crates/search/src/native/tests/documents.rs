//! Pages of documentation, and a user's notes beside them.

use super::*;

/// So many pages that know of keys, in a folder of their own.
fn pages(of: usize) -> Vec<(String, String)> {
    let page = |n: usize| {
        let text = format!("# Keys {n}\n\nThe key {n} of a spare gateway is rotated.\nWhere is it? In the store.\n");
        (format!("memory/docs/keys-{n}.md"), text)
    };
    (0..of).map(page).collect()
}

fn with_notes(pages: &[(String, String)], notes: &[(&str, &str)]) -> Workspace {
    let pages = pages.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    Workspace::of(&pages.chain(notes.iter().copied()).collect::<Vec<_>>())
}

// A thousand pages know of keys: the one note about the key at home was not even looked at.
#[test]
fn a_note_among_pages_that_share_its_words_has_a_place() {
    let notes = [("memory/home.md", "- Bins go out on Tuesday.\n- The second key hangs in the cupboard.")];
    let workspace = with_notes(&pages(90), &notes);
    let place = |query: &str| workspace.search(query).iter().position(|hit| hit.path == "memory/home.md");
    assert_eq!(place("where is the spare key"), Some(own_notes::PLACE));
    assert_eq!(place("when do the bins go out"), Some(0), "what comes first anyway stays there");
    assert_eq!(place("how is a gateway rotated"), None, "no place for what has nothing of the question");
    // The same whatever number is asked for, and once.
    let ask = |most| workspace.ask(&request("where is the spare key", most), &settings(), None).hits;
    let twenty = ask(20);
    assert_eq!(twenty.iter().filter(|hit| hit.path == "memory/home.md").count(), 1);
    for most in [1, 3, 8] {
        let paths = |hits: Vec<Hit>| hits.into_iter().take(most).map(|hit| hit.path).collect::<Vec<_>>();
        assert_eq!(paths(ask(most)), paths(twenty.clone()), "{most}");
    }
    assert!(twenty.is_sorted_by(|a, b| a.score >= b.score));
}

#[test]
fn what_a_page_is_about_counts_on_all_of_it() {
    let page =
        |title: &str| format!("---\ntitle: \"{title}\"\n---\n\n## Limits\n\nAt most ten of them are sent together.\n");
    let (albums, invoices) = (page("Telegram albums"), page("Slack invoices"));
    let workspace = Workspace::of(&[("memory/docs/b.md", &albums), ("memory/docs/a.md", &invoices)]);
    let hits = workspace.search("how many albums are sent together");
    assert_eq!(hits[0].path, "memory/docs/b.md");
    assert!(hits[0].snippet.contains("At most ten"), "{hits:?}");
}

#[test]
fn front_matter_comes_after_what_it_describes() {
    let text =
        "---\nsummary: \"Rotate the key of a gateway\"\n---\n\nfiller\n\nTo rotate the key of a gateway, restart it.\n";
    let long = format!("{text}{}", "\nNothing else is said about any of it, at great length.".repeat(20));
    let workspace = Workspace::of(&[("memory/docs/a.md", &long)]);
    let first = &workspace.search("rotate the key of a gateway")[0];
    assert!(first.snippet.contains("restart it"), "{}", first.snippet);
    // Without anything else it is found all the same.
    let alone =
        Workspace::of(&[("memory/docs/a.md", "---\nsummary: \"Rotate the key of a gateway\"\n---\n\nnothing\n")]);
    assert_eq!(alone.search("rotate the key of a gateway").len(), 1);
}

// "Wie viele" is on no English page, and outweighed the one word that is.
#[test]
fn words_that_no_page_could_have_do_not_outweigh_those_that_it_has() {
    let english = [
        (
            "memory/docs/media.md",
            "Photos are grouped into Telegram albums of up to 10 images, in the order that they have.",
        ),
        ("memory/docs/other.md", "The gateway is restarted when it has been idle for a while."),
    ];
    let workspace = Workspace::of(&english);
    for query in
        ["Wie viele Bilder passen höchstens in ein Telegram-Album?", "Quantas fotos cabem num álbum do Telegram?"]
    {
        assert_eq!(
            workspace.search(query).first().map(|hit| hit.path.as_str()),
            Some("memory/docs/media.md"),
            "{query}"
        );
    }
    // Where notes are in that language they could.
    let german = Workspace::of(&[
        ("memory/a.md", "Das Album ist bei der Oma."),
        ("memory/b.md", "Die Katze ist im Garten, das Album im Schrank."),
        ("memory/c.md", "Ein Album ist noch leer."),
    ]);
    assert!(german.search("Wie viele passen höchstens in so ein Album?").is_empty());
}
