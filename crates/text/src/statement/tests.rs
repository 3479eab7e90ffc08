use super::*;

fn today() -> Date {
    jiff::civil::date(2026, 11, 20)
}

fn verdict(text: &str) -> &'static str {
    judge(text, today(), "Europe/Lisbon").map_or_else(Flaw::code, |()| "ok")
}

#[test]
fn statements_that_last_pass_in_many_languages() {
    for text in [
        "Release planning uses the staging calendar.",
        "Invoices go out on the 5th of the month",
        "Mara owns the roof repair and the garden.",
        "I prefer tea over coffee in the morning",
        "My passport expires in 2031.",
        "Never book meetings before nine in the morning",
        "Always answer in Portuguese, keep it short.",
        "The team meets every Monday at 10:00.",
        "We moved to Porto in March 2021.",
        "My birthday is on the 14th of March",
        "The staging server runs PostgreSQL 17 on port 5433.",
        "Ich wohne seit zehn Jahren in Graz und arbeite als Lehrerin.",
        "O portão da garagem abre com o código 4711.",
        "Nous utilisons le calendrier partagé pour les vacances.",
        "Я живу в Праге и работаю учителем.",
        "我不喜欢喝咖啡，喜欢喝绿茶。",
        "鍵は植木鉢の下に置いてあります。",
        "우리 팀은 매주 월요일에 회의를 해요.",
    ] {
        assert_eq!(verdict(text), "ok", "{text}");
    }
}

#[test]
fn everything_else_is_told_by_name() {
    for (text, code) in [
        ("Staging calendar", "too-short"),
        ("Release planning staging calendar overview notes", "fragment"),
        ("The plan for the roof and the garden", "fragment"),
        ("Reviewed the inbox and found nothing of note.", "fragment"),
        ("Working on the roof with the others.", "fragment"),
        ("What we know about the roof so far:", "lead-in"),
        ("The roof is repaired by:", "lead-in"),
        ("Does the gate open with the old code?", "question"),
        ("Is it the blue or the green folder", "question"),
        ("Call Ana about the broken gate", "command"),
        ("Fix the login bug before the release", "command"),
        ("[ ] Call Ana about the broken gate", "fragment"),
        ("The roof still needs a second coat of paint.", "transient"),
        ("I will call the plumber about the leak.", "transient"),
        ("We met the plumber yesterday about the leak.", "transient"),
        ("The dentist appointment is on 2026-11-24 at 10:00.", "transient"),
        ("The dentist appointment is on Monday at 10.", "transient"),
        ("The build is currently broken on main.", "transient"),
        ("It uses the staging calendar for planning.", "needs-context"),
        ("They moved to the blue office in spring.", "needs-context"),
        ("npm install --save-dev vitest in the workspace", "code"),
        ("const total = items.reduce((a, b) => a + b, 0);", "code"),
        ("SELECT name FROM users WHERE id is not null", "code"),
        ("{\"role\": \"user\", \"content\": \"I like the blue one\"}", "data"),
        ("| Name | Owner | When |", "fragment"),
        ("2026-11-20T03:00:01Z WARN the queue is full", "log"),
        ("thread 'main' panicked at src/main.rs:10:5 with no message", "log"),
        ("ERROR: the connection to the server was refused", "log"),
        ("See https://example.com/a/b?c=d for this", "url"),
        ("src/main.rs src/lib.rs and tests/all.rs are the files", "path-list"),
        ("User: I like the blue one more than the green", "transcript"),
        ("[agent/sessions/a/s#L12] User: I like the blue one", "transcript"),
        ("Assistant: The gate opens with the code.", "transcript"),
        ("[Thu 2026-11-19 09:15 UTC] the gate is open for the plumber", "transcript"),
        ("Read HEARTBEAT.md if it exists and follow it", "transcript"),
        ("Mara owns the roof [score=0.81 signals=6 recalls=4 avg=0.66]", "metadata"),
        ("Candidate: the gate opens with the code.", "metadata"),
        ("Possible Lasting Truths: the user likes the blue one.", "metadata"),
        ("(and the gate opens with the old code.", "fragment"),
    ] {
        assert_eq!(verdict(text), code, "{text}");
    }
}

#[test]
fn a_sentence_without_its_subject_is_known() {
    assert!(lacks_subject("Prefers tea over coffee in the morning."));
    assert!(lacks_subject("Mora no Porto desde 2021."));
    assert!(!lacks_subject("Ana prefers tea over coffee."));
}

proptest::proptest! {
    #[test]
    fn whatever_it_is_given_it_answers(text in "\\PC{0,200}") {
        let _ = judge(&text, today(), "Europe/Lisbon");
        let _ = lacks_subject(&text);
    }
}
