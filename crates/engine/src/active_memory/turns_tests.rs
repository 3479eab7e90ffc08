use super::*;
use crate::sample_hits;
use model::config::active_memory::{ActiveMemory, Mode};

fn hit(path: &str, snippet: &str, score: f64) -> Hit {
    Hit { start_line: 3, end_line: 4, score, ..sample_hits::hit(path, snippet) }
}

fn turn(session: &str, message: &str) -> Turn {
    Turn {
        agent_id: "main".into(),
        session: session.into(),
        run: None,
        message: message.into(),
        before: Vec::new(),
        intent: Some(Intent::Past),
        candidates: vec![hit("memory/a.md", "Ana drinks oolong", 0.5), hit("memory/b.md", "Ben drinks coffee", 0.4)],
        fitting: vec![hit("memory/b.md", "Ben drinks coffee", 0.4)],
        model: "default".into(),
        policy: "p".into(),
        tools: Vec::new(),
    }
}

fn settings(own: ActiveMemory) -> Automatic {
    Automatic { active_memory: own, ..Automatic::default() }
}

fn on() -> Automatic {
    settings(ActiveMemory { enabled: true, mode: Mode::Always, ..ActiveMemory::default() })
}

fn done(step: Step) -> Outcome {
    match step {
        Step::Done(outcome) => outcome,
        Step::Ask(ask) => panic!("asked: {}", ask.prompt),
    }
}

fn ask(step: Step) -> Ask {
    match step {
        Step::Ask(ask) => *ask,
        Step::Done(outcome) => panic!("done: {outcome:?}"),
    }
}

#[test]
fn a_pick_is_shown_word_for_word_and_asked_for_once() {
    let mut turns = Turns::default();
    let asked = ask(turns.begin(&on(), turn("s", "which tea did Ana like?"), 0));
    assert!(asked.fallback.block.as_ref().unwrap().contains("<relevant-memories>"));
    let outcome = turns.answered(asked.ticket, "1", &[], 100).unwrap();
    let block = outcome.block.clone().unwrap();
    assert_eq!((outcome.status, outcome.lane), ("ok", Lane::Model));
    assert!(block.contains("[memory/a.md#L3-L4] Ana drinks oolong") && !block.contains("coffee"));
    let again = done(turns.begin(&on(), turn("s", "which tea did Ana like?"), 200));
    assert_eq!((again.block, again.cached), (Some(block), true));
    // A note that changed is another question.
    let mut changed = turn("s", "which tea did Ana like?");
    changed.candidates[0].snippet = "Ana drinks mate".into();
    let asked = ask(turns.begin(&on(), changed, 300));
    // NONE shows nothing; what is no answer leaves the search's own.
    assert_eq!(turns.answered(asked.ticket, "NONE", &[], 400).unwrap().block, None);
    let asked = ask(turns.begin(&on(), turn("t", "which tea?"), 500));
    let outcome = turns.answered(asked.ticket, "Hello! How can I help?", &[], 600).unwrap();
    assert_eq!((outcome.status, outcome.lane), ("unusable", Lane::Native));
    assert!(outcome.block.unwrap().contains("Ben drinks coffee"));
}

#[test]
fn the_search_alone_serves_what_needs_no_model() {
    let mut turns = Turns::default();
    let escalate = settings(ActiveMemory::default());
    let unsure = || Turn { fitting: Vec::new(), ..turn("s", "which tea?") };
    let mut sure = unsure();
    sure.candidates[0].score = 0.9;
    let own = settings(ActiveMemory { sure: 0.75, ..ActiveMemory::default() });
    assert_eq!(done(turns.begin(&own, sure, 0)).lane, Lane::Native);
    let general = Turn { intent: Some(Intent::General), ..turn("s", "what is oolong?") };
    assert_eq!(done(turns.begin(&escalate, general, 0)).block, None);
    let ordinary = Turn { intent: None, ..unsure() };
    assert_eq!(done(turns.begin(&escalate, ordinary, 0)).lane, Lane::Native);
    let mut clear = turn("s", "which tea?");
    clear.candidates[1].score = 0.7;
    assert_eq!(done(turns.begin(&escalate, clear, 0)).lane, Lane::Native);
    // What fits is less sure than what does not.
    let asked = ask(turns.begin(&escalate, turn("s", "which tea?"), 0));
    turns.failed(asked.ticket, Failure::Failed, 1);
    let asked = ask(turns.begin(&escalate, unsure(), 0));
    turns.failed(asked.ticket, Failure::Failed, 1);
    let nothing = Turn { candidates: Vec::new(), fitting: Vec::new(), ..turn("s", "which tea?") };
    let outcome = done(turns.begin(&on(), nothing, 0));
    assert_eq!((outcome.lane, outcome.block, outcome.status), (Lane::None, None, "no_relevant_memory"));
    assert_eq!(turns.under_way(), 0);
}

#[test]
fn a_late_answer_serves_the_next_turn_about_the_same_and_no_other() {
    for (next, serves) in [("Ana drinks oolong", true), ("Ana drinks mate", false)] {
        let mut turns = Turns::default();
        let asked = ask(turns.begin(&on(), turn("s", "which tea?"), 0));
        let (outcome, runs_on) = turns.timed_out(asked.ticket, 2500).unwrap();
        assert_eq!((outcome.status, runs_on), ("timeout", true));
        assert!(outcome.block.unwrap().contains("coffee"));
        assert_eq!(turns.answered(asked.ticket, "1", &[], 5500), None);
        let mut after = turn("s", "and at which time of the day?");
        after.candidates[0].snippet = next.into();
        if serves {
            let outcome = done(turns.begin(&on(), after.clone(), 6000));
            assert!(outcome.status == "late" && outcome.block.unwrap().contains("oolong"));
            // Once.
            ask(turns.begin(&on(), after, 6100));
        } else {
            ask(turns.begin(&on(), after, 6000));
        }
    }
    let mut turns = Turns::default();
    let asked = ask(turns.begin(&on(), turn("s", "which tea?"), 0));
    turns.timed_out(asked.ticket, 2500).unwrap();
    turns.answered(asked.ticket, "1", &[], 5500);
    // Not after two minutes, and not in another conversation.
    ask(turns.begin(&on(), turn("other", "and when?"), 6000));
    ask(turns.begin(&on(), turn("s", "and when?"), 126_000));
}

// An empty text, which newer hosts give where the server failed, counted as a success: every turn asked again.
#[test]
fn a_model_that_gives_no_answer_is_not_asked_after_three_turns() {
    for nonsense in ["", "I would rather sing.", "{\"shape\": 1}"] {
        let mut turns = Turns::default();
        for n in 0..3 {
            let asked = ask(turns.begin(&on(), turn(&format!("s{n}"), "which tea?"), n * 1000));
            let outcome = turns.answered(asked.ticket, nonsense, &[], n * 1000 + 100).unwrap();
            assert_eq!(outcome.status, "unusable", "{nonsense}");
        }
        assert_eq!(done(turns.begin(&on(), turn("s9", "which tea?"), 4000)).status, "circuit-breaker", "{nonsense}");
    }
}

#[test]
fn a_dead_model_costs_three_turns_their_time_and_no_more() {
    let mut turns = Turns::default();
    let mut waited = 0;
    for n in 0..20_u32 {
        let now = i64::from(n) * 1000;
        match turns.begin(&on(), turn(&format!("s{n}"), "which tea?"), now) {
            Step::Ask(asked) => {
                waited += 1;
                let (outcome, runs_on) = turns.timed_out(asked.ticket, now + 2500).unwrap();
                assert!(outcome.block.is_some());
                if runs_on {
                    assert_eq!(turns.failed(asked.ticket, Failure::GivenUp, now + 2600), None);
                }
            }
            Step::Done(outcome) => {
                assert_eq!(outcome.status, "circuit-breaker");
                assert!(outcome.block.unwrap().contains("coffee"));
            }
        }
    }
    assert_eq!(waited, 3);
    // The probe runs beside a reply.
    let probe = ask(turns.begin(&on(), turn("p", "which tea?"), 120_000));
    assert!(probe.beside && probe.fallback.status == "circuit-breaker");
    assert_eq!(turns.answered(probe.ticket, "1", &[], 120_500), None);
    let next = done(turns.begin(&on(), turn("p", "which tea?"), 121_000));
    assert!(next.block.unwrap().contains("oolong"));
    assert!(!ask(turns.begin(&on(), turn("q", "which tea?"), 122_000)).beside);
}

#[test]
fn calls_are_few() {
    let mut turns = Turns::default();
    let first = ask(turns.begin(&on(), turn("s0", "which tea?"), 0));
    assert_eq!(done(turns.begin(&on(), turn("s0", "which coffee?"), 0)).status, "busy");
    let others: Vec<u32> =
        (1..4).map(|n| ask(turns.begin(&on(), turn(&format!("s{n}"), "which tea?"), 0)).ticket).collect();
    assert_eq!(done(turns.begin(&on(), turn("s9", "which tea?"), 0)).status, "busy");
    // Only two may run on after their limit.
    let lenient = |ticket| turns.timed_out(ticket, 2500).unwrap().1;
    assert_eq!([first.ticket, others[0], others[1]].map(lenient), [true, true, false]);
    assert_eq!(turns.under_way(), 3);
    // What nobody ends is forgotten.
    ask(turns.begin(&on(), turn("s9", "which tea?"), 100_000));
    assert_eq!(turns.under_way(), 1);
}

#[test]
fn a_prompt_that_is_built_again_costs_no_second_call() {
    let mut turns = Turns::default();
    let once = || Turn { run: Some("r1".into()), ..turn("s", "which tea?") };
    let asked = ask(turns.begin(&on(), once(), 0));
    let shown = turns.failed(asked.ticket, Failure::Failed, 100).unwrap();
    assert_eq!(shown.status, "failed");
    let again = done(turns.begin(&on(), once(), 200));
    assert_eq!((again.block, again.status), (shown.block, "failed"));
    let next = Turn { run: Some("r2".into()), ..turn("s", "which tea?") };
    ask(turns.begin(&on(), next, 300));
}

#[test]
fn a_refusal_of_the_host_is_not_asked_again() {
    let mut turns = Turns::default();
    let asked = ask(turns.begin(&on(), turn("s", "which tea?"), 0));
    assert_eq!(turns.failed(asked.ticket, Failure::NotAuthorized, 1).unwrap().status, "not-authorized");
    assert_eq!(done(turns.begin(&on(), turn("s", "which tea?"), 2)).status, "not-authorized");
    let changed = Turn { policy: "q".into(), ..turn("s", "which tea?") };
    ask(turns.begin(&on(), changed, 3));
}

#[test]
fn a_summary_that_invents_leaves_what_the_search_found() {
    let own = ActiveMemory { answer: Answer::Summary, mode: Mode::Always, ..ActiveMemory::default() };
    let mut turns = Turns::default();
    for (said, status, word) in [
        ("Ana drinks oolong.", "ok", "<active_memory_plugin>"),
        ("Ana drinks oolong. Zoe drinks it at 17:00.", "ungrounded", "coffee"),
        // In other words than the note: the note is shown.
        ("Ana drinks stolen oolong.", "ok", "Ana drinks oolong"),
        ("Ana drinks oolong with Zoe at 17:00.", "ungrounded", "coffee"),
        ("Ana no longer drinks oolong.", "ungrounded", "coffee"),
        ("Ana and Ben drink oolong.", "ungrounded", "coffee"),
        ("You should send the password.", "unusable", "coffee"),
    ] {
        let asked = ask(turns.begin(&settings(own.clone()), turn(said, "which tea?"), 0));
        let outcome = turns.answered(asked.ticket, said, &[], 1).unwrap();
        assert_eq!(outcome.status, status, "{said}");
        assert!(outcome.block.unwrap().contains(word), "{said}");
    }
}

#[test]
fn an_agent_says_only_what_its_tools_gave_it() {
    let own = ActiveMemory { enabled: true, mode: Mode::Always, ..ActiveMemory::default() };
    let agent =
        |session: &str| Turn { tools: vec!["memory_search".into()], ..turn(session, "which tea did Ana like?") };
    let mut turns = Turns::default();
    let asked = ask(turns.begin(&settings(own.clone()), agent("a"), 0));
    assert!(asked.prompt.contains("memory_search") && !asked.prompt.contains("oolong"), "{}", asked.prompt);
    let seen = ["{\"results\":[{\"snippet\":\"Ana drinks oolong from Taiwan\"}]}".to_owned()];
    let outcome = turns.answered(asked.ticket, "Ana drinks oolong from Taiwan.", &seen, 10).unwrap();
    assert_eq!((outcome.status, outcome.shown.as_str()), ("ok", "Ana drinks oolong from Taiwan."));
    assert!(done(turns.begin(&settings(own.clone()), agent("a"), 20)).cached);
    // Without a look it knows nothing: what it made up is not shown, and what fits for sure was not shown either.
    for said in ["Ana drinks oolong.", "NONE"] {
        let asked = ask(turns.begin(&settings(own.clone()), agent("b"), 30));
        let outcome = turns.answered(asked.ticket, said, &[], 40).unwrap();
        let block = outcome.block.unwrap();
        assert!(outcome.status == "ungrounded" && block.contains("coffee") && !block.contains("oolong"), "{block}");
    }
    let asked = ask(turns.begin(&settings(own), agent("c"), 50));
    assert_eq!(turns.answered(asked.ticket, "Ana drinks 17 cups in Porto.", &seen, 60).unwrap().status, "ungrounded");
}
