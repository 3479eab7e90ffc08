//! Searches come before looks at the whole disk that nobody asked for: both at once share processors and disk.

use std::time::Duration;

use tokio::sync::watch;

/// Longest wait for searches to end. One that takes longer waits for something else, as a provider.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many searches are under way.
pub(super) struct Quiet(watch::Sender<usize>);

impl Default for Quiet {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// A search, as long as this is there.
pub(crate) struct Searching(watch::Sender<usize>);

impl Drop for Searching {
    fn drop(&mut self) {
        self.0.send_modify(|searches| *searches -= 1);
    }
}

impl Quiet {
    /// A search begins.
    pub(super) fn searching(&self) -> Searching {
        self.0.send_modify(|searches| *searches += 1);
        Searching(self.0.clone())
    }

    /// Waits until no search is under way, or a second.
    pub(super) async fn at_last(&self) {
        let mut searches = self.0.subscribe();
        // The sender is here: there is no other end.
        let _ = tokio::time::timeout(PATIENCE, searches.wait_for(|searches| *searches == 0)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_look_waits_until_the_last_search_has_ended() {
        let quiet = Quiet::default();
        quiet.at_last().await;
        let (one, two) = (quiet.searching(), quiet.searching());
        let look = async {
            quiet.at_last().await;
            *quiet.0.borrow()
        };
        let searches = async {
            drop(one);
            tokio::task::yield_now().await;
            drop(two);
        };
        let (left, ()) = tokio::join!(look, searches);
        assert_eq!(left, 0);
    }

    #[tokio::test]
    async fn a_search_that_does_not_end_is_not_waited_for() {
        let quiet = Quiet::default();
        let _slow = quiet.searching();
        quiet.at_last().await;
        assert_eq!(*quiet.0.borrow(), 1);
    }
}
