//! Batch jobs outlive the process that submitted them.

use super::*;
use model::batch::{BatchJob, BatchLedger};

fn batch_jobs_are_found_again_until_they_are_closed<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let job = |token: &str, created_ms| BatchJob {
        token: token.to_owned(),
        id: None,
        space: "space".to_owned(),
        hashes: vec![hash("a"), hash("b")],
        created_ms,
    };
    let ledger: &dyn BatchLedger = &*fixture.store;
    ledger.open(&job("late", 2)).unwrap();
    ledger.open(&job("early", 1)).unwrap();
    ledger.submitted("late", "batch-7").unwrap();
    assert!(ledger.open(&job("late", 3)).is_err(), "a token is used once");
    fixture.store.close();
    let store = fixture.open();
    let named = BatchJob { id: Some("batch-7".to_owned()), ..job("late", 2) };
    assert_eq!(store.jobs("space").unwrap(), [job("early", 1), named]);
    assert!(store.jobs("another").unwrap().is_empty());
    BatchLedger::close(&*store, "early").unwrap();
    assert_eq!(store.jobs("space").unwrap().len(), 1);
}

for_every_backend!(batch_jobs_are_found_again_until_they_are_closed,);
