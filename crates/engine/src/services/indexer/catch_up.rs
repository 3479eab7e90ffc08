//! Notes that changed while nobody watched, taken up before a question of a process that was started for it.

use std::sync::Arc;

use super::{super::context::Service, Indexer, sync::TextCall};
use crate::index::{plan::is_stale, session_pass::Scope};
use model::{
    cancel::Cancel,
    config::settings::Settings,
    error::{Code, Error, Result},
};

impl Indexer {
    /// Takes up the words of notes that changed, and says whether the index shows the notes as they are. Where nothing changed,
    /// nothing is written; conversations and vectors take longer than a question waits. An index that holds nothing is
    /// read by the search itself.
    ///
    /// # Errors
    /// When the store or the disk fails, which a search tells in its words, and when cancelled. A time limit that passes is none.
    pub async fn catch_up(self: &Arc<Self>, cancel: Cancel) -> Result<bool> {
        if !self.context.settings().settings.sync.on_search {
            return Ok(true);
        }
        let outcome = async {
            let looking = cancel.clone();
            let look = move |indexer: &Arc<Self>, settings: &Settings| {
                Ok(!indexer.holds_nothing()? && is_stale(indexer.context.store(), settings, &looking)?)
            };
            if self.blocking(look).await? {
                self.sync_text(TextCall::whole(false, Scope::None), &cancel, None).await?;
            }
            Ok::<_, Error>(true)
        };
        match outcome.await {
            Err(error) if error.code() == Code::Deadline => Ok(false),
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::services::testing::{Home, hits, sync};

    // A command that searched answered from the index as the last one had left it, and said nothing of it.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_changed_while_nobody_watched_is_found_and_what_went_is_not() {
        for on_search in [true, false] {
            let home = Home::new(&[("memory/old.md", "The wombat sleeps."), ("MEMORY.md", "The boiler code is E17.")]);
            let settings = serde_json::json!({ "provider": "none", "sync": { "watch": false, "onSearch": on_search } });
            let engine = home.open_set(settings.clone()).await;
            assert!(engine.indexer.catch_up(Cancel::new()).await.unwrap(), "the search reads it");
            sync(&engine).await;
            engine.release().await;
            home.write("memory/new.md", "The submarine museum opens at nine.");
            std::fs::remove_file(home.workspace().join("memory/old.md")).unwrap();
            let engine = home.open_set(settings).await;
            assert!(engine.indexer.catch_up(Cancel::new()).await.unwrap());
            let found = [hits(&engine, "submarine museum").await.len(), hits(&engine, "wombat").await.len()];
            assert_eq!(found, if on_search { [1, 0] } else { [0, 1] });
            engine.release().await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_time_limit_that_passes_is_said() {
        let home = Home::new(&[("MEMORY.md", "The boiler code is E17.")]);
        let engine = home.open_set(serde_json::json!({ "provider": "none", "sync": { "watch": false } })).await;
        sync(&engine).await;
        home.write("memory/new.md", "The submarine museum opens at nine.");
        let told = engine.indexer.catch_up(Cancel::new().within(Duration::ZERO)).await;
        assert!(!told.unwrap());
        engine.release().await;
    }
}
