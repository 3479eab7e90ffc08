//! Rankings take turns, over all engines of the process: as many at a time as there are cores, and the one that would take the
//! event loop's core gives way to it.

use std::sync::LazyLock;

use tokio::sync::{Semaphore, SemaphorePermit};

/// The turns of this process.
pub(super) static TURNS: LazyLock<Turns> =
    LazyLock::new(|| Turns::of(std::thread::available_parallelism().map_or(1, usize::from)));

/// How many may rank at a time.
#[derive(Debug)]
pub(super) struct Turns {
    /// One core is left to the event loop.
    first: Semaphore,
    /// On what the event loop leaves of it.
    spare: Semaphore,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: SemaphorePermit<'static>,
    gives_way: bool,
}

impl Turns {
    fn of(cores: usize) -> Self {
        Self { first: Semaphore::new(cores.saturating_sub(1).max(1)), spare: Semaphore::new(usize::from(cores > 1)) }
    }

    /// Waits for a turn.
    pub(super) async fn take(&'static self) -> Option<Turn> {
        let (permit, gives_way) = tokio::select! {
            biased;
            permit = self.first.acquire() => (permit, false),
            permit = self.spare.acquire() => (permit, true),
        };
        permit.ok().map(|permit| Turn { _permit: permit, gives_way })
    }
}

impl Turn {
    /// Whether it is the one beside the event loop.
    pub(super) const fn gives_way(&self) -> bool {
        self.gives_way
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn gives_way(turn: impl Future<Output = Option<Turn>>) -> Option<(bool, Turn)> {
        let turn = tokio::time::timeout(Duration::from_millis(50), turn).await.ok()??;
        Some((turn.gives_way(), turn))
    }

    #[tokio::test]
    async fn there_are_as_many_turns_as_cores_and_the_last_gives_way() {
        for (cores, wanted) in [(1, vec![false]), (2, vec![false, true]), (4, vec![false, false, false, true])] {
            let turns: &'static Turns = Box::leak(Box::new(Turns::of(cores)));
            let mut taken = Vec::new();
            while let Some(turn) = gives_way(turns.take()).await {
                taken.push(turn);
            }
            assert_eq!(taken.iter().map(|(gives_way, _)| *gives_way).collect::<Vec<_>>(), wanted);
            // Whoever waits gets the first that is free.
            drop(taken.remove(0));
            assert!(gives_way(turns.take()).await.is_some_and(|(gives_way, _)| !gives_way));
        }
    }
}
