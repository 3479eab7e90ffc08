//! Layers of configuration and typed reading through them: the highest layer with a usable value wins, and every
//! value that cannot be used becomes a warning.

use std::{fmt::Display, mem::discriminant, ops::RangeInclusive};

use serde_json::Value;

use super::{
    places::{own_places, places},
    setting::{Choice, Integer, Number, OptionalInteger, OptionalNumber, OptionalSwitch, OptionalText, Switch, Text},
    settings::{Origins, Values},
    table,
};
use crate::error::{Code, Error, Result};

/// Origin of a value that no layer sets.
pub(crate) const DEFAULT_ORIGIN: &str = "default";

/// One place of the configuration that holds memory settings.
#[derive(Debug, Clone)]
pub(super) struct Layer<'a> {
    /// Configuration path of the place.
    pub path: String,
    /// The object found there.
    pub value: &'a Value,
    /// Whether it speaks about one agent only.
    pub per_agent: bool,
}

/// A value that was found, and where.
#[derive(Debug)]
pub(super) struct Found<'a> {
    /// Full configuration path.
    pub path: String,
    /// The value, never null.
    pub value: &'a Value,
    /// Whether it was set for this agent only.
    pub per_agent: bool,
}

/// Settings of one agent that belong to the plugin alone, all of them or none.
///
/// # Errors
/// [`Code::Config`] when a value has the wrong type.
pub(super) fn resolve_plugin<T>(config: &Value, agent_id: &str, read: impl FnOnce(&mut Reader<'_>) -> T) -> Result<T> {
    let mut reader = Reader::of_plugin(config, agent_id);
    let settings = read(&mut reader);
    reader.check_groups();
    match reader.refusal {
        Some(refusal) => Err(Error::new(Code::Config, refusal).remedy("Correct the value in openclaw.json")),
        None => Ok(settings),
    }
}

/// Reads settings through the layers, and keeps origins and warnings.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// Lowest first.
    layers: Vec<Layer<'a>>,
    /// Setting → configuration path.
    pub origins: Origins,
    /// Setting → its value as it is written in a configuration, with the default where nobody wrote one.
    pub values: Values,
    /// One sentence for each value that was clamped or ignored.
    pub warnings: Vec<String>,
    /// The first value that was ignored, and what was expected in its place.
    pub refusal: Option<String>,
}

impl<'a> Reader<'a> {
    /// Collects the layers of an agent from their [`places`].
    pub(super) fn new(config: &'a Value, agent_id: &str) -> Self {
        let mut reader = Self::empty();
        for place in places(config, agent_id) {
            reader.add(place.path(), place.value(config), place.per_agent);
        }
        reader
    }

    /// The layers of settings that belong to the plugin alone: its own configuration, for all agents and for this one.
    pub(super) fn of_plugin(config: &'a Value, agent_id: &str) -> Self {
        let mut reader = Self::empty();
        for place in own_places(Some(config), agent_id) {
            reader.add(place.path(), place.value_in_own(config), place.per_agent);
        }
        reader
    }

    fn empty() -> Self {
        Self { layers: Vec::new(), origins: Origins::new(), values: Values::new(), warnings: Vec::new(), refusal: None }
    }

    fn add(&mut self, path: String, value: Option<&'a Value>, per_agent: bool) {
        match value {
            None | Some(Value::Null) => {}
            Some(value) if value.is_object() => self.layers.push(Layer { path, value, per_agent }),
            Some(value) => self.refuse_group(&path, value),
        }
    }

    fn refuse_group(&mut self, path: &str, value: &Value) {
        let refusal = format!("{path} is {}, expected an object", kind(value));
        self.warnings.push(format!("{refusal}; it is ignored"));
        self.refusal.get_or_insert(refusal);
    }

    /// Names what stands where the settings that were read have their group, and is none.
    pub(super) fn check_groups(&mut self) {
        let is_read = |group: &str| self.origins.keys().any(|key| key.strip_prefix(group).is_some_and(is_below));
        let groups: Vec<&str> = table::GROUPS.into_iter().filter(|group| is_read(group)).collect();
        for group in groups {
            for found in self.all(group).into_iter().filter(|found| !found.value.is_object()) {
                self.refuse_group(&found.path, found.value);
            }
        }
    }

    /// Every value set for a dotted key, highest layer first.
    pub(super) fn all(&self, key: &str) -> Vec<Found<'a>> {
        let find = |layer: &Layer<'a>| {
            let value = key.split('.').try_fold(layer.value, |value, part| value.get(part))?;
            let path = format!("{}.{key}", layer.path);
            (!value.is_null()).then_some(Found { path, value, per_agent: layer.per_agent })
        };
        self.layers.iter().rev().filter_map(find).collect()
    }

    /// Every value set for a key of our own, followed by values of the host that lie below it.
    pub(crate) fn all_above(
        &self,
        key: &str,
        host: impl IntoIterator<Item = (String, Option<&'a Value>)>,
    ) -> Vec<Found<'a>> {
        let host = host.into_iter().filter_map(|(path, value)| {
            let value = value.filter(|value| !value.is_null())?;
            Some(Found { path, value, per_agent: false })
        });
        self.all(key).into_iter().chain(host).collect()
    }

    /// The first value that `parse` accepts; the others become warnings that end with what is used instead.
    /// `expected` completes "expected …".
    pub(super) fn pick<T>(
        &mut self,
        key: &str,
        found: Vec<Found<'a>>,
        expected: &str,
        parse: impl Fn(&Value) -> Option<T>,
    ) -> Option<Picked<T>> {
        let mut refused = Vec::new();
        let mut picked = None;
        for candidate in found {
            if let Some(value) = parse(candidate.value) {
                picked = Some(Picked { value, path: candidate.path, per_agent: candidate.per_agent });
                break;
            }
            refused.push(format!("{} is {}, expected {expected}", candidate.path, kind(candidate.value)));
        }
        let origin = picked.as_ref().map_or(DEFAULT_ORIGIN, |picked| &picked.path);
        let instead = if origin == DEFAULT_ORIGIN { "the default".to_owned() } else { origin.to_owned() };
        if let Some(first) = refused.first() {
            self.refusal.get_or_insert_with(|| first.clone());
        }
        self.warnings.extend(refused.into_iter().map(|refusal| format!("{refusal}; {instead} is used")));
        self.origins.insert(key.to_owned(), origin.to_owned());
        picked
    }

    /// A truth value.
    pub(super) fn switch(&mut self, Switch { key, default }: &Switch) -> bool {
        let value = self.optional_switch(&OptionalSwitch { key }).unwrap_or(*default);
        self.keep(key, value)
    }

    /// A truth value that may be left to the ranking.
    pub(super) fn optional_switch(&mut self, OptionalSwitch { key }: &OptionalSwitch) -> Option<bool> {
        let found = self.all(key);
        let value = self.pick(key, found, "true or false", Value::as_bool)?.value;
        Some(self.keep(key, value))
    }

    /// A trimmed text; an empty one counts as not set.
    pub(super) fn text(&mut self, Text { key, default }: &Text) -> String {
        let value = self.optional_text(&OptionalText { key }).unwrap_or_else(|| (*default).to_owned());
        self.keep(key, value)
    }

    /// A trimmed text that may be absent.
    pub(super) fn optional_text(&mut self, OptionalText { key }: &OptionalText) -> Option<String> {
        self.picked_text(key, "a text").map(|picked| picked.value)
    }

    /// A text that may be absent, as it is written: spaces at its ends count, and so does an empty one.
    pub(super) fn verbatim_text(&mut self, OptionalText { key }: &OptionalText) -> Option<String> {
        let found = self.all(key);
        let value = self.pick(key, found, "a text", |value| value.as_str().map(str::to_owned))?.value;
        Some(self.keep(key, value))
    }

    /// A trimmed text with where it was found; `expected` completes "expected …".
    pub(super) fn picked_text(&mut self, key: &str, expected: &str) -> Option<Picked<String>> {
        let found = self.all(key).into_iter().filter(|found| found.value.as_str().is_none_or(|t| !t.trim().is_empty()));
        let found = found.collect();
        let picked = self.pick(key, found, expected, |value| value.as_str().map(|text| text.trim().to_owned()))?;
        self.keep(key, picked.value.clone());
        Some(picked)
    }

    /// One of several words.
    pub(super) fn choice<T: Copy>(&mut self, choice: &Choice<T>) -> T {
        let found = self.all(choice.key);
        self.choice_of(choice, found)
    }

    /// One of several words, from values already found.
    pub(super) fn choice_of<T: Copy>(&mut self, choice: &Choice<T>, found: Vec<Found<'a>>) -> T {
        let words: Vec<String> = choice.words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        let expected = format!("one of {}", words.join(", "));
        let picked = self.pick(choice.key, found, &expected, |value| {
            let word = value.as_str()?.trim();
            choice.words.iter().find(|(choice, _)| *choice == word).map(|(_, chosen)| *chosen)
        });
        let chosen = picked.map_or(choice.default, |picked| picked.value);
        if let Some((word, _)) = choice.words.iter().find(|(_, value)| discriminant(value) == discriminant(&chosen)) {
            self.keep(choice.key, *word);
        }
        chosen
    }

    /// A whole number; a fraction is rounded down, a number outside the range is moved to its border.
    pub(super) fn integer(&mut self, integer: &Integer) -> u64 {
        self.integer_or(integer, integer.default)
    }

    /// The same where the default follows from another setting.
    pub(super) fn integer_or(&mut self, Integer { key, range, .. }: &Integer, default: u64) -> u64 {
        let value = self.optional_integer(&OptionalInteger { key, range: range.clone() }).unwrap_or(default);
        self.keep(key, value)
    }

    /// A whole number of which there are never so many that a platform could not count them.
    pub(super) fn count(&mut self, integer: &Integer) -> usize {
        usize::try_from(self.integer(integer)).unwrap_or(usize::MAX)
    }

    /// A whole number that may be absent.
    pub(super) fn optional_integer(&mut self, OptionalInteger { key, range }: &OptionalInteger) -> Option<u64> {
        let found = self.all(key);
        self.integer_of(key, found, range)
    }

    /// A whole number, from values already found.
    pub(super) fn integer_of(&mut self, key: &str, found: Vec<Found<'a>>, range: &RangeInclusive<u64>) -> Option<u64> {
        let picked = self.pick(key, found, "a whole number", Value::as_f64)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates at the borders")]
        let used = (picked.value.floor() as u64).clamp(*range.start(), *range.end());
        #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "only decides whether to warn")]
        if used as f64 != picked.value {
            self.clamped(&picked.path, picked.value, used);
        }
        Some(self.keep(key, used))
    }

    /// A number inside a range; outside it is moved to the border.
    pub(super) fn number(&mut self, Number { key, range, default }: &Number) -> f64 {
        let value = self.optional_number(&OptionalNumber { key, range: range.clone() }).unwrap_or(*default);
        self.keep(key, value)
    }

    /// A number that may be absent.
    pub(super) fn optional_number(&mut self, OptionalNumber { key, range }: &OptionalNumber) -> Option<f64> {
        let found = self.all(key);
        let picked = self.pick(key, found, "a number", Value::as_f64)?;
        let used = picked.value.clamp(*range.start(), *range.end());
        #[expect(clippy::float_cmp, reason = "unchanged by the clamp means identical")]
        if used != picked.value {
            self.clamped(&picked.path, picked.value, used);
        }
        Some(self.keep(key, used))
    }

    /// Notes the value that a setting has, and gives it back.
    fn keep<T: Clone + Into<Value>>(&mut self, key: &str, value: T) -> T {
        self.values.insert(key.to_owned(), value.clone().into());
        value
    }

    /// Warns about a value that was moved.
    pub(crate) fn clamped(&mut self, path: &str, written: impl Display, used: impl Display) {
        self.warnings.push(format!("{path} is {written}, which is out of range; {used} is used"));
    }

    /// The configuration path a setting came from, if a layer set it.
    pub(super) fn origin(&self, key: &str) -> Option<&str> {
        self.origins.get(key).map(String::as_str).filter(|origin| *origin != DEFAULT_ORIGIN)
    }
}

/// A usable value and where it was found.
#[derive(Debug)]
pub(crate) struct Picked<T> {
    /// The value.
    pub value: T,
    /// Full configuration path.
    pub path: String,
    /// Whether it was set for this agent only.
    pub per_agent: bool,
}

/// What follows the name of a group in the key of one of its settings.
fn is_below(rest: &str) -> bool {
    rest.starts_with('.')
}

/// What a wrong value is, for a warning. Texts are not repeated: they may be secrets in the wrong place.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
