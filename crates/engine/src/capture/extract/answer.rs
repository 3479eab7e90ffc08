//! How the answer of a model is read: it is asked for bullets, and some write numbered lists or JSON.

use serde_json::Value;

use super::super::{envelope, rules::Category};

/// Most facts of an answer that are read.
const MAX_FACTS: usize = 20;

/// What a bullet has none of that says that there is nothing, and what it says of the user.
const DENIED: [&str; 7] = ["new", "lasting", "durable", "fact", "facts", "information", "statements"];
const SAYS: [&str; 6] = ["stated", "said", "mentioned", "shared", "contains", "holds"];
/// Longest bullet that is taken for one that says that there is nothing, in words.
const MOST_DENYING: usize = 8;

/// Digits of the number of a line; a year ends no list.
const MOST_DIGITS: usize = 2;
/// What models call the text of a fact and its kind in JSON.
const TEXTS: [&str; 5] = ["text", "fact", "content", "statement", "memory"];
const KINDS: [&str; 4] = ["category", "type", "kind", "label"];

/// The facts of an answer, whatever stands around them; none where it is neither a list nor says that there is nothing.
#[must_use]
pub(crate) fn parse(answer: &str) -> Option<Vec<(Category, String)>> {
    let items = of_json(answer).or_else(|| of_lines(answer));
    let Some(items) = items else {
        let is_nothing = answer.trim().is_empty() || answer.lines().any(|line| says_nothing(line.trim()));
        return is_nothing.then(Vec::new);
    };
    let facts = items.into_iter().map(|(kind, text)| labelled(kind, &text));
    let facts = facts.filter(|(_, text)| !text.is_empty() && !envelope::is_noise(text) && !says_nothing(text));
    Some(facts.take(MAX_FACTS).collect())
}

/// A text with the kind that it, or what stood beside it, says.
fn labelled(kind: Option<Category>, text: &str) -> (Category, String) {
    let text = text.trim();
    match label_of(text) {
        Some((category, text)) => (category, text.to_owned()),
        None => (kind.unwrap_or_else(|| super::super::rules::categorize(text)), text.to_owned()),
    }
}

/// The kind in brackets before a text, as it is asked for, and the text.
fn label_of(text: &str) -> Option<(Category, &str)> {
    // Some write it in bold letters.
    let (label, text) = text.trim_start_matches("**").strip_prefix('[')?.split_once(']')?;
    Some((Category::parse(&label.trim().to_lowercase())?, text.trim_start_matches("**").trim_start_matches(':').trim()))
}

type Items = Vec<(Option<Category>, String)>;

/// The lines of a list; none without one.
fn of_lines(answer: &str) -> Option<Items> {
    let lines = answer.lines().map(str::trim);
    let items: Items = lines
        .filter_map(|line| item_of(line).or_else(|| label_of(line).map(|_| line)))
        .map(|item| (None, item.to_owned()))
        .collect();
    (!items.is_empty()).then_some(items)
}

/// What stands behind the mark of a list: "- ", "1. ", "2) ", and a second one behind that, but no more: an answer may be
/// nothing but marks.
fn item_of(line: &str) -> Option<&str> {
    let rest = unmarked(line)?;
    Some(unmarked(rest).unwrap_or(rest))
}

fn unmarked(line: &str) -> Option<&str> {
    let bullet = || ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let bare = line.strip_prefix('(').unwrap_or(line);
        let rest = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = bare.len() - rest.len();
        let rest = rest.strip_prefix(['.', ')'])?.strip_prefix(' ')?;
        (1..=MOST_DIGITS).contains(&digits).then_some(rest)
    };
    Some(bullet().or_else(numbered)?.trim_start())
}

/// The facts of an answer in JSON: the whole of it, in a fence, behind a few words, or an object a line.
fn of_json(answer: &str) -> Option<Items> {
    let read = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
    let fenced = || {
        let (_, inside) = answer.split_once("```")?;
        let (_, inside) = inside.split_once('\n')?;
        read(inside.split_once("```").map_or(inside, |(inside, _)| inside))
    };
    let within = |open: char, close: char| {
        // Of a list of lines its first and last bracket are labels, and what stands between them is no JSON.
        read(answer.get(answer.find(open)?..=answer.rfind(close)?)?)
    };
    let lines = || {
        let lines = answer.lines().map(str::trim).filter(|line| line.starts_with('{'));
        let objects: Vec<Value> = lines.filter_map(|line| read(line.trim_end_matches(','))).collect();
        (!objects.is_empty()).then_some(Value::Array(objects))
    };
    let whole = || read(answer);
    [&whole as &dyn Fn() -> Option<Value>, &fenced, &|| within('[', ']'), &lines, &|| within('{', '}')]
        .iter()
        .filter_map(|read| read())
        .find_map(|value| of_value(&value))
}

/// The facts of an array, or of the one that an object holds; of one object it is that.
fn of_value(value: &Value) -> Option<Items> {
    match value {
        Value::Array(items) => {
            let facts: Items = items.iter().filter_map(of_item).collect();
            (!facts.is_empty() || items.is_empty()).then_some(facts)
        }
        Value::Object(fields) => match fields.values().find(|field| field.is_array()) {
            Some(array) => of_value(array),
            None => of_item(value).map(|fact| vec![fact]),
        },
        _ => None,
    }
}

fn of_item(item: &Value) -> Option<(Option<Category>, String)> {
    if let Some(text) = item.as_str() {
        return Some((None, text.to_owned()));
    }
    let field = |names: &[&str]| names.iter().find_map(|name| item.get(name)?.as_str());
    let kind = field(&KINDS).and_then(|kind| Category::parse(&kind.trim().to_lowercase()));
    Some((kind, field(&TEXTS)?.to_owned()))
}

/// Whether a bullet says that there is nothing to keep, as some models answer instead of NONE.
fn says_nothing(text: &str) -> bool {
    let lower = text.to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = bare.split_whitespace().collect();
    // "Nothing to keep", "No new facts worth keeping", "The user stated nothing worth remembering".
    let denies = match words[..] {
        ["nothing", ..] => true,
        ["there", "is", "nothing", ..] => true,
        ["no", what, ..] => DENIED.contains(&what),
        ["the", "user" | "conversation", says, "nothing" | "no", ..] => SAYS.contains(&says),
        _ => false,
    };
    let keeps =
        || words.iter().any(|word| ["keep", "remember", "stor", "sav", "worth"].iter().any(|to| word.starts_with(to)));
    matches!(bare, "none" | "nothing" | "n/a" | "null") || (denies && words.len() <= MOST_DENYING && keeps())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_are_read_and_talk_is_not() {
        let answer = "Here you are:\n- [preference] Prefers tea\n* Ana lives in Porto\n- [nonsense] x y z\nNONE";
        let facts = parse(answer).unwrap();
        assert_eq!(facts.len(), 3);
        assert_eq!(facts[0], (Category::Preference, "Prefers tea".to_owned()));
        assert_eq!(facts[1].1, "Ana lives in Porto");
        for nothing in ["NONE", "- NONE", ""] {
            assert_eq!(parse(nothing), Some(Vec::new()), "{nothing}");
        }
    }

    // Nothing of it was stored, and the log said that there was nothing.
    #[test]
    fn numbered_lists_and_json_are_read() {
        let tea = (Category::Preference, "Prefers tea".to_owned());
        let ana = (Category::Entity, "Ana lives in Porto".to_owned());
        for answer in [
            "1. [preference] Prefers tea\n2. [entity] Ana lives in Porto",
            "Facts:\n1) [preference] Prefers tea\n2) [entity] Ana lives in Porto\n",
            "(1) [preference] Prefers tea\n(2) [entity] Ana lives in Porto",
            "1. - [preference] Prefers tea\n10. **[entity]** Ana lives in Porto",
            "[preference] Prefers tea\n[entity] Ana lives in Porto",
            r#"["[preference] Prefers tea", "[entity] Ana lives in Porto"]"#,
            r#"[{"category": "preference", "text": "Prefers tea"}, {"type": "Entity", "fact": "Ana lives in Porto"}]"#,
            "```json\n[\n {\"type\": \"preference\", \"content\": \"Prefers tea\"},\n {\"type\": \"entity\", \"content\": \"Ana lives in Porto\"}\n]\n```",
            "Here are the facts:\n```\n[\"[preference] Prefers tea\", \"[entity] Ana lives in Porto\"]\n```\nDone.",
            "Sure: [{\"type\":\"preference\",\"text\":\"Prefers tea\"},{\"type\":\"entity\",\"text\":\"Ana lives in Porto\"}] That is all.",
            r#"{"facts": [{"type": "preference", "text": "Prefers tea"}, {"type": "entity", "text": "Ana lives in Porto"}]}"#,
            "{\"type\":\"preference\",\"text\":\"Prefers tea\"}\n{\"type\":\"entity\",\"text\":\"Ana lives in Porto\"}",
        ] {
            assert_eq!(parse(answer), Some(vec![tea.clone(), ana.clone()]), "{answer}");
        }
        for nothing in
            ["[]", "```json\n[]\n```", r#"{"facts": []}"#, r#"["NONE"]"#, "1. None.", "There is nothing to keep."]
        {
            assert_eq!(parse(nothing), Some(Vec::new()), "{nothing}");
        }
        for unreadable in
            ["The user prefers tea.", "42", "{\"a\": 1}", "1984. That was the year.", "[1, 2]", "<facts/>"]
        {
            assert_eq!(parse(unreadable), None, "{unreadable}");
        }
    }

    // "None." was a memory.
    #[test]
    fn an_answer_in_words_that_there_is_nothing_is_none() {
        for answer in [
            "- None.",
            "- [other] none",
            "- (nothing)",
            "- Nothing to keep.",
            "- No new facts worth keeping",
            "- [other] The user stated nothing worth remembering.",
        ] {
            assert_eq!(parse(answer), Some(Vec::new()), "{answer}");
        }
        for fact in [
            "- Nothing but tea helps Ana sleep",
            "- The user has nothing against cats",
            "- None of the Silvas eat meat",
            "- No sugar is kept in the house",
            "- The user has no room to store kayaks",
        ] {
            assert_eq!(parse(fact).unwrap().len(), 1, "{fact}");
        }
    }
}
