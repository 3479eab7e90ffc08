//! Usage adds up by day and model, and outlives the process.

use super::{Backend, Fixture};
use crate::usage::Spent;
use model::usage::Usage;

const DAY: &str = "2026-11-20";

fn spent(texts: u64, needed: u64) -> Spent {
    Spent { sent: Usage { requests: 1, texts, tokens: texts * 10 }, needed, embedded: texts }
}

fn usage_adds_up_and_survives_a_restart<B: Backend>() {
    let fixture = Fixture::<B>::new();
    for (day, model, texts) in [(DAY, "small", 3), (DAY, "large", 1), (DAY, "small", 4), ("2026-11-21", "small", 9)] {
        fixture.store.write(move |tx| tx.add_usage(day, "openai", model, &spent(texts, 10))).unwrap();
    }
    fixture.store.close();
    let store = fixture.open();
    let rows = store.read(|r| r.usage_of(DAY, DAY)).unwrap();
    let seen: Vec<_> = rows.iter().map(|row| (row.model.as_str(), row.spent)).collect();
    let mut small = spent(3, 10);
    small += spent(4, 10);
    assert_eq!(seen, [("large", spent(1, 10)), ("small", small)]);
    let both = store.read(|r| r.usage_of(DAY, "2026-11-21")).unwrap();
    assert_eq!(both.iter().map(|row| row.spent.sent.texts).collect::<Vec<_>>(), [1, 16]);
    assert_eq!(small.sent, Usage { requests: 2, texts: 7, tokens: 70 });
}

#[test]
fn the_hit_rate_is_what_needed_not_be_sent() {
    assert_eq!(spent(1, 4).hit_rate(), Some(0.75));
    assert_eq!(spent(0, 0).hit_rate(), None);
    assert_eq!(spent(9, 4).hit_rate(), Some(0.0), "another model embeds everything again");
}

for_every_backend!(usage_adds_up_and_survives_a_restart,);
