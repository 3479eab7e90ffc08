//! An engine on a throw-away workspace, with a provider that makes vectors of letters.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{Engine, Lease, OpenCall, SearchCall, SyncCall, open};
use crate::{
    host::{Host, ModelTask, Offers, Origin, ProvenanceAsked},
    index::SyncReport,
    log::Line,
    transcripts::host::AskHost,
};
use ::search::types::Hit;
use embed::{
    BoxFuture,
    callback::{Asked, Callback, of_texts},
    secret::Secret,
};
use model::{
    cancel::Cancel,
    clock::{Clock, SystemClock},
    error::{Code, Error, Result},
};
use serde_json::Value;

/// Time limit of a search in a test that is not about the limit: a machine that tests has much to do.
const PATIENCE: Duration = Duration::from_secs(900);

/// A text with this word gets no answer from the provider.
pub(crate) const UNANSWERED: &str = "unanswered";

/// A text with this word is answered as if the key were wrong.
pub(crate) const FAILING: &str = "failing";

/// A text with this word is refused, as long as [`Home::strict`] says so.
pub(crate) const REFUSED: &str = "odd";

/// A workspace, its state, and how often a text was embedded.
pub(crate) struct Home {
    pub dir: tempfile::TempDir,
    pub embedded: Arc<AtomicUsize>,
    /// Whether the provider refuses [`REFUSED`] and minds [`FAILING`].
    pub strict: Arc<AtomicBool>,
    /// Whether another model answers under the same name.
    pub swapped: Arc<AtomicBool>,
    /// Whether vectors have fewer numbers.
    pub shorter: Arc<AtomicBool>,
    /// Whether vectors hold what is no number.
    pub nan: Arc<AtomicBool>,
    /// Whether the provider cannot be reached.
    pub down: Arc<AtomicBool>,
    /// Where the embedded model lies; nowhere unless a test says so.
    pub models: Vec<PathBuf>,
    /// The time it goes by; the machine's unless a test says so.
    pub clock: Arc<dyn Clock>,
    /// The address of a database, for settings that name one.
    pub database: Option<String>,
}

impl Home {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let home = Self {
            dir: tempfile::tempdir().unwrap(),
            embedded: Arc::default(),
            strict: Arc::new(AtomicBool::new(true)),
            swapped: Arc::default(),
            shorter: Arc::default(),
            nan: Arc::default(),
            down: Arc::default(),
            models: Vec::new(),
            clock: Arc::new(SystemClock),
            database: None,
        };
        for (path, text) in files {
            home.write(path, text);
        }
        home
    }

    pub(super) fn workspace(&self) -> PathBuf {
        self.dir.path().join("workspace")
    }

    pub(super) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.workspace().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(super) async fn open(&self) -> Lease {
        self.open_in(&self.state()).await
    }

    pub(crate) async fn open_in(&self, state: &Path) -> Lease {
        self.open_with(default_search(), state, &self.workspace()).await
    }

    /// An engine on the home's state, for another workspace.
    pub(crate) async fn open_workspace(&self, workspace: &Path) -> Lease {
        self.open_with(default_search(), &self.state(), workspace).await
    }

    /// With other settings of `memory.search`. Only the provider `bedrock` is there, and `spare`, which never fails.
    pub(crate) async fn open_set(&self, search: serde_json::Value) -> Lease {
        self.open_with(search, &self.state(), &self.workspace()).await
    }

    /// With a state in another folder, too.
    #[cfg(feature = "postgres")]
    pub(crate) async fn open_apart(&self, search: serde_json::Value, state: &Path) -> Lease {
        self.open_with(search, state, &self.workspace()).await
    }

    async fn open_with(&self, search: serde_json::Value, state: &Path, workspace: &Path) -> Lease {
        let (embedded, strict) = (Arc::clone(&self.embedded), Arc::clone(&self.strict));
        let faults = [&self.swapped, &self.shorter, &self.nan, &self.down].map(Arc::clone);
        let call = OpenCall {
            state_dir: state.to_path_buf(),
            workspace_dir: Some(workspace.to_path_buf()),
            model_paths: self.models.clone(),
            clock: Arc::clone(&self.clock),
            database_url: self.database.clone().map(Secret::new),
            host: Some(Arc::new(FakeHost::default().with_embed("spare", spare()).with_embed(
                "bedrock",
                of_texts(move |texts: Vec<String>, _| -> BoxFuture<'static, _> {
                    embedded.fetch_add(texts.len(), Ordering::SeqCst);
                    let strict = strict.load(Ordering::SeqCst);
                    let [swapped, shorter, nan, down] = faults.each_ref().map(|fault| fault.load(Ordering::SeqCst));
                    Box::pin(async move {
                        if down {
                            return Err(Error::new(Code::ProviderUnavailable, "nobody answers"));
                        }
                        if strict && texts.iter().any(|text| text.contains(FAILING)) {
                            return Err(Error::new(Code::ProviderAuth, "no such key"));
                        }
                        if strict && texts.iter().any(|text| text.contains(REFUSED)) {
                            return Err(Error::new(Code::ProviderInput, "an odd text"));
                        }
                        if texts.iter().any(|text| text.contains(UNANSWERED)) {
                            std::future::pending::<()>().await;
                        }
                        let answer = |text: &String| {
                            let mut vector = vector(text);
                            if swapped {
                                vector.rotate_left(7);
                            }
                            if shorter {
                                vector.truncate(20);
                            }
                            if nan {
                                vector[0] = f32::NAN;
                            }
                            vector
                        };
                        Ok(texts.iter().map(answer).collect())
                    })
                }),
            ))),
            ..open_call(self.dir.path(), &search)
        };
        open(call).await.unwrap().unwrap()
    }
}

/// A host of which each test offers what it needs.
#[derive(Default)]
pub(crate) struct FakeHost {
    offers: Offers,
    embed: Vec<Callback>,
    conversations: Option<AskHost>,
    model: Option<Box<AnswerModel>>,
    provenance: Option<Box<TellOrigins>>,
    password: Option<Box<TellPassword>>,
}

type AnswerModel = dyn Fn(ModelTask) -> Result<String> + Send + Sync;
type TellPassword = dyn Fn() -> Result<String> + Send + Sync;
type TellOrigins = dyn Fn(ProvenanceAsked) -> Vec<Origin> + Send + Sync;

impl FakeHost {
    /// With an embedding adapter for a provider; an empty id is the configured one.
    pub(crate) fn with_embed(mut self, provider: &str, embed: Callback) -> Self {
        self.offers.embed.push(provider.to_owned());
        self.embed.push(embed);
        self
    }

    pub(crate) fn with_conversations(mut self, ask: AskHost) -> Self {
        self.offers.conversations = true;
        self.conversations = Some(ask);
        self
    }

    pub(crate) fn with_model(mut self, answer: impl Fn(ModelTask) -> Result<String> + Send + Sync + 'static) -> Self {
        self.offers.model = true;
        self.model = Some(Box::new(answer));
        self
    }

    pub(crate) fn with_provenance(
        mut self,
        tell: impl Fn(ProvenanceAsked) -> Vec<Origin> + Send + Sync + 'static,
    ) -> Self {
        self.offers.provenance = true;
        self.provenance = Some(Box::new(tell));
        self
    }

    pub(crate) fn with_password(mut self, tell: impl Fn() -> Result<String> + Send + Sync + 'static) -> Self {
        self.offers.database_password = true;
        self.password = Some(Box::new(tell));
        self
    }
}

impl Host for FakeHost {
    fn offers(&self) -> &Offers {
        &self.offers
    }

    fn embed(&self, provider: &str, asked: Asked) -> BoxFuture<'static, Result<Vec<Vec<f32>>>> {
        let at = self.offers.embed.iter().position(|served| served == provider).unwrap();
        (self.embed[at])(asked)
    }

    fn conversations(&self, request: Value) -> BoxFuture<'static, Result<Value>> {
        (self.conversations.as_ref().unwrap())(request)
    }

    fn ask_model(&self, task: ModelTask) -> BoxFuture<'static, Result<String>> {
        let answer = (self.model.as_ref().unwrap())(task);
        Box::pin(async move { answer })
    }

    fn provenance(&self, asked: ProvenanceAsked) -> BoxFuture<'static, Result<Vec<Origin>>> {
        let origins = (self.provenance.as_ref().unwrap())(asked);
        Box::pin(async move { Ok(origins) })
    }

    fn database_password(&self) -> BoxFuture<'static, Result<String>> {
        let told = (self.password.as_ref().unwrap())();
        Box::pin(async move { told })
    }

    fn log(&self, _: Line) -> bool {
        false
    }
}

/// Opening an engine with these settings of `memory.search` on a folder: the notes in `workspace` below it, the state
/// beside them, and nothing of a host.
pub(super) fn open_call(dir: &Path, search: &serde_json::Value) -> OpenCall {
    OpenCall {
        config: serde_json::json!({ "memory": { "search": search } }),
        agent_id: "main".to_owned(),
        state_dir: dir.to_path_buf(),
        home_dir: dir.to_path_buf(),
        workspace_dir: Some(dir.join("workspace")),
        default_workspace_dir: None,
        accounts: Vec::new(),
        database_url: None,
        database_parts: None,
        model_paths: Vec::new(),
        thread: 0,
        host: None,
        background: false,
        clock: Arc::new(SystemClock),
    }
}

/// Settings of `memory.search` that most tests use.
fn default_search() -> serde_json::Value {
    serde_json::json!({ "provider": "bedrock", "model": "titan" })
}

/// A workspace of these files, and an engine that has indexed it.
pub(super) async fn indexed(files: &[(&str, &str)]) -> (Home, Lease) {
    let home = Home::new(files);
    let engine = home.open().await;
    sync(&engine).await;
    (home, engine)
}

/// Another provider, which answers everything and is not counted.
fn spare() -> Callback {
    let embed = |texts: Vec<String>, _| -> BoxFuture<'static, _> {
        Box::pin(async move { Ok(texts.iter().map(|text| vector(text)).collect()) })
    };
    of_texts(embed)
}

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.1; 26];
    for letter in text.bytes().filter(u8::is_ascii_alphabetic) {
        vector[usize::from(letter.to_ascii_lowercase() - b'a')] += 1.0;
    }
    vector
}

pub(super) async fn sync(engine: &Lease) -> Arc<SyncReport> {
    let call = SyncCall { reason: "test".into(), force: false, text_only: false };
    engine.indexer.sync(call, Cancel::new(), None).await.unwrap()
}

pub(super) fn asking(query: &str) -> SearchCall {
    SearchCall {
        query: query.to_owned(),
        sources: Vec::new(),
        lexical_only: true,
        deadline_ms: Some(PATIENCE.as_millis() as u64),
        now_ms: 1_795_000_000_000,
        ..SearchCall::of_notes()
    }
}

pub(super) async fn hits(engine: &Arc<Engine>, query: &str) -> Vec<Hit> {
    engine.searcher.search(asking(query), Cancel::new()).await.unwrap().hits
}
