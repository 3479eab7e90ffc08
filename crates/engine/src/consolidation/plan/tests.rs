use store::consolidation::Use;

use super::*;
use crate::consolidation::{
    evidence::claim_of,
    section::{BEGIN, END, HEADING},
};

const DAY: Date = jiff::civil::date(2026, 11, 20);
const DAY_MS: i64 = 86_400_000;
/// Noon of that day.
const NOW: i64 = 1_795_176_000_000;

/// A claim that was met on three days, `ago` days back the last time.
fn met(text: &str, ago: i64) -> Evidence {
    let first = claim_of(&claim_id(text).unwrap(), text, "memory/2026-11-18.md", 1, "agent", NOW - 30 * DAY_MS);
    let claim = Claim { last_ms: NOW - ago * DAY_MS, ..first };
    let used = |n: usize| Use { kind: kind::QUERY.to_owned(), mark: format!("q{n}"), day: format!("2026-11-1{n}") };
    Evidence { claim, uses: (0..3).map(used).collect() }
}

struct Case<'a> {
    memory: &'a str,
    user: &'a str,
    archive: &'a str,
    settings: Consolidation,
    max_chars: usize,
}

impl Default for Case<'_> {
    fn default() -> Self {
        Self { memory: "", user: "", archive: "", settings: Consolidation::default(), max_chars: 10_000 }
    }
}

impl Case<'_> {
    fn plan(&self, evidence: Vec<Evidence>) -> Plan {
        plan(Input {
            run_id: "r".to_owned(),
            evidence,
            path: "MEMORY.md",
            memory: Some(self.memory),
            user: self.user,
            archive: self.archive,
            settings: &self.settings,
            max_chars: self.max_chars,
            today: DAY,
            zone: "UTC",
            stands: &|claim| !claim.text.contains("gone"),
            written: HashMap::new(),
            embed: &|texts| texts.iter().map(|_| Some(vec![1.0, 0.0])).collect(),
        })
        .unwrap()
    }
}

fn texts(plan: &Plan) -> Vec<&str> {
    plan.add.iter().map(|addition| addition.text.as_str()).collect()
}

fn refusals(plan: &Plan) -> Vec<(&str, &str)> {
    plan.refused.iter().map(|refused| (refused.text.as_str(), refused.code.as_str())).collect()
}

fn section(entries: &[(&str, &str)]) -> String {
    let lines: String = entries
        .iter()
        .map(|(text, date)| {
            let id: String = claim_id(text).unwrap().chars().take(MARK_CHARS).collect();
            format!("{}\n", entry_line(&id, text, date.parse().unwrap(), None, None))
        })
        .collect();
    format!("{HEADING}\n{BEGIN}\n{lines}{END}\n")
}

const INVOICES: &str = "Invoices go out on the 5th of the month.";
const ROOF: &str = "Mara owns the repair of the roof.";

#[test]
fn what_was_proven_becomes_an_entry_and_nothing_twice() {
    let same = met("invoices go out on the 5th of the month", 3);
    let plan = Case::default().plan(vec![
        met(INVOICES, 2),
        same,
        met(ROOF, 1),
        met("The shed is gone for good, said Mara.", 1),
    ]);
    assert_eq!(texts(&plan), [ROOF, INVOICES]);
    assert_eq!(refusals(&plan), [("The shed is gone for good, said Mara.", "gone")]);
    assert_eq!(plan.add[0].sources[0].path, "memory/2026-11-18.md");
}

#[test]
fn paraphrases_are_one_claim_that_both_speak_for() {
    let mut one = met("The invoices are stored in the blue folder.", 1);
    let mut other = met("Invoices are stored in blue folders.", 2);
    one.uses.truncate(1);
    other.uses.remove(0);
    other.uses.truncate(2);
    let plan = Case::default().plan(vec![one, other]);
    assert_eq!((plan.add.len(), plan.add[0].uses, plan.add[0].claims.len()), (1, 3, 2));
}

#[test]
fn strangers_words_neither_become_an_entry_nor_speak_for_one() {
    let mut strange = met("The invoices are stored in the blue folder.", 1);
    strange.claim.origin = "untrusted".to_owned();
    let mut own = met("Invoices are stored in blue folders.", 1);
    own.uses.truncate(1);
    let plan = Case::default().plan(vec![strange, own]);
    let mut codes: Vec<&str> = refusals(&plan).into_iter().map(|(_, code)| code).collect();
    codes.sort_unstable();
    assert_eq!((plan.add.len(), codes), (0, vec!["few-days", "origin"]));
}

#[test]
fn what_memory_holds_is_strengthened_or_left_out() {
    let memory = format!("# Me\nMara owns the repair of our roof.\n\n{}", section(&[(INVOICES, "2026-10-01")]));
    let case = Case {
        memory: &memory,
        user: "- I drink tea in the morning, never coffee.",
        archive: "- The garden gate has the code of 1999. <!-- mcrs: aaaa0001 2026-09-01 -->",
        ..Case::default()
    };
    let plan = case.plan(vec![
        met(INVOICES, 1),
        met(ROOF, 1),
        met("I drink tea in the morning, never coffee.", 1),
        met("The garden gate has the code of 1999.", 1),
    ]);
    assert!(plan.add.is_empty());
    assert!(refusals(&plan).iter().all(|(_, code)| *code == "known"), "{:?}", refusals(&plan));
    assert_eq!(plan.strengthen.len(), 1);
}

#[test]
fn what_was_said_later_is_true_now() {
    let old = "The limit for travel invoices is 400 euros.";
    let new = "The limit for travel invoices is 500 euros.";
    let plan = Case::default().plan(vec![met(old, 9), met(new, 1)]);
    assert_eq!(texts(&plan), [new]);
    assert_eq!(refusals(&plan), [(old, "superseded")]);
    // An entry goes to the archive, as far as a run may move entries at all; a line of the user stays, and wins.
    let four = [
        (old, "2026-10-01"),
        (ROOF, "2026-10-01"),
        ("The yard has a gate of iron.", "2026-10-01"),
        ("The attic is used by Jonas.", "2026-10-01"),
    ];
    let memory = section(&four);
    let plan = Case { memory: &memory, ..Case::default() }.plan(vec![met(new, 1)]);
    assert_eq!((texts(&plan), plan.moved.len(), plan.moved[0].reason.as_str()), (vec![new], 1, "replaced"));
    let plan =
        Case { memory: "The limit for travel invoices is 400 euros.\n", ..Case::default() }.plan(vec![met(new, 1)]);
    assert_eq!(refusals(&plan), [(new, "contradicts")]);
}

#[test]
fn what_was_withdrawn_stays_out_in_other_words_too() {
    let mut withdrawn = met("The invoices are stored in the blue folder.", 1);
    withdrawn.claim.withdrawn = true;
    let plan = Case::default().plan(vec![withdrawn, met("Invoices are stored in blue folders.", 1)]);
    assert!(plan.add.is_empty());
    assert!(plan.refused_counts.keys().all(|code| code == "withdrawn"));
}

#[test]
fn a_full_file_moves_what_is_least_used_and_never_a_line_of_the_user() {
    let entries: Vec<(String, &str)> =
        (0..8).map(|n| (format!("Room number {n} of the house has a window to the east."), "2026-10-01")).collect();
    let entries: Vec<(&str, &str)> = entries.iter().map(|(text, date)| (text.as_str(), *date)).collect();
    let memory = format!("mine\n{}", section(&entries));
    let case = Case { memory: &memory, max_chars: chars_of(&memory), ..Case::default() };
    let plan = case.plan(vec![met(INVOICES, 1), met(ROOF, 1), met("The attic of the house is used by Jonas.", 1)]);
    assert_eq!((plan.add.len(), plan.moved.len()), (2, 2), "a quarter of eight");
    assert_eq!(plan.refused_counts.get("budget"), Some(&1));
    let none = Case {
        memory: &memory,
        max_chars: chars_of(&memory),
        settings: Consolidation { max_loss: 0.0, ..Consolidation::default() },
        ..Case::default()
    };
    assert!(none.plan(vec![met(INVOICES, 1)]).is_empty());
    let user = "x".repeat(900);
    let full = Case { memory: &user, max_chars: 800, ..Case::default() }.plan(vec![met(INVOICES, 1)]);
    assert!(full.is_empty() && full.notes.len() == 1, "{:?}", full.notes);
}

#[test]
fn a_run_adds_no_more_than_it_may() {
    let kinds = ["red", "blue", "green", "old", "new", "tall", "wide", "small", "round"];
    let claims = kinds
        .iter()
        .map(|kind| met(&format!("The {kind} house at the {kind}hill is owned by Mara{kind}."), 1))
        .collect();
    let settings = Consolidation { max_new: 4, ..Consolidation::default() };
    let plan = Case { settings, ..Case::default() }.plan(claims);
    assert_eq!((plan.add.len(), plan.refused_counts.get("limit")), (4, Some(&5)));
}

#[test]
fn the_same_input_gives_the_same_plan_in_any_order() {
    let mut evidence = vec![met(INVOICES, 2), met(ROOF, 1), met("The attic of the house is used by Jonas.", 3)];
    let first = Case::default().plan(evidence.clone());
    evidence.reverse();
    assert_eq!(Case::default().plan(evidence), first);
}

// The model takes any two sentences here for the same, as MiniLM takes left for right (0.99) and Tuesday for Thursday (0.95).
#[test]
fn a_claim_in_other_words_is_known_and_one_that_says_something_else_is_not() {
    let memory = "# Memory\n\n- The dentist is in the second house on the left.\n- Lisl is allergic to peanuts and cats.\n\
        - The meeting with Berg is every Tuesday.\n- Mara never drinks strong coffee at home.\n";
    let case = Case { memory, ..Case::default() };
    let known = ["The dentist is in the second house.", "Lisl has an allergy to peanuts."];
    let new = [
        "The dentist is in the second house on the right.",
        "The meeting with Berg is every Thursday.",
        "Mara drinks strong coffee at home.",
        "Lisl is allergic to cashews.",
    ];
    let plan = case.plan(known.iter().chain(&new).map(|text| met(text, 1)).collect());
    let refused: Vec<&str> = refusals(&plan).into_iter().filter(|(_, code)| *code == "known").map(|(t, _)| t).collect();
    assert_eq!(refused.len(), known.len(), "{:?}", refusals(&plan));
    assert!(known.iter().all(|text| refused.contains(text)), "{refused:?}");
}
