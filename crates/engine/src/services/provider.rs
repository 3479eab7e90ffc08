//! The embedding provider of an engine: the one the settings ask for, or its fallback after a failure (D8).

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, LazyLock, OnceLock, Weak},
};

use parking_lot::{Mutex, RwLock};
use serde_json::{Value, json};

use super::model_check::Record;
use embed::{
    Embedder,
    account::Account,
    callback::{Offered, offered_adapter},
    client::Http,
    embedded::{
        InProcess, artifact,
        brought::{self, Wanted, Watch},
    },
    factory::{EmbeddedLoader, Selected, Sources, build, build_fallback},
    revised::Revised,
};
use model::{
    batch::BatchLedger,
    clock::Clock,
    config::{paths::OWN_FOLDER, settings::Settings},
    error::{Code, Error, Result},
};

/// What was chosen, or why nothing could be.
type Choice = Result<Selected>;

/// The provider of one engine.
pub(super) struct Provider {
    sources: Sources,
    /// The host's adapters, by the id they serve.
    adapters: BTreeMap<String, Arc<Offered>>,
    choice: RwLock<Arc<Choice>>,
    /// The model for single lines once it was needed; opening it reads its tokenizer.
    lines: OnceLock<Arc<dyn Embedder>>,
    /// What is known of the model, with the key of its space.
    model: RwLock<Option<(String, Record)>>,
}

impl Provider {
    /// Chooses by the settings. A provider that cannot be made is no error here: keyword search works without it, and
    /// status says why.
    pub(super) fn new(
        settings: &Settings,
        accounts: Vec<Account>,
        adapters: BTreeMap<String, Arc<Offered>>,
        model_paths: Vec<PathBuf>,
        clock: &Arc<dyn Clock>,
    ) -> Self {
        let sources = Sources {
            http: Http::new(),
            clock: Arc::clone(clock),
            accounts,
            adapters: adapters.iter().map(|(id, offered)| (id.clone(), offered_adapter(offered))).collect(),
            embedded: Some(embedded_loader(settings, model_paths)),
            #[cfg(feature = "llama-cpp")]
            model_dir: settings.state_dir.join(OWN_FOLDER).join("gguf"),
            ledger: None,
        };
        let choice = RwLock::new(Arc::new(build(&settings.provider, &sources)));
        Self { sources, adapters, choice, lines: OnceLock::new(), model: RwLock::default() }
    }

    /// The same with a ledger for batch jobs, which only an open engine has.
    pub(super) fn with_ledger(mut self, settings: &Settings, ledger: Arc<dyn BatchLedger>) -> Self {
        if settings.provider.batch.enabled {
            self.sources.ledger = Some(ledger);
            self.choice = RwLock::new(Arc::new(build(&settings.provider, &self.sources)));
        }
        self
    }

    /// Whether the other one would reach its provider the same way.
    pub(super) fn has_same_sources(&self, other: &Self) -> bool {
        self.sources.accounts == other.sources.accounts
            && self.sources.adapters.keys().eq(other.sources.adapters.keys())
            && self.choice().is_ok()
    }

    /// Takes in what another thread offers, for the time when the thread that offered it here has ended.
    pub(super) fn join(&self, other: &Self) {
        for (id, offered) in &other.adapters {
            if let Some(own) = self.adapters.get(id) {
                own.join_all(offered);
            }
        }
    }

    /// What is chosen now.
    pub(super) fn choice(&self) -> Arc<Choice> {
        Arc::clone(&self.choice.read())
    }

    /// The embedder in use; none for keyword search only.
    ///
    /// # Errors
    /// Why the provider that was asked for is not available.
    pub(super) fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>> {
        match &**self.choice.read() {
            Ok(selected) => Ok(selected.embedder.clone().map(|embedder| self.in_its_revision(embedder))),
            Err(error) => Err(error.clone()),
        }
    }

    /// An embedder whose model was swapped makes vectors of another space.
    fn in_its_revision(&self, embedder: Arc<dyn Embedder>) -> Arc<dyn Embedder> {
        match &*self.model.read() {
            Some((key, record)) if record.revision > 0 && *key == embedder.space().key() => {
                Arc::new(Revised::new(embedder, record.revision))
            }
            _ => embedder,
        }
    }

    /// The space of the provider in use, whatever model answers there; none for words only and for models in this process.
    pub(super) fn model_key(&self) -> Option<String> {
        let choice = self.choice();
        let embedder = choice.as_ref().as_ref().ok()?.embedder.as_ref()?;
        (!embedder.is_local()).then(|| embedder.space().key())
    }

    /// Notes what is known of the model of a space.
    pub(super) fn set_model(&self, key: String, record: Record) {
        *self.model.write() = Some((key, record));
    }

    /// What is known of the model in use.
    pub(super) fn model(&self) -> Option<Record> {
        let key = self.model_key()?;
        self.model.read().as_ref().filter(|(known, _)| *known == key).map(|(_, record)| record.clone())
    }

    /// Brings and converts the encoder of the user's that the settings ask for, if there is one and it is not there, and
    /// chooses it then. Takes as long as a download.
    ///
    /// # Errors
    /// As [`brought::prepare`].
    pub(super) async fn prepare(&self, settings: &Settings, watch: Watch) -> Result<()> {
        let Some(wanted) = Wanted::of(&settings.provider)? else { return Ok(()) };
        let cache = encoder_cache(settings);
        // A folder that went away does not stop what was made of it.
        let is_current = !matches!(brought::ready(&wanted, &cache), Ok(None));
        if is_current && self.choice().is_ok() {
            return Ok(());
        }
        brought::prepare(&wanted, &cache, watch).await?;
        *self.choice.write() = Arc::new(build(&settings.provider, &self.sources));
        Ok(())
    }

    /// The model in this process that embeds single lines, beside whatever embeds the chunks; none when it is not
    /// installed, or when search by meaning is switched off.
    pub(super) fn line_embedder(&self) -> Option<Arc<dyn Embedder>> {
        let chosen = self.embedder().ok()??;
        if chosen.is_local() {
            return Some(chosen);
        }
        if self.lines.get().is_none() {
            let model = self.sources.embedded.as_ref()?(None).ok()?;
            // Another search may have been first: all share one model anyway.
            let _ = self.lines.set(model);
        }
        self.lines.get().cloned()
    }

    /// The model in this process that embeds single lines beside a hosted provider, if somebody has asked for it.
    pub(super) fn known_line_embedder(&self) -> Option<&Arc<dyn Embedder>> {
        self.lines.get().filter(|_| self.is_hosted())
    }

    /// Whether something else than this process embeds the chunks.
    pub(super) fn is_hosted(&self) -> bool {
        matches!(self.embedder(), Ok(Some(embedder)) if !embedder.is_local())
    }

    /// The account of the provider in use; of the one that was asked for while none can be used.
    fn account(&self, settings: &Settings) -> Option<&Account> {
        match &*self.choice() {
            Ok(selected) => self.sources.account(&selected.provider),
            Err(_) => self.sources.account(&settings.provider.id),
        }
    }

    /// Where texts go and where the key comes from: `{address?, addressFrom?, keyFrom?}`. Null when texts stay in this
    /// process, or nobody knows the address.
    pub(super) fn endpoint(&self, settings: &Settings) -> Value {
        let account = self.account(settings);
        let shown = account.filter(|account| account.shown_address().is_some() || account.key_from.is_some());
        shown.map_or(Value::Null, |account| {
            json!({
                "address": account.shown_address(),
                "addressFrom": account.address_from,
                "keyFrom": account.key_from,
            })
        })
    }

    /// Whether the provider in use works on this machine, in this process or beside it.
    fn is_on_this_machine(&self, settings: &Settings) -> bool {
        self.account(settings).is_some_and(Account::is_on_this_machine)
    }

    /// Whether it may charge for texts: not what runs in this process or on this machine.
    pub(super) fn is_paid(&self, settings: &Settings) -> bool {
        match &*self.choice() {
            Ok(Selected { embedder: Some(embedder), .. }) => !embedder.is_local() && !self.is_on_this_machine(settings),
            _ => false,
        }
    }

    /// The embedders that may have sent something.
    pub(super) fn in_use(&self) -> Vec<Arc<dyn Embedder>> {
        let chosen = self.embedder().ok().flatten();
        let lines = self.lines.get().cloned();
        chosen.into_iter().chain(lines).collect()
    }

    /// Switches to the configured fallback because the provider failed; none when there is no fallback, or when it is
    /// in use already.
    pub(super) fn fall_back(&self, settings: &Settings, reason: &Error) -> Option<Arc<dyn Embedder>> {
        let failed = match &**self.choice.read() {
            Ok(selected) if selected.fallback_from.is_some() => return None,
            Ok(selected) => selected.provider.clone(),
            Err(_) => settings.provider.id.clone(),
        };
        let selected = build_fallback(&settings.provider, &self.sources, &failed, reason)?.ok()?;
        let embedder = selected.embedder.clone();
        *self.choice.write() = Arc::new(Ok(selected));
        embedder.map(|embedder| self.in_its_revision(embedder))
    }
}

/// Loads the bundled model, or an encoder of the user's, when it is chosen.
fn embedded_loader(settings: &Settings, candidates: Vec<PathBuf>) -> EmbeddedLoader {
    let (state, cache) = (settings.state_dir.join(OWN_FOLDER), encoder_cache(settings));
    Arc::new(move |wanted| {
        let Some((wanted, settings)) = wanted else {
            let weights = artifact::locate(&candidates, &state)?;
            return Ok(shared_model(weights.display().to_string(), || InProcess::open(weights))?);
        };
        let ready = brought::ready(wanted, &cache)?.ok_or_else(|| {
            Error::new(Code::ProviderUnavailable, format!("the model {} is not prepared yet", wanted.name()))
                .remedy("`openclaw memory index` downloads and converts it; until then words are searched")
        })?;
        let prefixes = ready.prefixes.or(settings);
        let key = format!("{}\n{}\n{}", ready.file.display(), prefixes.query, prefixes.document);
        Ok(shared_model(key, || InProcess::open_brought(&ready, prefixes))?)
    })
}

/// Where encoders of the user's are kept, as they came and converted.
fn encoder_cache(settings: &Settings) -> PathBuf {
    let own = || settings.state_dir.join(OWN_FOLDER).join("models").join("encoders");
    settings.provider.local_model_cache_dir.as_ref().map_or_else(own, PathBuf::from)
}

/// All agents of the process share one model: its threads and memory are there once.
fn shared_model(key: String, open: impl FnOnce() -> Result<InProcess>) -> Result<Arc<InProcess>> {
    static MODELS: LazyLock<Mutex<BTreeMap<String, Weak<InProcess>>>> = LazyLock::new(Mutex::default);
    let mut models = MODELS.lock();
    if let Some(model) = models.get(&key).and_then(Weak::upgrade) {
        return Ok(model);
    }
    let model = Arc::new(open()?);
    models.insert(key, Arc::downgrade(&model));
    Ok(model)
}
