//! Booking what the provider was asked, and telling what today cost.

use std::{
    iter,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures::future::join_all;
use jiff::{ToSpan as _, civil::Date};
use serde_json::{Value, json};

use super::Telemetry;
use crate::index::embed_pass::Booking;
use embed::{Embedder, embedded::PROVIDER};
use model::{config::settings::Settings, error::Result};
use store::usage::{ModelUsage, Spent};
use text::time::date_in;

/// How long after a search its cost is booked; a kill loses these figures, which harms nobody.
const BOOK_AFTER: Duration = Duration::from_secs(30);

impl Telemetry {
    /// Books what was sent since the last time, and chunks that need a vector. A full disk loses figures, which harms
    /// nobody.
    pub(crate) async fn book_usage(&self, embedder: &dyn Embedder, needed: u64) {
        let spent = Spent { sent: embedder.take_usage(), needed, embedded: 0 };
        if spent != Spent::default() {
            let booking = self.booking(embedder);
            let booked = self.context.store().write_async(move |tx| booking.add(tx, &spent)).await;
            self.context.told(booked, "what the provider was asked was not booked; the figures of today are too low");
        }
    }

    /// Books what searches send, some time later and together: every write makes each reader forget the pages it
    /// holds, and wears a card out.
    pub(crate) fn book_later(self: &Arc<Self>) {
        if self.booking_due.swap(true, Ordering::AcqRel) {
            return;
        }
        let (telemetry, clock) = (Arc::downgrade(self), Arc::clone(self.context.clock()));
        tokio::spawn(async move {
            clock.sleep(BOOK_AFTER).await;
            if let Some(telemetry) = telemetry.upgrade() {
                telemetry.booking_due.store(false, Ordering::Release);
                telemetry.book_all().await;
            }
        });
    }

    /// Books what all embedders in use sent since the last time.
    pub(crate) async fn book_all(&self) {
        let embedders = self.context.provider().in_use();
        join_all(embedders.iter().map(|embedder| self.book_usage(&**embedder, 0))).await;
    }

    /// Where the cost of an embedder is booked today.
    pub(crate) fn booking(&self, embedder: &dyn Embedder) -> Booking {
        let day = self.today(&self.context.settings().settings);
        Booking { day, provider: embedder.provider().to_owned(), model: embedder.space().model.clone() }
    }

    /// What today cost: `{day, requests, texts, tokens, needed, embedded, hitRate?, models}`, and in `month` the same of this
    /// month, with `month` in place of the day, and `cost` where the price of its tokens is known; in `months` of each month
    /// of the last year in which something was sent, the latest first; in `current` as whose the model in use is booked:
    /// `{provider, model, formerly}`, where one is in use, with the name under which 0.1.0 booked it. Blocks.
    pub(crate) fn usage_today(&self, settings: &Settings) -> Result<Value> {
        let today = date_in(self.context.now_ms(), &settings.zone_name());
        let day = today.to_string();
        let months: Vec<Date> =
            iter::successors(Some(today.first_of_month()), |month| month.checked_sub(1.month()).ok())
                .take(MONTHS)
                .collect();
        let (of_day, of_months) = self.context.store().read(|r| {
            let of_month = |first: &Date| r.usage_of(&first.to_string(), &first.last_of_month().to_string());
            Ok((r.usage_of(&day, &day)?, months.iter().map(of_month).collect::<Result<Vec<_>>>()?))
        })?;
        let told = |(first, models): (&Date, &Vec<ModelUsage>)| {
            let mut month = summed(models);
            month["month"] = json!(first.strftime("%Y-%m").to_string());
            month["cost"] = json!(self.cost(models, settings));
            month
        };
        let mut usage = summed(&of_day);
        usage["day"] = json!(day);
        let current = self.context.provider().embedder().ok().flatten();
        usage["current"] = current
            .map(|it| json!({ "provider": it.provider(), "model": it.space().model, "formerly": it.space().provider }))
            .into();
        usage["month"] = months.iter().zip(&of_months).next().map(told).into();
        usage["months"] = months.iter().zip(&of_months).filter(|(_, models)| !models.is_empty()).map(told).collect();
        Ok(usage)
    }

    /// The date in the user's time zone.
    fn today(&self, settings: &Settings) -> String {
        date_in(self.context.now_ms(), &settings.zone_name()).to_string()
    }

    /// What the tokens of the embedding model cost; none where the price is not known, or other models had tokens too.
    fn cost(&self, models: &[ModelUsage], settings: &Settings) -> Option<f64> {
        let embedder = self.context.provider().embedder().ok().flatten()?;
        let space = embedder.space();
        let names = [embedder.provider(), &space.provider];
        let is_priced = |row: &ModelUsage| names.contains(&row.provider.as_str()) && row.model == space.model;
        let (priced, others): (Vec<_>, Vec<_>) =
            models.iter().filter(|row| row.provider != PROVIDER).partition(|row| is_priced(row));
        let tokens: u64 = priced.iter().map(|row| row.spent.sent.tokens).sum();
        if others.is_empty() { settings.price_of(tokens) } else { None }
    }
}

/// Months that are told of.
const MONTHS: usize = 12;

/// What some models cost together, and each.
fn summed(models: &[ModelUsage]) -> Value {
    let mut total = Spent::default();
    for model in models {
        total += model.spent;
    }
    let mut usage = json!(total);
    usage["hitRate"] = json!(total.hit_rate());
    usage["models"] = json!(models);
    usage
}

#[cfg(test)]
mod tests {
    use crate::services::{
        Engine, SearchCall,
        testing::{asking, indexed},
    };
    use model::{cancel::Cancel, usage::Usage};
    use store::usage::Spent;

    fn requests(engine: &Engine) -> u64 {
        tokio::task::block_in_place(|| engine.telemetry.usage_today(&engine.settings().settings)).unwrap()["requests"]
            .as_u64()
            .unwrap()
    }

    // Every search with a query vector wrote what it had cost: each reader forgot its pages, and the vectors in memory
    // were looked through again.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_search_writes_nothing_and_its_cost_is_booked_at_the_end() {
        let (home, engine) = indexed(&[("MEMORY.md", "The boiler code is E17.")]).await;
        let (before, version) = (requests(&engine), engine.context.store().data_version().unwrap());
        let call = SearchCall { lexical_only: false, ..asking("heating") };
        engine.searcher.search(call, Cancel::new()).await.unwrap();
        assert_eq!(engine.context.store().data_version().unwrap(), version);
        assert_eq!(requests(&engine), before);
        engine.release().await;
        let engine = home.open().await;
        assert_eq!(requests(&engine), before + 1);
        engine.release().await;
    }

    fn of_month(engine: &Engine, price: Option<f64>) -> serde_json::Value {
        let mut settings = engine.settings().settings.clone();
        settings.price_per_million_tokens = price;
        tokio::task::block_in_place(|| engine.telemetry.usage_today(&settings)).unwrap()["month"].clone()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_month_has_a_cost_where_every_token_has_a_known_price() {
        let (_home, engine) = indexed(&[("MEMORY.md", "The heating was serviced.")]).await;
        let today = of_month(&engine, None);
        let (month, tokens) = (today["month"].as_str().unwrap().to_owned(), today["tokens"].as_u64().unwrap());
        assert!(tokens > 0 && today["cost"].is_null());
        let book = async |day: String, provider: &'static str, tokens| {
            let spent = Spent { sent: Usage { requests: 1, texts: 1, tokens }, needed: 1, embedded: 1 };
            let store = engine.context.store();
            store.write_async(move |tx| tx.add_usage(&day, provider, "titan", &spent)).await.unwrap();
        };
        book(format!("{month}-01"), "bedrock", 2_000_000).await;
        // Another month, and what costs nothing.
        book("2020-01-31".to_owned(), "bedrock", 5_000_000).await;
        book(format!("{month}-01"), "embedded", 7_000_000).await;
        let priced = of_month(&engine, Some(0.5));
        let cost = priced["cost"].as_f64().unwrap();
        assert!((cost - (1.0 + 0.5e-6 * tokens as f64)).abs() < 1e-9, "{priced}");
        book(format!("{month}-01"), "openai", 1).await;
        // Of the months before, those with something, the latest first; what is older than a year is not told.
        let first: jiff::civil::Date = format!("{month}-01").parse().unwrap();
        let before = |months: i32| first.checked_sub(jiff::Span::new().months(months)).unwrap();
        for months in [3, 11, 12] {
            book(before(months).last_of_month().to_string(), "bedrock", 4_000_000).await;
        }
        let usage = tokio::task::block_in_place(|| engine.telemetry.usage_today(&engine.settings().settings)).unwrap();
        let told: Vec<_> =
            usage["months"].as_array().unwrap().iter().map(|one| one["month"].as_str().unwrap()).collect();
        assert_eq!(
            usage["current"],
            serde_json::json!({ "provider": "bedrock", "model": "titan", "formerly": "bedrock" })
        );
        let named = |months| before(months).strftime("%Y-%m").to_string();
        assert_eq!(told, [month.clone(), named(3), named(11)]);
        assert_eq!(
            (&usage["months"][0], &usage["months"][1]["tokens"]),
            (&usage["month"], &serde_json::json!(4_000_000))
        );
        assert!(of_month(&engine, Some(0.5))["cost"].is_null(), "nobody said what the other one costs");
        engine.release().await;
    }
}
