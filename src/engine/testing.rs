//! An engine on a throw-away workspace, with a provider that makes vectors of letters.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::{Engine, Lease, OpenCall, SearchCall, SyncCall, open};
use crate::{cancel::Cancel, embed::BoxFuture, index::SyncReport, search::types::Hit};

/// A text with this word gets no answer from the provider.
pub const UNANSWERED: &str = "unanswered";

/// A workspace, its state, and how often a text was embedded.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub embedded: Arc<AtomicUsize>,
}

impl Home {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap(), embedded: Arc::default() };
        for (path, text) in files {
            home.write(path, text);
        }
        home
    }

    pub fn workspace(&self) -> PathBuf {
        self.dir.path().join("workspace")
    }

    pub fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub async fn open(&self) -> Lease {
        self.open_in(&self.state()).await
    }

    pub async fn open_in(&self, state: &Path) -> Lease {
        self.open_with(state, &self.workspace()).await
    }

    /// An engine on the home's state, for another workspace.
    pub async fn open_workspace(&self, workspace: &Path) -> Lease {
        self.open_with(&self.state(), workspace).await
    }

    async fn open_with(&self, state: &Path, workspace: &Path) -> Lease {
        let embedded = Arc::clone(&self.embedded);
        let call = OpenCall {
            config: serde_json::json!({ "memory": { "search": { "provider": "bedrock", "model": "titan" } } }),
            agent_id: "main".to_owned(),
            state_dir: state.to_path_buf(),
            home_dir: self.dir.path().to_path_buf(),
            workspace_dir: Some(workspace.to_path_buf()),
            default_workspace_dir: None,
            accounts: Vec::new(),
            model_paths: Vec::new(),
            thread: 0,
            callbacks: vec![(
                None,
                Arc::new(move |texts: Vec<String>, _| -> BoxFuture<'static, _> {
                    embedded.fetch_add(texts.len(), Ordering::SeqCst);
                    Box::pin(async move {
                        if texts.iter().any(|text| text.contains(UNANSWERED)) {
                            std::future::pending::<()>().await;
                        }
                        Ok(texts.iter().map(|text| vector(text)).collect())
                    })
                }),
            )],
            sessions: None,
            background: false,
        };
        open(call).await.unwrap().unwrap()
    }
}

/// A workspace of these files, and an engine that has indexed it.
pub async fn indexed(files: &[(&str, &str)]) -> (Home, Lease) {
    let home = Home::new(files);
    let engine = home.open().await;
    sync(&engine).await;
    (home, engine)
}

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.1; 26];
    for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
        vector[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0;
    }
    vector
}

pub async fn sync(engine: &Lease) -> Arc<SyncReport> {
    let call = SyncCall { reason: "test".into(), force: false, text_only: false };
    engine.sync(call, Cancel::new(), None).await.unwrap()
}

pub fn asking(query: &str) -> SearchCall {
    SearchCall {
        query: query.to_owned(),
        understood: None,
        max_results: None,
        min_score: None,
        sources: Vec::new(),
        lexical_only: true,
        explain: false,
        deadline_ms: None,
        now_ms: 1_795_000_000_000,
        session_key: None,
    }
}

pub async fn hits(engine: &Arc<Engine>, query: &str) -> Vec<Hit> {
    engine.search(asking(query), Cancel::new()).await.unwrap().hits
}
