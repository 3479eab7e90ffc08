//! From the host's configuration to a running engine.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use serde_json::Value;

use super::{Engine, provider::Provider, registry::Lease};
use crate::{
    cancel::Cancel,
    config::{
        resolve::{ResolveInput, resolve},
        secrets::remote_secrets,
        settings::Resolved,
    },
    embed::{
        callback::{Callback, Offered, offer},
        secret::{Credentials, Secret},
    },
    error::{Code, Error, Result},
    store::{OpenOptions, Store},
    transcripts::host::AskHost,
};

/// Credentials of one provider as JavaScript passes them.
pub struct CredentialInput {
    /// The key.
    pub api_key: Option<String>,
    /// Extra headers.
    pub headers: Vec<(String, String)>,
}

/// What opening needs.
pub struct OpenCall {
    /// The host's configuration.
    pub config: Value,
    /// The agent.
    pub agent_id: String,
    /// The host's state directory.
    pub state_dir: PathBuf,
    /// The user's home directory.
    pub home_dir: PathBuf,
    /// The agent's workspace as the host resolved it.
    pub workspace_dir: Option<PathBuf>,
    /// The default workspace as the environment names it.
    pub default_workspace_dir: Option<PathBuf>,
    /// Credentials by provider id, resolved by the host.
    pub credentials: BTreeMap<String, CredentialInput>,
    /// Where the weights of the embedded model may be, best first.
    pub model_paths: Vec<PathBuf>,
    /// The number of the JavaScript thread that the functions below belong to.
    pub thread: u64,
    /// The host's embedding adapters, each with the id it serves; none = the configured provider.
    pub callbacks: Vec<(Option<String>, Callback)>,
    /// A host that keeps its transcripts itself.
    pub sessions: Option<AskHost>,
    /// Whether watching and background syncs may run.
    pub background: bool,
}

impl OpenCall {
    /// What the resolver needs of it.
    #[must_use]
    pub fn resolve_input(&self) -> ResolveInput<'_> {
        ResolveInput {
            config: &self.config,
            agent_id: &self.agent_id,
            state_dir: &self.state_dir,
            home_dir: &self.home_dir,
            workspace_dir: self.workspace_dir.as_deref(),
            default_workspace_dir: self.default_workspace_dir.as_deref(),
        }
    }
}

/// Opens the engine of an agent, or takes a lease on the one that runs; none when memory search is switched off.
/// Other settings than those of the running engine are taken over.
///
/// # Errors
/// What resolving the settings and opening the store give.
pub async fn open(call: OpenCall) -> Result<Option<Lease>> {
    let task = tokio::task::spawn_blocking(move || open_blocking(call));
    let lease = task.await.unwrap_or_else(|e| Err(Error::new(Code::Internal, format!("opening stumbled: {e}"))))?;
    if let Some((lease, background)) = &lease {
        lease.check_soundness();
        if *background {
            lease.start_background();
        }
    }
    Ok(lease.map(|(lease, _)| lease))
}

fn open_blocking(call: OpenCall) -> Result<Option<(Lease, bool)>> {
    let Some(resolved) = resolve(&call.resolve_input())? else { return Ok(None) };
    let credentials = credentials(&call, &resolved);
    let thread = call.thread;
    let adapters = call.callbacks.into_iter().map(|(served, embed)| {
        let served = served.unwrap_or_else(|| resolved.settings.provider.id.clone());
        let offered = Offered::default();
        offered.join(thread, offer(embed));
        (served, Arc::new(offered))
    });
    let adapters = adapters.collect();
    let provider = Provider::new(&resolved.settings, credentials, adapters, call.model_paths);
    let path = resolved.settings.database_path.clone();
    let resolved = Arc::new(resolved);
    let mut fresh = Some(provider);
    let lease = Lease::get_or_make(&path, || {
        let store = Store::open(&path, OpenOptions::default())?;
        let Some(provider) = fresh.take() else {
            return Err(Error::new(Code::Internal, "an engine was made twice"));
        };
        let provider = provider.with_ledger(&resolved.settings, Arc::clone(&store) as _);
        Ok(Arc::new(Engine::new(store, Arc::clone(&resolved), provider)))
    })?;
    if let Some(provider) = fresh {
        let provider = provider.with_ledger(&resolved.settings, Arc::clone(&lease.store) as _);
        lease.reconfigure(resolved, provider);
    }
    if let Some(host) = call.sessions {
        lease.sessions.add_host(thread, host);
    }
    lease.refresh_snapshot(&Cancel::new());
    Ok(Some((lease, call.background)))
}

/// The host's credentials, with `remote.apiKey` and `remote.headers` of the settings on top for the chosen provider.
fn credentials(call: &OpenCall, resolved: &Resolved) -> BTreeMap<String, Credentials> {
    let mut all: BTreeMap<String, Credentials> = call
        .credentials
        .iter()
        .map(|(id, input)| {
            let headers = input.headers.iter().map(|(name, value)| (name.clone(), Secret::new(value.clone())));
            let api_key = input.api_key.clone().map(Secret::new);
            (id.clone(), Credentials { api_key, headers: headers.collect() })
        })
        .collect();
    let remote = remote_secrets(&call.resolve_input());
    let own = all.entry(resolved.settings.provider.id.clone()).or_default();
    if let Some(key) = remote.api_key.filter(|_| !remote.is_reference) {
        own.api_key = Some(Secret::new(key));
    }
    for (name, value) in remote.headers {
        own.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        own.headers.push((name, Secret::new(value)));
    }
    all
}
