//! What a search for words leaves.

use super::*;

async fn grubbs(count: usize) -> (Home, Lease) {
    let notes: Vec<(String, String)> = (0..count)
        .map(|n| {
            let said = format!("- On day {n} Bartholomew Grubb called about matter number {}.\n", n * 7);
            (format!("memory/note-{n}.md"), format!("# Note {n}\n\n{said}- Grubb of Bath was not there.\n"))
        })
        .collect();
    let files: Vec<_> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    indexed(&files).await
}

fn grubb(most: Option<usize>) -> ForgetCall {
    let search = SearchCall { max_results: most, ..asking("Bartholomew Grubb") };
    ForgetCall { search: Some(search), ..ForgetCall::default() }
}

// Twelve lines went of three hundred, and it said "Forgotten, and kept out from now on".
#[tokio::test(flavor = "multi_thread")]
async fn what_holds_the_words_and_stays_is_counted() {
    let (_home, engine) = grubbs(60).await;
    let preview = engine.admin.plan_forget(grubb(None)).await.unwrap();
    let named =
        |report: &ForgetReport| report.passages.iter().filter(|passage| passage.text.contains("Bartholomew")).count();
    assert!(named(&preview) >= 1);
    assert_eq!(preview.more, 60 - named(&preview), "{:?}", preview.passages);
    let done = engine.admin.apply_forget(preview.id, false).await.unwrap();
    assert_eq!(done.more, preview.more);
    // The number that the text names takes them all, also those that say nearly the same.
    let all = engine.admin.plan_forget(grubb(Some(done.passages.len() + done.more))).await.unwrap();
    assert_eq!((all.more, named(&all)), (0, done.more));
    engine.admin.apply_forget(all.id, false).await.unwrap();
    assert!(hits(&engine, "Bartholomew").await.is_empty());
    engine.release().await;
}

// In the wish of a search nothing else is looked for.
#[tokio::test(flavor = "multi_thread")]
async fn what_lies_elsewhere_than_was_searched_is_not_counted_nor_taken() {
    let (_home, engine) = grubbs(10).await;
    let mut call = grubb(Some(50));
    call.search.as_mut().unwrap().wish.paths = vec!["memory/note-3.md".into(), "memory/note-4.md".into()];
    let preview = engine.admin.plan_forget(call).await.unwrap();
    let paths: std::collections::BTreeSet<&str> = preview.passages.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        (paths.into_iter().collect::<Vec<_>>(), preview.more),
        (vec!["memory/note-3.md", "memory/note-4.md"], 0)
    );
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_shares_a_word_or_goes_with_the_same_line_is_not_counted() {
    let line = "- The safe in the attic opens with Wobbelkraut.";
    let mut files: Vec<(String, String)> =
        (0..40).map(|n| (format!("memory/copy-{n}.md"), format!("# Copy {n}\n\n{line}\n"))).collect();
    files.push(("memory/attic.md".into(), "# Attic\n\nThe attic has a window.\n".into()));
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_home, engine) = indexed(&files).await;
    let call = ForgetCall { search: Some(asking("safe attic Wobbelkraut")), ..ForgetCall::default() };
    let preview = engine.admin.plan_forget(call).await.unwrap();
    assert_eq!(preview.more, 0, "{preview:?}");
    engine.release().await;
}
