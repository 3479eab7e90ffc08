//! Chooses the provider: explicit, automatic (D7), or the fallback of one that failed (D8).

use std::{borrow::Cow, collections::BTreeMap, path::Path, sync::Arc};

use super::{
    Embedder, Space,
    account::Account,
    callback::{Adapter, callback_driver},
    client::Http,
    embedded::brought::Wanted,
    provider::Provider,
    redact::Redactor,
    redacting::Redacting,
};
use model::{
    batch::BatchLedger,
    clock::Clock,
    config::settings::{ProviderSettings, RedactSecrets},
    error::{Code, Error, Result},
};

/// The embedded model.
const EMBEDDED: &str = "embedded";

/// Loads the bundled model, or the encoder of the user's with the prefixes that the settings name. One that was not
/// prepared yet is an error that says so.
pub type EmbeddedLoader = Arc<dyn Fn(Option<(&Wanted, &ProviderSettings)>) -> Result<Arc<dyn Embedder>> + Send + Sync>;

/// What providers are made from; one per engine.
pub struct Sources {
    /// The process's HTTP client.
    pub http: Arc<Http>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Addresses with their keys, as they were resolved from the configuration (D9). Those that `auto` may choose stand
    /// in the order in which it tries them.
    pub accounts: Vec<Account>,
    /// The host's embedding adapters, by provider id. Used for ids that are not spoken natively.
    pub adapters: BTreeMap<String, Adapter>,
    /// Loads the embedded model; none when it is not installed.
    pub embedded: Option<EmbeddedLoader>,
    /// Where models that are downloaded go, when the settings name no folder.
    #[cfg(feature = "llama-cpp")]
    pub model_dir: std::path::PathBuf,
    /// Where batch jobs are written down; without it, batch APIs are not used.
    pub ledger: Option<Arc<dyn BatchLedger>>,
}

impl Sources {
    /// The account of a provider, if it has one.
    #[must_use]
    pub fn account(&self, id: &str) -> Option<&Account> {
        self.accounts.iter().find(|account| account.provider == id)
    }
}

/// The provider that was chosen.
#[derive(Clone)]
pub struct Selected {
    /// The embedder; none = keyword search only.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The id that was asked for, `auto` and `none` included.
    pub requested: String,
    /// The id that is used; `none` without an embedder.
    pub provider: String,
    /// The provider that this one stands in for (D8).
    pub fallback_from: Option<String>,
    /// Why it does, in a sentence for people.
    pub fallback_reason: Option<String>,
}

/// Makes the provider that the settings ask for, or its fallback when it cannot be made.
///
/// # Errors
/// When an explicit provider is not available and neither is its fallback; the error is that of the provider.
pub fn build(settings: &ProviderSettings, sources: &Sources) -> Result<Selected> {
    let selected = match settings.id.as_str() {
        "none" => Ok(("none".to_owned(), None)),
        "auto" => automatic(settings, sources).map(|(id, embedder)| (id, Some(embedder))),
        id => make(id, settings, sources).map(|embedder| (id.to_owned(), Some(embedder))),
    };
    match selected {
        Ok((provider, embedder)) => Ok(Selected {
            embedder,
            requested: settings.id.clone(),
            provider,
            fallback_from: None,
            fallback_reason: None,
        }),
        Err(error) => build_fallback(settings, sources, &settings.id, &error).unwrap_or(Err(error)),
    }
}

/// Makes the provider that stands in for `failed` (D8), with its own default model and account. None when no fallback is
/// configured.
pub fn build_fallback(
    settings: &ProviderSettings,
    sources: &Sources,
    failed: &str,
    reason: &Error,
) -> Option<Result<Selected>> {
    let id = settings.fallback.as_deref().filter(|&id| id != "none" && id != failed)?;
    // Model and options were meant for the provider that failed.
    let own = ProviderSettings {
        id: id.to_owned(),
        model: None,
        dimensions: None,
        query_input_type: None,
        document_input_type: None,
        ..settings.clone()
    };
    Some(make(id, &own, sources).map(|embedder| Selected {
        embedder: Some(embedder),
        requested: settings.id.clone(),
        provider: id.to_owned(),
        fallback_from: Some(failed.to_owned()),
        fallback_reason: Some(reason.message.clone()),
    }))
}

/// The first provider of the documented order that has what it needs. A missing key means the next one; any other
/// problem is told, because going on would silently use another provider than the user set up.
fn automatic(settings: &ProviderSettings, sources: &Sources) -> Result<(String, Arc<dyn Embedder>)> {
    let is_file = |path: &str| !path.contains("://") && !path.starts_with("hf:") && Path::new(path).is_file();
    if settings.local_model_path.as_deref().is_some_and(is_file) {
        return Ok(("local".to_owned(), make("local", settings, sources)?));
    }
    for account in sources.accounts.iter().filter(|account| account.automatic) {
        match make(&account.provider, settings, sources) {
            Ok(embedder) => return Ok((account.provider.clone(), embedder)),
            Err(error) if error.code() == Code::ProviderAuth => {}
            Err(error) => return Err(error),
        }
    }
    make(EMBEDDED, settings, sources).map(|embedder| (EMBEDDED.to_owned(), embedder))
}

/// Makes one provider; one elsewhere gets texts without secrets.
fn make(id: &str, settings: &ProviderSettings, sources: &Sources) -> Result<Arc<dyn Embedder>> {
    let embedder = make_plain(id, settings, sources)?;
    let stays = embedder.is_local() || stays_here(id, sources);
    let redacts = settings.redact_secrets != RedactSecrets::Never && !stays;
    Ok(if redacts { Arc::new(Redacting(embedder)) } else { embedder })
}

/// Whether texts stay on this machine. Another server here may hand them on, so only those count that run models.
fn stays_here(id: &str, sources: &Sources) -> bool {
    match id {
        "local" => true,
        "ollama" | "lmstudio" => sources.account(id).is_none_or(Account::is_on_this_machine),
        _ => false,
    }
}

fn make_plain(id: &str, settings: &ProviderSettings, sources: &Sources) -> Result<Arc<dyn Embedder>> {
    if id == EMBEDDED {
        let load = sources.embedded.as_ref().ok_or_else(|| {
            Error::new(Code::NotFound, "the embedded model is not installed")
                .remedy("Reinstall the plugin, or set another embedding provider")
        })?;
        return load(Wanted::of(settings)?.as_ref().map(|wanted| (wanted, settings)));
    }
    let account = sources.account(id);
    // An adapter of the host knows its own servers better than their wire format tells.
    let custom = account.and_then(|account| account.api).filter(|_| !sources.adapters.contains_key(id));
    if let Some(provider) = Provider::from_id(id).or(custom) {
        let none = || Account::new(id, None);
        let account = account.map_or_else(|| Cow::Owned(none()), Cow::Borrowed);
        return provider.embedder(settings, &account, &sources.http, &sources.clock, sources.ledger.as_ref());
    }
    account.map_or(Ok(()), Account::check)?;
    #[cfg(feature = "llama-cpp")]
    if id == "local" {
        return local(settings, sources);
    }
    let Some(adapter) = sources.adapters.get(id) else {
        let known: Vec<&str> = Provider::IDS.iter().map(|(known, _)| *known).collect();
        return Err(Error::new(Code::Config, format!("the embedding provider {id:?} is not known")).remedy(format!(
            "Set one of: auto, none, embedded, {}, or one of the host's providers",
            known.join(", ")
        )));
    };
    let model = settings.model.clone().or_else(|| adapter.model.clone());
    let model = if id == "local" { settings.local_model_path.clone().or(model) } else { model };
    let space = Space {
        provider: id.to_owned(),
        model: model.unwrap_or_else(|| "default".to_owned()),
        dimensions: settings.dimensions,
        query_input_type: settings.query_input_type.clone(),
        document_input_type: settings.document_input_type.clone(),
        revision: None,
    };
    let embed = Arc::clone(&adapter.embed);
    let clock = Arc::clone(&sources.clock);
    let redactor = account.map_or_else(Redactor::default, Account::redactor);
    Ok(Arc::new(callback_driver(id, space, embed, redactor, settings.concurrency, clock)))
}

/// A GGUF model in this process.
#[cfg(feature = "llama-cpp")]
fn local(settings: &ProviderSettings, sources: &Sources) -> Result<Arc<dyn Embedder>> {
    use super::gguf;

    let model = settings.local_model_path.as_deref().or(settings.model.as_deref()).unwrap_or(gguf::DEFAULT_MODEL);
    let cache_dir = settings.local_model_cache_dir.as_deref().map_or_else(|| sources.model_dir.clone(), Into::into);
    let space = Space {
        provider: "local".to_owned(),
        model: model.to_owned(),
        dimensions: settings.dimensions,
        query_input_type: None,
        document_input_type: None,
        revision: None,
    };
    let embed = gguf::callback(model, cache_dir)?;
    let clock = Arc::clone(&sources.clock);
    // One request at a time: there is one model in memory, and it uses several processors by itself.
    Ok(Arc::new(callback_driver("llama.cpp", space, embed, Redactor::default(), 1, clock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        callback::of_texts,
        secret::{Credentials, Secret},
        tests::settings,
    };
    use model::clock::SystemClock;

    /// The accounts as JavaScript resolves them: providers that have a key, and the others with what is missing.
    fn sources(keys: &[&str]) -> Sources {
        let credentials = || Credentials { api_key: Some(Secret::new("canary-key")), ..Credentials::default() };
        let account = |id: &str| {
            let mut account =
                Account::new(id, Some(&format!("https://{id}.example/v1"))).with_credentials(credentials());
            account.automatic = ["openai", "gemini", "voyage", "mistral"].contains(&id);
            account
        };
        let keyless = |id: &str| {
            let problem = Error::new(Code::ProviderAuth, format!("there is no API key for {id}")).remedy("Set one");
            account(id).with_problem(problem)
        };
        let known = ["openai", "gemini", "voyage", "mistral", "ollama"];
        let accounts = known.iter().map(|id| if keys.contains(id) { account(id) } else { keyless(id) });
        let adapter = Adapter {
            model: Some("adapter-model".into()),
            embed: of_texts(|texts, _| Box::pin(async move { Ok(vec![vec![1.0]; texts.len()]) })),
        };
        let loader_clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let embedded_adapter = adapter.clone();
        Sources {
            http: Http::new(),
            clock: Arc::new(SystemClock),
            accounts: accounts.collect(),
            adapters: [("local".to_owned(), adapter.clone()), ("bedrock".to_owned(), adapter)].into(),
            embedded: Some(Arc::new(move |_| {
                let space = Space {
                    provider: EMBEDDED.to_owned(),
                    model: "minilm".into(),
                    dimensions: None,
                    query_input_type: None,
                    document_input_type: None,
                    revision: None,
                };
                let embed = Arc::clone(&embedded_adapter.embed);
                let clock = Arc::clone(&loader_clock);
                Ok(Arc::new(callback_driver(EMBEDDED, space, embed, Redactor::default(), 1, clock)))
            })),
            #[cfg(feature = "llama-cpp")]
            model_dir: std::env::temp_dir(),
            ledger: None,
        }
    }

    fn failure(outcome: Result<Selected>) -> Error {
        outcome.err().unwrap()
    }

    #[test]
    fn auto_takes_the_first_provider_with_a_key_and_ends_with_the_embedded_model() {
        for (keys, expected) in [
            (&["mistral", "voyage"][..], "voyage"),
            (&["gemini", "openai"][..], "openai"),
            (&["gemini"][..], "gemini"),
            (&["ollama"][..], "embedded"),
            (&[][..], "embedded"),
        ] {
            assert_eq!(build(&settings("auto"), &sources(keys)).unwrap().provider, expected, "{keys:?}");
        }
    }

    #[test]
    fn auto_prefers_an_existing_model_file_but_not_a_download() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut wanted = settings("auto");
        wanted.local_model_path = Some(file.path().to_str().unwrap().into());
        assert_eq!(build(&wanted, &sources(&["openai"])).unwrap().provider, "local");
        wanted.local_model_path = Some("hf:org/model.gguf".into());
        assert_eq!(build(&wanted, &sources(&["openai"])).unwrap().provider, "openai");
    }

    #[test]
    fn auto_tells_a_wrong_setting_instead_of_trying_the_next() {
        let mut wrong = sources(&["openai", "gemini"]);
        wrong.accounts[0] = Account::new("openai", Some("not an address?key=canary"));
        wrong.accounts[0].automatic = true;
        let error = failure(build(&settings("auto"), &wrong));
        assert_eq!(error.code(), Code::Config);
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn an_explicit_provider_without_a_key_is_an_error_with_a_remedy() {
        let error = failure(build(&settings("voyage"), &sources(&["openai"])));
        assert_eq!(error.code(), Code::ProviderAuth);
        assert!(error.remedy.is_some());
        assert_eq!(failure(build(&settings("nonsense"), &sources(&[]))).code(), Code::Config);
    }

    #[test]
    fn the_fallback_uses_its_own_model_and_says_why() {
        let mut wanted = settings("openai");
        wanted.fallback = Some("gemini".into());
        wanted.model = Some("text-embedding-3-large".into());
        wanted.dimensions = Some(64);
        let selected = build(&wanted, &sources(&["gemini"])).unwrap();
        assert_eq!((selected.provider.as_str(), selected.fallback_from.as_deref()), ("gemini", Some("openai")));
        assert!(selected.fallback_reason.unwrap().contains("no API key"));
        let space = selected.embedder.unwrap().space().clone();
        assert_eq!((space.model.as_str(), space.dimensions), ("gemini-embedding-001", None));
        wanted.fallback = Some("none".into());
        assert_eq!(failure(build(&wanted, &sources(&["gemini"]))).code(), Code::ProviderAuth);
    }

    #[test]
    fn a_host_adapter_serves_ids_that_are_not_native() {
        let selected = build(&settings("bedrock"), &sources(&[])).unwrap();
        let space = selected.embedder.unwrap().space().clone();
        assert_eq!((space.provider.as_str(), space.model.as_str()), ("bedrock", "adapter-model"));
        assert!(build(&settings("none"), &sources(&[])).unwrap().embedder.is_none());
    }

    // The prefix was taken off at the public address only: a proxy in front of the same provider had all texts embedded
    // again.
    #[test]
    fn the_space_knows_the_format_but_not_the_address() {
        let space = |id: &str, base: &str, model: &str| {
            let mut wanted = settings(id);
            wanted.model = Some(model.into());
            let sources = Sources { accounts: vec![Account::new(id, Some(base))], ..sources(&[]) };
            build(&wanted, &sources).unwrap().embedder.unwrap().space().key()
        };
        let public = "https://api.openai.com/v1";
        let compatible = space("openai-compatible", "http://127.0.0.1:1/v1", "m");
        assert_eq!(compatible, space("openai", "http://10.0.0.1:2/v1", "m"));
        let small = space("openai", public, "text-embedding-3-small");
        assert_eq!(small, space("openai", public, "openai/text-embedding-3-small"));
        assert_eq!(small, space("openai", "https://proxy.example/v1", "openai/text-embedding-3-small"));
        assert_ne!(compatible, space("openai", public, "n"));
    }

    // Texts for a server of one's own were booked as sent to OpenAI.
    #[test]
    fn whom_it_asks_is_called_as_the_settings_do_and_the_space_as_before() {
        for (id, of_space) in [
            ("openai", "openai"),
            ("openai-compatible", "openai"),
            ("lmstudio", "openai"),
            ("llama-server", "openai"),
            ("google", "gemini"),
            ("bedrock", "bedrock"),
        ] {
            let sources = Sources { accounts: vec![Account::new(id, Some("http://127.0.0.1:1/v1"))], ..sources(&[]) };
            let embedder = build(&settings(id), &sources).unwrap().embedder.unwrap();
            assert_eq!((embedder.provider(), embedder.space().provider.as_str()), (id, of_space));
        }
    }

    #[test]
    fn a_provider_without_an_address_sends_nothing() {
        let nobody = Sources { accounts: Vec::new(), ..sources(&[]) };
        let error = failure(build(&settings("openai"), &nobody));
        assert_eq!((error.code(), error.message.contains("no address")), (Code::Config, true), "{error}");
    }

    #[test]
    fn an_id_of_the_users_own_is_spoken_natively_unless_the_host_has_an_adapter() {
        let mut custom = Account::new("gpu-box", Some("http://127.0.0.1:1"));
        custom.api = Some(Provider::Ollama);
        let mut wanted = settings("gpu-box");
        wanted.model = Some("gpu-box/bge".into());
        let native = Sources { accounts: vec![custom.clone()], ..sources(&[]) };
        let space = |sources: &Sources| build(&wanted, sources).unwrap().embedder.unwrap().space().clone();
        assert_eq!((space(&native).provider.as_str(), space(&native).model.as_str()), ("gpu-box", "gpu-box/bge"));
        let mut adapted = Sources { accounts: vec![custom], ..sources(&[]) };
        let adapter = adapted.adapters["bedrock"].clone();
        adapted.adapters.insert("gpu-box".into(), adapter);
        assert_eq!(space(&adapted), space(&native), "a host that gets the adapter later keeps its vectors");
    }
}
