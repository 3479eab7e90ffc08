//! What models cost that answer, by month, and what a person says that tokens cost. What was embedded is booked in the index,
//! which answers are not about.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::capture::jsonl;
use model::error::{Code, Error, Result};

/// File of an agent's folder.
const ANSWERS: &str = "models.jsonl";
/// File of the folder of all agents.
const PRICES: &str = "prices.jsonl";
/// Months that are kept, that of today included.
const MONTHS: i32 = 13;
/// Models whose prices are kept; more are a mistake.
const MOST_PRICES: usize = 200;
/// Longest name of a model, and highest price.
const MOST_NAME: usize = 200;
const HIGHEST: f64 = 1_000_000.0;

/// What the answers of one model to one kind of question cost in a month.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answers {
    /// `2026-11`
    pub month: String,
    /// What was asked for: `active-memory`, `consolidation`, `memory-capture`, …
    pub purpose: String,
    /// The provider, as the host names it.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Questions.
    pub requests: u64,
    /// Tokens of the questions, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// What the host says that those of `costed` cost, in US dollars.
    pub host_cost: f64,
    /// Questions of which the host said it.
    pub costed: u64,
}

impl Answers {
    fn is_like(&self, other: &Self) -> bool {
        (&self.month, &self.purpose, &self.provider, &self.model)
            == (&other.month, &other.purpose, &other.provider, &other.model)
    }
}

/// What tokens cost, by a million, in the user's currency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrice {
    /// A provider, or `provider/model`.
    pub of: String,
    /// Tokens that are sent.
    pub input: f64,
    /// Tokens that are answered; as those that are sent where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
}

/// The book of an agent.
#[derive(Debug, Clone)]
pub struct Spending {
    path: PathBuf,
}

impl Spending {
    /// The one in an agent's folder.
    #[must_use]
    pub fn of(agent_folder: &Path) -> Self {
        Self { path: agent_folder.join(ANSWERS) }
    }

    /// Adds to what a model has cost in its month, and lets go of what is older than a year.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn book(&self, spent: &Answers) -> Result<()> {
        jsonl::update(&self.path, |lines| {
            let mut rows: Vec<Answers> = entries(&lines);
            match rows.iter_mut().find(|row| row.is_like(spent)) {
                Some(row) => {
                    row.requests += spent.requests;
                    row.input_tokens += spent.input_tokens;
                    row.output_tokens += spent.output_tokens;
                    row.host_cost += spent.host_cost;
                    row.costed += spent.costed;
                }
                None => rows.push(spent.clone()),
            }
            rows.retain(|row| row.month >= first_month(&spent.month));
            rows.iter().map(|row| text_of(row).ok()).collect()
        })
    }

    /// What was booked, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn rows(&self) -> Result<Vec<Answers>> {
        let mut rows: Vec<Answers> = entries(&jsonl::all(&self.path)?);
        rows.sort_by(|a, b| a.month.cmp(&b.month));
        Ok(rows)
    }
}

/// The prices that a person has said on the page; what the configuration says is not among them.
#[derive(Debug, Clone)]
pub struct Prices {
    path: PathBuf,
}

impl Prices {
    /// Those in the folder of all agents.
    #[must_use]
    pub fn of(own_folder: &Path) -> Self {
        Self { path: own_folder.join(PRICES) }
    }

    /// All, by their names.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn all(&self) -> Result<Vec<ModelPrice>> {
        Ok(entries(&jsonl::all(&self.path)?))
    }

    /// Takes prices over those of before, and out those of `without`; gives all.
    ///
    /// # Errors
    /// [`Code::Argument`] for a price or a name that cannot be one, and when the file cannot be read or written.
    pub fn set(&self, prices: Vec<ModelPrice>, without: &[String]) -> Result<Vec<ModelPrice>> {
        let is_price = |price: f64| (0.0..=HIGHEST).contains(&price);
        let is_name = |name: &str| !name.trim().is_empty() && name.len() <= MOST_NAME;
        if !prices.iter().all(|one| is_name(&one.of) && is_price(one.input) && one.output.is_none_or(is_price)) {
            return Err(no_price());
        }
        let mut all = Vec::new();
        jsonl::update(&self.path, |lines| {
            all = entries(&lines);
            all.retain(|known: &ModelPrice| {
                !without.contains(&known.of) && !prices.iter().any(|one| one.of == known.of)
            });
            all.extend(prices);
            all.sort_by(|a, b| a.of.cmp(&b.of));
            all.truncate(MOST_PRICES);
            all.iter().map(|one| text_of(one).ok()).collect()
        })?;
        Ok(all)
    }
}

/// What is said of a price that cannot be one, by its value or its form.
#[must_use]
pub fn no_price() -> Error {
    Error::new(Code::Argument, "a price is a number from 0 to 1,000,000, and of a model")
        .remedy("Name a provider, or provider/model, and what a million tokens of it cost")
}

/// The first month that is kept when it is the other one; all of them where that is none.
fn first_month(of: &str) -> String {
    let date = format!("{of}-01").parse::<jiff::civil::Date>();
    let first = date.and_then(|date| date.checked_sub(jiff::Span::new().months(MONTHS - 1)));
    first.map_or_else(|_| String::new(), |first| first.strftime("%Y-%m").to_string())
}

fn entries<T: DeserializeOwned>(lines: &[String]) -> Vec<T> {
    lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn text_of(row: &impl Serialize) -> Result<String> {
    serde_json::to_string(row).map_err(|e| Error::new(Code::Internal, format!("spending: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(month: &str, model: &str) -> Answers {
        Answers {
            month: month.to_owned(),
            purpose: "active-memory".to_owned(),
            provider: "openai".to_owned(),
            model: model.to_owned(),
            requests: 1,
            input_tokens: 100,
            output_tokens: 10,
            host_cost: 0.5,
            costed: 1,
        }
    }

    #[test]
    fn answers_are_booked_by_month_and_model_for_a_year() {
        let dir = tempfile::tempdir().unwrap();
        let book = Spending::of(&dir.path().join("main"));
        assert_eq!(book.rows().unwrap(), []);
        for row in [spent("2025-10", "a"), spent("2025-11", "a"), spent("2026-11", "b"), spent("2026-11", "a")] {
            book.book(&row).unwrap();
        }
        book.book(&spent("2026-11", "a")).unwrap();
        let rows = book.rows().unwrap();
        let told: Vec<_> =
            rows.iter().map(|row| (row.month.as_str(), row.model.as_str(), row.requests, row.input_tokens)).collect();
        assert_eq!(told, [("2025-11", "a", 1, 100), ("2026-11", "b", 1, 100), ("2026-11", "a", 2, 200)]);
        assert!((rows[2].host_cost - 1.0).abs() < 1e-9);
    }

    #[test]
    fn answers_of_several_threads_are_all_booked() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        Spending::of(dir.path()).book(&spent("2026-11", "a")).unwrap();
                    }
                });
            }
        });
        assert_eq!(Spending::of(dir.path()).rows().unwrap()[0].requests, 80);
    }

    #[test]
    fn prices_are_kept_replaced_and_taken_out_and_what_is_none_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let prices = Prices::of(dir.path());
        let price = |of: &str, input: f64, output: Option<f64>| ModelPrice { of: of.to_owned(), input, output };
        prices.set(vec![price("openai/x", 0.02, None), price("anthropic", 3.0, Some(15.0))], &[]).unwrap();
        let all = prices.set(vec![price("openai/x", 0.04, None)], &["anthropic".to_owned()]).unwrap();
        assert_eq!((all.clone(), prices.all().unwrap()), (vec![price("openai/x", 0.04, None)], all));
        for wrong in
            [price("", 1.0, None), price("x", -1.0, None), price("x", f64::NAN, None), price("x", 1.0, Some(2e6))]
        {
            assert_eq!(prices.set(vec![wrong], &[]).unwrap_err().code(), Code::Argument);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(prices.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
