//! Booking what the provider was asked, and telling what today cost.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures::future::join_all;
use jiff::{Zoned, tz::TimeZone};
use serde_json::{Value, json};

use super::Telemetry;
use crate::index::embed_pass::Booking;
use embed::Embedder;
use model::{config::settings::Settings, error::Result};
use store::usage::Spent;

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
        let telemetry = Arc::downgrade(self);
        tokio::spawn(async move {
            tokio::time::sleep(BOOK_AFTER).await;
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
        let day = today(&self.context.settings().settings);
        Booking { day, provider: embedder.space().provider.clone(), model: embedder.space().model.clone() }
    }

    /// What today cost: `{day, requests, texts, tokens, needed, embedded, hitRate?, models}`. Blocks.
    pub(crate) fn usage_today(&self, settings: &Settings) -> Result<Value> {
        let day = today(settings);
        let models = self.context.store().read(|r| r.usage_of(&day))?;
        let mut total = Spent::default();
        for model in &models {
            total += model.spent;
        }
        let mut usage = json!(total);
        usage["day"] = json!(day);
        usage["hitRate"] = json!(total.hit_rate());
        usage["models"] = json!(models);
        Ok(usage)
    }
}

/// The date in the user's time zone.
fn today(settings: &Settings) -> String {
    let zone = settings.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
    let now = zone.map_or_else(Zoned::now, |zone| Zoned::now().with_time_zone(zone));
    now.date().to_string()
}

#[cfg(test)]
mod tests {
    use crate::services::{
        Engine, SearchCall,
        testing::{asking, indexed},
    };
    use model::cancel::Cancel;

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
}
