//! The providers spoken natively: defaults, limits to start from, and how settings and an account become an embedder
//! (D1–D5).

use std::sync::Arc;

use url::Url;

use super::{
    Embedder, Limits, Space,
    account::{Account, KeyHeader},
    batch::{BatchApi, BatchEmbedder, FileBatch, GeminiBatch},
    client::Http,
    driver::Driver,
    endpoint::Endpoint,
    remote::Remote,
    wire::{
        Wire, below,
        gemini::Gemini,
        ollama::Ollama,
        openai::{DimensionsField, OpenAi},
    },
};
use model::{
    batch::BatchLedger,
    clock::Clock,
    config::settings::ProviderSettings,
    error::{Code, Error, Result},
};

/// A provider spoken natively.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI and everything that speaks its wire format.
    OpenAi,
    /// Google's native API.
    Gemini,
    /// Voyage AI.
    Voyage,
    /// Mistral AI.
    Mistral,
    /// A server on this machine, asked through its own API.
    Ollama,
    /// LM Studio's server.
    LmStudio,
    /// llama.cpp's server.
    LlamaServer,
}

impl Provider {
    /// What is spoken natively, by the ids of settings.
    pub(crate) const IDS: [(&str, Self); 9] = [
        ("openai", Self::OpenAi),
        ("openai-compatible", Self::OpenAi),
        ("gemini", Self::Gemini),
        ("google", Self::Gemini),
        ("voyage", Self::Voyage),
        ("mistral", Self::Mistral),
        ("ollama", Self::Ollama),
        ("lmstudio", Self::LmStudio),
        ("llama-server", Self::LlamaServer),
    ];

    /// The provider that an id means; none when it is not spoken natively.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::IDS.iter().find(|(known, _)| *known == id).map(|(_, provider)| *provider)
    }

    /// The name in the embedding space: servers of one wire format share their vectors.
    #[must_use]
    pub const fn space_name(self) -> &'static str {
        match self {
            Self::OpenAi | Self::LmStudio | Self::LlamaServer => "openai",
            Self::Gemini => "gemini",
            Self::Voyage => "voyage",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
        }
    }

    /// The model used when none is configured (D1–D5).
    #[must_use]
    pub(crate) const fn default_model(self) -> &'static str {
        match self {
            Self::OpenAi => "text-embedding-3-small",
            Self::Gemini => "gemini-embedding-001",
            Self::Voyage => "voyage-4-large",
            Self::Mistral => "mistral-embed",
            Self::Ollama => "nomic-embed-text",
            Self::LmStudio => "text-embedding-nomic-embed-text-v1.5",
            // The server embeds with the one model it was started with, whatever it is called.
            Self::LlamaServer => "default",
        }
    }

    /// What a request may hold at first: documented limits, with room because tokens are only estimated.
    #[must_use]
    pub fn limits(self, model: &str) -> Limits {
        let limits = |items, tokens: usize, input_tokens| Limits { items, tokens, bytes: tokens * 4, input_tokens };
        match self {
            // 2048 inputs and 300,000 tokens a request, 8192 an input.
            Self::OpenAi => limits(2048, 150_000, 8_191),
            // 100 inputs a request, 2048 tokens an input (8192 in the second generation).
            Self::Gemini if model.starts_with("gemini-embedding-2") => limits(100, 50_000, 8_192),
            Self::Gemini => limits(100, 50_000, 2_048),
            // 1000 inputs and 120,000 tokens a request, 32,000 an input.
            Self::Voyage => limits(1000, 60_000, 32_000),
            // 256 inputs and 16,384 tokens a request, 8192 an input.
            Self::Mistral => limits(256, 8_192, 8_192),
            // Local servers embed one text after another: a small request keeps within the time-out on slow machines.
            Self::Ollama | Self::LmStudio | Self::LlamaServer => limits(32, 8_192, 8_192),
        }
    }

    /// The model name as sent: without the provider prefixes that host configurations carry.
    fn wire_model(self, requested: Option<&str>, is_public: bool) -> String {
        let requested = requested.map(str::trim).filter(|model| !model.is_empty());
        let Some(model) = requested else { return self.default_model().to_owned() };
        let prefixes: &[&str] = match self {
            // A router such as OpenRouter wants the prefix.
            Self::OpenAi if is_public => &["openai/"],
            Self::Gemini => &["models/", "gemini/", "google/"],
            Self::Voyage => &["voyage/"],
            Self::Mistral => &["mistral/"],
            Self::Ollama => &["ollama/"],
            Self::LmStudio => &["lmstudio/"],
            Self::OpenAi | Self::LlamaServer => &[],
        };
        let stripped = prefixes.iter().fold(model, |model, prefix| model.strip_prefix(prefix).unwrap_or(model));
        stripped.to_owned()
    }

    /// The model name in the embedding space. A router's prefix is a matter of its address, not of the vectors.
    fn space_model(self, wire_model: &str) -> &str {
        let stripped = wire_model.strip_prefix("openai/").filter(|_| self.space_name() == "openai");
        stripped.unwrap_or(wire_model)
    }

    /// Makes the embedder; with a ledger and batches switched on, one that uses the provider's batch API.
    ///
    /// # Errors
    /// [`Code::Config`] when the account has no address, or a setting cannot be used.
    pub fn embedder(
        self,
        settings: &ProviderSettings,
        account: &Account,
        http: &Arc<Http>,
        clock: &Arc<dyn Clock>,
        ledger: Option<&Arc<dyn BatchLedger>>,
    ) -> Result<Arc<dyn Embedder>> {
        let base = account.base()?;
        let is_custom = Self::from_id(&account.provider) != Some(self);
        let own_prefix = format!("{}/", account.provider);
        let requested = settings.model.as_deref().map(|model| match model.strip_prefix(&own_prefix) {
            Some(rest) if is_custom => rest,
            _ => model,
        });
        let model = self.wire_model(requested, base.host_str() == Some("api.openai.com"));
        self.check_dimensions(settings.dimensions)?;
        let (provider, space_model) = if is_custom {
            // As with an adapter of the host: nobody knows whose model a server of the user's has.
            (account.provider.as_str(), settings.model.as_deref().unwrap_or("default"))
        } else {
            (self.space_name(), self.space_model(&model))
        };
        let space = Space {
            provider: provider.to_owned(),
            model: space_model.to_owned(),
            dimensions: settings.dimensions,
            query_input_type: settings.query_input_type.clone(),
            document_input_type: settings.document_input_type.clone(),
            revision: None,
        };
        let limits = self.limits(&model);
        let key = if self == Self::Gemini { KeyHeader::Google } else { KeyHeader::Bearer };
        let endpoint = || Endpoint::new(Arc::clone(http), account, key);
        let remote = Remote::new(endpoint()?, self.wire(base, &model, settings));
        let driver = Driver::new(space, Box::new(remote), limits, settings.concurrency, Arc::clone(clock));
        let driver = driver.of_provider(&account.provider);
        let batch = ledger.filter(|_| settings.batch.enabled).zip(self.batch_api(endpoint()?, base, &model, settings));
        let Some((ledger, api)) = batch else { return Ok(Arc::new(driver)) };
        let (ledger, clock) = (Arc::clone(ledger), Arc::clone(clock));
        Ok(Arc::new(BatchEmbedder::new(Arc::new(driver), api, ledger, settings.batch.clone(), clock)))
    }

    /// The provider's batch API, if it has one.
    fn batch_api(
        self,
        endpoint: Endpoint,
        base: &Url,
        model: &str,
        settings: &ProviderSettings,
    ) -> Option<Box<dyn BatchApi>> {
        let dimensions = settings.dimensions;
        let document = settings.document_input_type.clone();
        match self {
            Self::OpenAi => {
                let base = without_suffix(base, "/embeddings");
                Some(Box::new(FileBatch::openai(endpoint, base, model, dimensions, document)))
            }
            Self::Voyage => {
                let document = document.unwrap_or_else(|| "document".to_owned());
                let base = without_suffix(base, "/embeddings");
                Some(Box::new(FileBatch::voyage(endpoint, base, model, dimensions, &document)))
            }
            Self::Gemini => {
                let base = without_suffix(base, "/openai");
                Some(Box::new(GeminiBatch::new(endpoint, base.clone(), Self::gemini(&base, model, settings))))
            }
            Self::Mistral | Self::Ollama | Self::LmStudio | Self::LlamaServer => None,
        }
    }

    fn gemini(base: &Url, model: &str, settings: &ProviderSettings) -> Gemini {
        let (query, document) = (settings.query_input_type.as_deref(), settings.document_input_type.as_deref());
        Gemini::new(base, model, settings.dimensions, query, document)
    }

    fn wire(self, base: &Url, model: &str, settings: &ProviderSettings) -> Box<dyn Wire> {
        let (query, document) = (&settings.query_input_type, &settings.document_input_type);
        match self {
            Self::Gemini => Box::new(Self::gemini(&without_suffix(base, "/openai"), model, settings)),
            Self::Ollama => {
                let url = below(&without_suffix(base, "/v1"), "api/embed");
                Box::new(Ollama { url, model: model.to_owned(), dimensions: settings.dimensions })
            }
            Self::OpenAi | Self::Voyage | Self::Mistral | Self::LmStudio | Self::LlamaServer => {
                let field = match self {
                    Self::Voyage | Self::Mistral => DimensionsField::OutputDimension,
                    _ => DimensionsField::Dimensions,
                };
                let implied = |value: &str| (self == Self::Voyage).then(|| value.to_owned());
                Box::new(OpenAi {
                    url: below(&without_suffix(base, "/embeddings"), "embeddings"),
                    model: model.to_owned(),
                    dimensions: settings.dimensions.map(|dims| (field, dims)),
                    query_input_type: query.clone().or_else(|| implied("query")),
                    document_input_type: document.clone().or_else(|| implied("document")),
                    base64: true,
                })
            }
        }
    }

    fn check_dimensions(self, dimensions: Option<u32>) -> Result<()> {
        let range = if self == Self::Gemini { 128..=3072 } else { 1..=8192 };
        match dimensions {
            Some(dims) if !range.contains(&dims) => {
                let message = format!("{dims} dimensions are not between {} and {}", range.start(), range.end());
                Err(Error::new(Code::Config, message).remedy("Change or remove the output dimensions"))
            }
            _ => Ok(()),
        }
    }
}

/// The address without a path ending that users paste along with it.
fn without_suffix(base: &Url, suffix: &str) -> Url {
    let mut url = base.clone();
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(path.strip_suffix(suffix).unwrap_or(&path));
    url
}
