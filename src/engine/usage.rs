//! Booking what the provider was asked, and telling what today cost.

use jiff::{Zoned, tz::TimeZone};
use serde_json::{Value, json};

use super::Engine;
use crate::{
    config::settings::Settings,
    embed::{Embedder, factory::Selected, provider::is_on_this_machine},
    error::Result,
    index::embed_pass::Booking,
    store::usage::Spent,
};

impl Engine {
    /// Books what was sent since the last time, and chunks that need a vector. A full disk loses figures, which harms
    /// nobody.
    pub(super) async fn book_usage(&self, embedder: &dyn Embedder, needed: u64) {
        let spent = Spent { sent: embedder.take_usage(), needed, embedded: 0 };
        if spent != Spent::default() {
            let booking = self.booking(embedder);
            let _ = self.store.write_async(move |tx| booking.add(tx, &spent)).await;
        }
    }

    /// Where the cost of an embedder is booked today.
    pub(super) fn booking(&self, embedder: &dyn Embedder) -> Booking {
        let day = today(&self.settings().settings);
        Booking { day, provider: embedder.space().provider.clone(), model: embedder.space().model.clone() }
    }

    /// What today cost: `{day, requests, texts, tokens, needed, embedded, hitRate?, models}`. Blocks.
    pub(super) fn usage_today(&self, settings: &Settings) -> Result<Value> {
        let day = today(settings);
        let models = self.store.read(|r| r.usage_of(&day))?;
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

    /// Whether the chosen provider may charge for texts: not what runs in this process or on this machine.
    pub(super) fn is_paid(&self, settings: &Settings) -> bool {
        match &*self.provider().choice() {
            Ok(Selected { embedder: Some(embedder), provider, fallback_from, .. }) => {
                // The configured address is that of the provider that was asked for, not of its fallback.
                let address = settings.provider.base_url.as_deref().filter(|_| fallback_from.is_none());
                !embedder.is_local() && !is_on_this_machine(provider, address)
            }
            _ => false,
        }
    }
}

/// The date in the user's time zone.
fn today(settings: &Settings) -> String {
    let zone = settings.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
    let now = zone.map_or_else(Zoned::now, |zone| Zoned::now().with_time_zone(zone));
    now.date().to_string()
}
