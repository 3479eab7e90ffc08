//! Batch jobs outlive the process that submitted them.

use super::*;
use model::batch::{BatchJob, BatchLedger};

#[test]
fn batch_jobs_are_found_again_until_they_are_closed() {
    let fixture = Fixture::new();
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
    let store = Store::open(&fixture.path(), options(&fixture.clock)).unwrap();
    let named = BatchJob { id: Some("batch-7".to_owned()), ..job("late", 2) };
    assert_eq!(store.jobs("space").unwrap(), [job("early", 1), named]);
    assert!(store.jobs("another").unwrap().is_empty());
    BatchLedger::close(&*store, "early").unwrap();
    assert_eq!(store.jobs("space").unwrap().len(), 1);
}
