//! From the host's configuration to a running engine.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use serde_json::Value;

use super::{
    Engine,
    admin::{Check, database},
    passwords,
    provider::Provider,
    registry::Lease,
};
use crate::{blocking::blocking, host::Host, log, workspace::exclusions::list_path};
use embed::{
    account::Account,
    callback::{Callback, Offered},
    secret::Secret,
};
use model::{
    cancel::Cancel,
    clock::Clock,
    config::{
        paths::default_database_path,
        resolve::{ResolveInput, resolve},
        settings::{DatabaseSettings, Resolved, Settings},
    },
    error::{Code, Error, Result},
};
use store::{
    Location, OpenOptions, Store,
    database::{InDatabase, Options, Parts, examine},
    place::{self, Workspace},
};

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
    /// The addresses and keys of the providers that the settings could use, resolved by the host.
    pub accounts: Vec<Account>,
    /// The address of the database that the settings name, resolved by the host; none where they name none.
    pub database_url: Option<Secret>,
    /// What the settings name of a database instead of its address, resolved by the host; none where they name nothing of it.
    pub database_parts: Option<Parts>,
    /// Where the weights of the embedded model may be, best first.
    pub model_paths: Vec<PathBuf>,
    /// The number of the JavaScript thread that offers the host.
    pub thread: u64,
    /// The host.
    pub host: Option<Arc<dyn Host>>,
    /// Whether watching and background syncs may run.
    pub background: bool,
    /// The time it goes by.
    pub clock: Arc<dyn Clock>,
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
    log::listen();
    // Before anything is opened: what is said then is worth hearing.
    if let Some(host) = call.host.as_ref().filter(|host| host.offers().log) {
        let host = Arc::clone(host);
        log::tell(call.thread, Arc::new(move |line| host.log(line)));
    }
    let lease = blocking(move || open_blocking(call)).await?;
    if let Some((lease, background)) = &lease {
        lease.indexer.check_soundness();
        if *background {
            lease.indexer.start_background();
            lease.admin.finish_forgetting_in_background();
            lease.admin.remove_unfinished_in_background();
        }
    }
    Ok(lease.map(|(lease, _)| lease))
}

/// What can be said of the database of an agent whose index cannot be opened; none when it is in no database.
///
/// # Errors
/// What resolving the settings gives, and what keeps the database from being asked.
pub async fn examine_database(call: OpenCall) -> Result<Option<Vec<Check>>> {
    blocking(move || {
        let Some(resolved) = resolve(&call.resolve_input())? else { return Ok(None) };
        let Some(settings) = &resolved.settings.database else { return Ok(None) };
        let place = in_database(&call, &resolved.settings, settings)?;
        Ok(Some(database::checks(&examine(&place)?)))
    })
    .await
}

fn open_blocking(call: OpenCall) -> Result<Option<(Lease, bool)>> {
    let Some(mut resolved) = resolve(&call.resolve_input())? else { return Ok(None) };
    let workspace = Workspace::at(&resolved.settings.workspace_dir);
    let configured = resolved.settings.database_path.clone();
    if let Some(database) = &resolved.settings.database {
        let place = in_database(&call, &resolved.settings, database)?;
        return open_at(&call, resolved, &workspace, &Location::Database(Box::new(place))).map(Some);
    }
    resolved.settings.database_path = place::locate(&configured, &workspace, call.workspace_dir.is_some());
    let file = |resolved: &Resolved| Location::File(resolved.settings.database_path.clone());
    match open_at(&call, resolved.clone(), &workspace, &file(&resolved)) {
        // Another workspace took the name a moment ago.
        Err(error) if place::is_not_ours(&error) => {
            resolved.settings.database_path = place::own_path(&configured, &workspace);
            let location = file(&resolved);
            open_at(&call, resolved, &workspace, &location).map(Some)
        }
        other => other.map(Some),
    }
}

/// The address of the database that the settings name.
fn address(call: &OpenCall) -> Result<Secret> {
    if let Some(parts) = &call.database_parts {
        return parts.url().map(Secret::new);
    }
    call.database_url.clone().ok_or_else(|| {
        Error::new(
            Code::Config,
            "store.postgres.url says no address of a database, or names a secret that cannot be read",
        )
        .remedy(
            "Set store.postgres.url, for example to \"${MEMORY_PG_URL}\" with that variable in the gateway's \
                 environment, or host, database and user instead",
        )
    })
}

/// Where in its database the memory of an agent is.
pub(super) fn in_database(call: &OpenCall, settings: &Settings, database: &DatabaseSettings) -> Result<InDatabase> {
    let url = address(call)?;
    let host = call.host.as_ref().filter(|host| host.offers().database_password);
    let options = Options {
        password: host.map(|host| passwords::asked(url.expose(), call.thread, host)),
        schema: database.schema.clone(),
        tenant: database.tenant.clone(),
        ssl: database.ssl,
        ssl_root_cert: database.ssl_root_cert.clone(),
        pool_size: database.pool_size,
        connect_timeout: Duration::from_millis(database.connect_timeout_ms),
        statement_timeout: Duration::from_millis(database.statement_timeout_ms),
        max_staleness: Duration::from_millis(database.max_staleness_ms),
        cache_bytes: database.cache_mb << 20,
        near_in: database.search,
        arena_bytes: database.arena_max_mb << 20,
        ..Options::new(url.expose())
    };
    let (agent, beside) = (settings.agent_id.clone(), settings.database_path.clone());
    Ok(InDatabase { options, agent, migrate: database.migrate, beside })
}

/// An index that was replaced, or that cannot be written, is nothing to find out about by chance.
fn say_how_it_opened(store: &Store, agent: &str) {
    if let Some(recovery) = &store.opened().recovery {
        let vectors = recovery.salvaged;
        tracing::warn!(agent, vectors, "the index was damaged and is built anew; vectors that could be read are kept");
    }
    if let Some(error) = store.refusal() {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(agent, error, "the index is opened for reading only; changes are not noticed");
    }
}

/// The host's embedding adapters, each with the id it serves.
fn adapters_of(host: &Arc<dyn Host>) -> Vec<(String, Callback)> {
    let adapter = |served: &String| {
        let (host, provider) = (Arc::clone(host), served.clone());
        let embed: Callback = Arc::new(move |asked| host.embed(&provider, asked));
        (served.clone(), embed)
    };
    host.offers().embed.iter().map(adapter).collect()
}

/// Gives an index that has no list of what is forgotten what the lists say beside the agent's other indexes.
fn inherit(call: &OpenCall, settings: &Settings, workspace: &Workspace) -> Result<()> {
    let path = &settings.database_path;
    if list_path(path).exists() {
        return Ok(());
    }
    let is_only = call.workspace_dir.is_some();
    let mut others = if path.exists() { Vec::new() } else { place::others(path) };
    let usual = default_database_path(&settings.state_dir, &settings.agent_id);
    let usual = (usual.parent() != path.parent()).then(|| place::locate(&usual, workspace, is_only));
    if let Some(usual) = &usual {
        others.extend(place::others(usual));
        others.push(usual.clone());
    }
    // In a host an agent has one workspace: whatever it had before has moved.
    let has_moved = |other: &Path| is_only || usual.as_deref() == Some(other) || place::has_moved_to(other, workspace);
    super::place::inherit(path, &others, has_moved)
}

/// Opens the engine of a database, or takes a lease on the one that runs.
fn open_at(call: &OpenCall, resolved: Resolved, workspace: &Workspace, location: &Location) -> Result<(Lease, bool)> {
    super::carried::carry(&resolved.settings)?;
    inherit(call, &resolved.settings, workspace)?;
    let thread = call.thread;
    let adapters = call.host.iter().flat_map(adapters_of).map(|(served, embed)| {
        let served = if served.is_empty() { resolved.settings.provider.id.clone() } else { served };
        let offered = Offered::default();
        offered.join(thread, embed);
        (served, Arc::new(offered))
    });
    let adapters = adapters.collect();
    let provider =
        Provider::new(&resolved.settings, call.accounts.clone(), adapters, call.model_paths.clone(), &call.clock);
    let resolved = Arc::new(resolved);
    let mut fresh = Some(provider);
    let lease = Lease::get_or_make(location, workspace, || {
        let options = OpenOptions {
            workspace: Some(workspace.clone()),
            clock: Arc::clone(&call.clock),
            ..OpenOptions::default()
        };
        let store = Store::open_at(location, options)?;
        say_how_it_opened(&store, &resolved.settings.agent_id);
        let Some(provider) = fresh.take() else {
            return Err(Error::new(Code::Internal, "an engine was made twice"));
        };
        let provider = provider.with_ledger(&resolved.settings, Arc::clone(&store) as _);
        Ok(Arc::new(Engine::new(store, Arc::clone(&resolved), provider, Arc::clone(&call.clock))))
    })?;
    if let Some(provider) = fresh {
        let provider = provider.with_ledger(&resolved.settings, Arc::clone(lease.context.store()) as _);
        lease.reconfigure(resolved, provider);
    }
    if let Some(host) = &call.host {
        lease.join(thread, Arc::clone(host));
    }
    lease.telemetry.refresh(&Cancel::new());
    Ok((lease, call.background))
}
