//! The writer lease within one process, with a clock that is set by hand.

use super::*;
use crate::lease::{Lease, LeaseRow, VALID_MS};
use model::error::Code;
use std::time::Duration;

/// A second store on the same file, as another process on another machine would have.
fn stranger<B: Backend>(fixture: &Fixture<B>) -> Arc<Store> {
    let owner = Owner { uuid: "other".into(), pid: 1, host: "elsewhere".into(), boot_id: "other".into() };
    fixture.backend.open(OpenOptions { owner, ..options(&fixture.clock) })
}

fn one_store_indexes_at_a_time<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let other = stranger(&fixture);
    assert_eq!(other.write_indexed(|_| Ok(())).unwrap_err().code(), Code::Busy, "nobody indexes without lease");
    assert_eq!(fixture.store.acquire_lease().unwrap(), Lease::Held { token: 1 });
    assert_eq!(fixture.store.acquire_lease().unwrap(), Lease::Held { token: 1 });
    assert!(matches!(other.acquire_lease().unwrap(), Lease::HeldBy(_)));
    other.write(|tx| tx.set_meta("k", "v")).unwrap();
    fixture.store.release_lease().unwrap();
    assert_eq!(fixture.store.write_indexed(|_| Ok(())).unwrap_err().code(), Code::Busy);
    assert_eq!(other.acquire_lease().unwrap(), Lease::Held { token: 2 });
}

fn closing_gives_the_lease_back<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let other = stranger(&fixture);
    fixture.store.acquire_lease().unwrap();
    fixture.store.close();
    assert_eq!(other.acquire_lease().unwrap(), Lease::Held { token: 2 });
}

// A thread of JavaScript that dies leaves its store without closing it; the next one waited twenty seconds for a lease
// that nobody held.
fn a_store_that_was_dropped_in_the_middle_holds_no_lease<B: Backend>() {
    let fixture = Fixture::<B>::new();
    let dropped = fixture.open();
    dropped.acquire_lease().unwrap();
    assert!(matches!(fixture.store.acquire_lease().unwrap(), Lease::HeldBy(_)));
    drop(dropped);
    // The writer thread of the dropped store ends by itself.
    let began = std::time::Instant::now();
    while matches!(fixture.store.acquire_lease().unwrap(), Lease::HeldBy(_)) {
        assert!(began.elapsed().as_secs() < 10, "the clock of the test stands still: the lease never runs out");
        std::thread::yield_now();
    }
}

fn a_lease_that_ran_out_changes_hands_and_fences_the_old_holder<B: Backend>() {
    let fixture = Fixture::<B>::new();
    // The holder's own clock stands still, as it does for a stopped process, so that it renews nothing.
    let owner = Owner { uuid: "other".into(), pid: 1, host: "elsewhere".into(), boot_id: "other".into() };
    let stopped = TestClock::at(1_000_000);
    let other = fixture.backend.open(OpenOptions { owner, ..options(&stopped) });
    other.acquire_lease().unwrap();
    fixture.clock.advance(Duration::from_millis(VALID_MS.cast_unsigned() - 1));
    assert!(matches!(fixture.store.acquire_lease().unwrap(), Lease::HeldBy(_)));
    fixture.clock.advance(Duration::from_millis(1));
    assert_eq!(fixture.store.acquire_lease().unwrap(), Lease::Held { token: 2 });
    let late = other.write_indexed(|tx| tx.set_meta("late", "v"));
    assert_eq!(late.unwrap_err().code(), Code::Busy);
    assert_eq!(fixture.store.read(|r| r.meta("late")).unwrap(), None);
}

fn the_writer_thread_renews_its_lease<B: Backend>() {
    let fixture = Fixture::<B>::new();
    fixture.store.acquire_lease().unwrap();
    let expires = || fixture.store.read(|r| r.lease()).unwrap().unwrap().expires_ms;
    let before = expires();
    fixture.clock.advance(Duration::from_secs(5));
    // Renewed after the next piece of work, whatever it is.
    fixture.store.write(|tx| tx.set_meta("k", "v")).unwrap();
    fixture.store.write(|tx| tx.set_meta("k", "w")).unwrap();
    assert_eq!(expires(), before + 5_000);
}

#[test]
fn a_clock_that_was_set_back_does_not_keep_a_dead_holder() {
    let owner = Owner { uuid: "a".into(), pid: 1, host: "elsewhere".into(), boot_id: String::new() };
    let row = LeaseRow { owner, token: 1, expires_ms: 100_000 };
    let here = Owner::this_process();
    assert!(row.is_valid(90_000, &here));
    assert!(!row.is_valid(100_000, &here));
    assert!(!row.is_valid(10_000, &here), "a lease is never that long");
}

for_every_backend!(
    one_store_indexes_at_a_time,
    closing_gives_the_lease_back,
    a_store_that_was_dropped_in_the_middle_holds_no_lease,
    ; of_files:
    a_lease_that_ran_out_changes_hands_and_fences_the_old_holder,
    the_writer_thread_renews_its_lease,
);
