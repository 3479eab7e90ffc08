//! What was changed between a preview and its `--apply`.

use super::*;

const CODE: &str = "- The card Vexillon has the code 4821 and lies in the drawer.";
const MORE: &str = "- The tea is sencha and comes from Uji in Japan.";

fn vexillon() -> ForgetCall {
    ForgetCall { search: Some(asking("Vexillon code")), ..ForgetCall::default() }
}

fn two_lines(path: &str) -> ForgetCall {
    about(Target { paths: vec![path.to_owned()], lines: Some((1, 2)), ..Target::default() })
}

// It said "Forgotten, and kept out from now on", and the line was found: its hash was that of the former one.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_was_edited_since_the_preview_is_not_said_to_be_forgotten() {
    let before = format!("# Cards\n\n{CODE}\n{MORE}\n");
    let (home, engine) = indexed(&[("memory/cards.md", &before)]).await;
    let preview = engine.admin.plan_forget(vexillon()).await.unwrap();
    let of_lines = engine.admin.plan_forget(two_lines("memory/cards.md")).await.unwrap();
    home.write("memory/cards.md", &before.replace("the drawer.", "the drawer, top left.").replace("# Cards", "# Bank"));
    for id in [&preview.id, &of_lines.id] {
        let error = engine.admin.apply_forget(id.clone(), false).await.unwrap_err();
        assert_eq!(error.code(), Code::Argument, "{error}");
        assert!(error.message.contains("memory/cards.md has changed since it was shown"), "{error}");
    }
    assert!(engine.admin.forgotten().await.unwrap().is_empty(), "nothing was done");
    sync(&engine).await;
    let preview = engine.admin.plan_forget(vexillon()).await.unwrap();
    engine.admin.apply_forget(preview.id, false).await.unwrap();
    assert!(hits(&engine, "vexillon").await.is_empty(), "a new preview shows the new line");
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_only_moved_are_forgotten_as_they_were_shown() {
    let (home, engine) = indexed(&[("memory/cards.md", &format!("# Cards\n\n{CODE}\n{MORE}\n"))]).await;
    let preview = engine.admin.plan_forget(vexillon()).await.unwrap();
    home.write("memory/cards.md", &format!("\u{feff}# Cards\r\n\r\n{MORE}\r\n- Something new.\r\n  {CODE}\r\n"));
    engine.admin.apply_forget(preview.id, false).await.unwrap();
    assert!(hits(&engine, "vexillon").await.is_empty());
    assert_eq!(hits(&engine, "something new").await.len(), 1);
    engine.release().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_that_is_gone_hinders_nothing_unless_a_short_line_of_it_may_be_elsewhere() {
    let (home, engine) = indexed(&[("memory/cards.md", &format!("{CODE}\n")), ("memory/pin.md", "- pin 4821\n")]).await;
    let lines = |path: &str| about(Target { paths: vec![path.to_owned()], lines: Some((1, 1)), ..Target::default() });
    let telling = engine.admin.plan_forget(lines("memory/cards.md")).await.unwrap();
    let short = engine.admin.plan_forget(lines("memory/pin.md")).await.unwrap();
    for (from, to) in [("memory/cards.md", "memory/bank.md"), ("memory/pin.md", "memory/pins.md")] {
        std::fs::rename(home.workspace().join(from), home.workspace().join(to)).unwrap();
    }
    engine.admin.apply_forget(telling.id, false).await.unwrap();
    assert!(hits(&engine, "vexillon").await.is_empty());
    assert_eq!(engine.admin.apply_forget(short.id, false).await.unwrap_err().code(), Code::Argument);
    engine.release().await;
}

// A named file stays out whatever is written to it.
#[tokio::test(flavor = "multi_thread")]
async fn a_named_file_is_forgotten_whatever_was_written_to_it_meanwhile() {
    let (home, engine) = indexed(&[("memory/private/cards.md", &format!("{CODE}\n"))]).await;
    for path in ["memory/private", "memory/private/cards.md"] {
        let preview = engine.admin.plan_forget(paths(&[path])).await.unwrap();
        home.write("memory/private/cards.md", "- The card Vexillon is lost.\n");
        let report = engine.admin.apply_forget(preview.id, false).await.unwrap();
        assert!(hits(&engine, "vexillon").await.is_empty());
        engine.admin.undo_forget(report.id).await.unwrap();
    }
    engine.release().await;
}

// A line that is cut into several passages is one line of the file.
#[tokio::test(flavor = "multi_thread")]
async fn a_very_long_line_is_forgotten() {
    let long = format!("{CODE} {}", "The garden has roses and more roses. ".repeat(400));
    let (_home, engine) = indexed(&[("memory/cards.md", &format!("# Cards\n\n{long}\n"))]).await;
    let report = forget(&engine, vexillon()).await;
    assert!(hits(&engine, "vexillon").await.is_empty(), "{report:?}");
    engine.release().await;
}
