// What we use of the host. What differs from version to version is named in host-versions.js.

import path from "node:path";
import { agentEntry, listAgentIds, normalizeAgentId } from "../lib/config.js";
import { askModel } from "./hooks/model.js";
import { sessionEntry } from "./hooks/session-entry.js";
import { noteAnswer } from "./hooks/spending.js";
import { hostAdapter } from "./host-embeddings.js";
import { versionHas } from "./host-versions.js";
import { takeOverOnce } from "./import/take-over.js";
import { originsOf, withOrigins } from "./provenance/origins.js";
import { importSdk } from "./sdk.js";
import { hostSessions } from "./sessions/source.js";
import { voiceOf } from "./voice.js";

/**
 * @typedef {import("../lib/config.js").HostConfig} HostConfig
 * @typedef {{debug?: (text: string) => void, info: (text: string) => void, warn: (text: string) => void, error: (text: string) => void}} Logger
 * @typedef {import("../lib/accounts.js").FoundKey} FoundKey
 * @typedef {Record<string, any>} PluginApi The host's plugin API; its type differs from version to version.
 */

/** A looked-up provider key is used for this long before the host is asked again, in milliseconds. */
const KEY_TTL_MS = 60_000;

/**
 * The workspace that the configuration names for an agent beyond doubt: its own, or the only agent's default, as an absolute
 * path.
 * @param {HostConfig} cfg
 * @param {string} agentId
 */
function writtenWorkspace(cfg, agentId) {
  const own = agentEntry(cfg, agentId)?.workspace;
  const agents = listAgentIds(cfg);
  const isOnly = agents.length === 1 && agents[0] === agentId && cfg.agents?.ownership === undefined;
  const written = typeof own === "string" && own.trim() ? own : isOnly ? cfg.agents?.defaults?.workspace : undefined;
  const place = typeof written === "string" ? written.trim() : "";
  return path.isAbsolute(place) && !place.includes("\0") ? path.resolve(place) : undefined;
}

/** The host behind one registration. Reading `api.runtime` while the command line is described throws, so it is only read when needed. */
export class Host {
  /** @type {PluginApi} */
  #api;
  /** @type {WeakMap<object, Map<string, {at: number, key: Promise<FoundKey | undefined>}>>} */
  #keys = new WeakMap();

  /** @param {PluginApi} api */
  constructor(api) {
    this.#api = api;
  }

  /** @returns {Logger} */
  get logger() {
    return this.#api.logger ?? console;
  }

  /**
   * The configuration as it is now: `config.current` from 2026.6, `config.loadConfig` before.
   * @returns {HostConfig}
   */
  config() {
    const { config } = this.#api.runtime;
    return config?.current?.() ?? config?.loadConfig?.() ?? this.#api.config ?? {};
  }

  /**
   * The configuration as it is written down. The live one has the defaults of our manifest filled in, and the host
   * decides about memory-core before it does that.
   * @returns {Promise<HostConfig>}
   */
  async sourceConfig() {
    const snapshot = await this.#configFile();
    return snapshot?.sourceConfig ?? snapshot?.resolved ?? this.config();
  }

  /**
   * The configuration as a person wrote it: with the names of variables, which the host fills in everywhere else. Empty where
   * the host does not show it.
   * @returns {Promise<HostConfig>}
   */
  async authoredConfig() {
    const snapshot = await this.#configFile();
    return snapshot?.authoredConfig ?? snapshot?.parsed ?? {};
  }

  /**
   * The configuration that the file holds now, with the files that it is made of; undefined where the host would refuse it, or
   * does not show it.
   * @returns {Promise<{config: HostConfig, files: string[]} | undefined>}
   */
  async writtenConfig() {
    const snapshot = await this.#configFile();
    const config = snapshot?.sourceConfig ?? snapshot?.resolved;
    if (!config || snapshot.valid === false || snapshot.exists === false) return undefined;
    return { config, files: [snapshot.path, ...(snapshot.includedPaths ?? [])].filter((file) => typeof file === "string") };
  }

  async #configFile() {
    const sdk = (await importSdk("config-mutation")) ?? (await importSdk("config-runtime"));
    return (await sdk?.readConfigFileSnapshotForWrite?.())?.snapshot;
  }

  /** The host's version, for example `2026.9.6`. */
  version() {
    return String(this.#api.runtime?.version ?? "0");
  }

  /**
   * Whether the host does something that others do not.
   * @param {import("./host-versions.js").Ability} ability
   */
  has(ability) {
    return versionHas(this.version(), ability);
  }

  /** The host's state directory; never derived from where the code is, that is a temporary copy on newer hosts. */
  stateDir() {
    return String(this.#api.runtime.state.resolveStateDir());
  }

  /**
   * Where the host keeps the data of an agent: by the rule of every version, unless the configuration says otherwise. Asking
   * for `runtime.agent` loads the host's whole runtime, which took a second of each command.
   * @param {HostConfig} cfg
   * @param {string} agentId
   */
  agentDir(cfg, agentId) {
    const id = normalizeAgentId(agentId);
    const usual = path.join(this.stateDir(), "agents", id, "agent");
    if (agentEntry(cfg, id)?.agentDir === undefined) return usual;
    const resolved = this.#api.runtime.agent?.resolveAgentDir?.(cfg, agentId);
    return typeof resolved === "string" ? resolved : usual;
  }

  /**
   * The workspace of an agent, by the host's own rules. Where the configuration names it as an absolute path they all agree,
   * and the host's runtime is not loaded for the answer.
   * @param {HostConfig} cfg
   * @param {string} agentId
   */
  workspaceDir(cfg, agentId) {
    const id = normalizeAgentId(agentId);
    const named = writtenWorkspace(cfg, id);
    if (named !== undefined) return named;
    return /** @type {string | undefined} */ (this.#api.runtime.agent?.resolveAgentWorkspaceDir?.(cfg, id));
  }

  /**
   * Every workspace with the agents that live in it.
   * @param {HostConfig} cfg
   * @returns {Map<string, string[]>}
   */
  workspaces(cfg) {
    /** @type {Map<string, string[]>} */
    const agentsByDir = new Map();
    for (const agentId of listAgentIds(cfg)) {
      const dir = this.workspaceDir(cfg, agentId);
      if (dir) agentsByDir.set(dir, [...(agentsByDir.get(dir) ?? []), agentId]);
    }
    return agentsByDir;
  }

  /**
   * What the host has written down about a session; nothing where it tells nothing.
   * @param {HostConfig} cfg
   * @param {string} agentId
   * @param {string} sessionKey
   * @returns {any}
   */
  sessionEntry(cfg, agentId, sessionKey) {
    try {
      return sessionEntry(this.#api.runtime.agent?.session, cfg, agentId, sessionKey).entry;
    } catch {
      return undefined;
    }
  }

  /**
   * What `MemoryIndexManager.get` needs, for this host.
   * @param {{cfg: HostConfig, agentId: string, purpose?: "default" | "status" | "cli"}} request
   * @returns {import("../index.d.ts").ManagerRequest}
   */
  managerRequest({ cfg, agentId, purpose }) {
    const owner = { cfg, agentId: normalizeAgentId(agentId) };
    /** @type {import("../lib/accounts.js").CredentialSources} */
    const credentialSources = {
      lookupKey: (provider) => this.#providerKey(cfg, provider, agentId),
      resolveSecret: (reference) => this.#resolveSecret(cfg, reference),
    };
    return {
      ...owner,
      purpose,
      reopens: true,
      stateDir: this.stateDir(),
      workspaceDir: this.workspaceDir(cfg, agentId),
      beforeFirstUse: takeOverOnce(this, owner),
      describe: withOrigins(this.workspaceDir(cfg, agentId)),
      sessions: this.has("conversationDatabase") ? hostSessions(owner.agentId, () => this.config()) : undefined,
      adapter: hostAdapter({
        ...owner,
        agentDir: this.agentDir(cfg, owner.agentId),
        credentialSources,
        knowsServers: this.has("embeddingServers"),
      }),
      credentialSources,
      host: this.#port(owner.agentId),
    };
  }

  /**
   * What the engine of an agent asks this host for.
   * @param {string} agentId
   * @returns {import("../index.d.ts").ManagerHost}
   */
  #port(agentId) {
    return {
      askModel: (task) => {
        const agent = { cfg: this.config(), agentId };
        return askModel(this.#api.runtime, agent, task, (purpose, answer) => noteAnswer(this, agent, purpose, answer));
      },
      provenance: ({ workspaceDir, files }) => originsOf(this.workspaceDir(this.config(), agentId) ?? workspaceDir, files),
      log: voiceOf(this),
    };
  }

  /**
   * @param {HostConfig} cfg
   * @param {string} provider
   * @param {string} agentId
   */
  #providerKey(cfg, provider, agentId) {
    const known = this.#keys.get(cfg) ?? new Map();
    this.#keys.set(cfg, known);
    const name = `${agentId}\n${provider}`;
    const cached = known.get(name);
    if (cached && Date.now() - cached.at < KEY_TTL_MS) return cached.key;
    const key = this.#lookUpKey(cfg, provider, agentId);
    known.set(name, { at: Date.now(), key });
    return key;
  }

  /**
   * @param {HostConfig} cfg
   * @param {string} provider
   * @param {string} agentId
   * @returns {Promise<FoundKey | undefined>}
   */
  async #lookUpKey(cfg, provider, agentId) {
    const { modelAuth, agent } = this.#api.runtime;
    if (typeof modelAuth?.resolveApiKeyForProvider !== "function") return undefined;
    try {
      const auth = await modelAuth.resolveApiKeyForProvider({ provider, cfg, agentDir: agent?.resolveAgentDir?.(cfg, agentId) });
      // A subscription login is no key for an embedding endpoint.
      if (auth?.mode === "oauth" || typeof auth?.apiKey !== "string") return undefined;
      return { apiKey: auth.apiKey, ...(typeof auth.source === "string" ? { source: auth.source } : {}) };
    } catch {
      // The host throws when it knows no key; that is an answer, not a failure.
      return undefined;
    }
  }

  /**
   * @param {HostConfig} cfg
   * @param {unknown} reference
   */
  async #resolveSecret(cfg, reference) {
    const sdk = await importSdk("secret-ref-runtime");
    if (typeof sdk?.resolveSecretRefValues !== "function") return undefined;
    const values = await sdk.resolveSecretRefValues([reference], { config: cfg });
    const [value] = values instanceof Map ? values.values() : [];
    return typeof value === "string" ? value : undefined;
  }

  /**
   * Changes the configuration file.
   * @param {(draft: HostConfig) => void} change
   * @param {string[]} keys What is changed. Hosts of 2026.8 do not write a value that equals a default of our manifest, unless it is named.
   * @param {() => unknown} [assertCurrent] Throws when whoever asked may not any more; called by hosts that can.
   */
  async editConfig(change, keys, assertCurrent) {
    const { config } = this.#api.runtime;
    if (typeof config.mutateConfigFile === "function") {
      const writeOptions = { explicitSetPaths: keys.map((key) => key.split(".")), ...(assertCurrent ? { assertCurrent } : {}) };
      await config.mutateConfigFile({
        afterWrite: { mode: "auto" },
        writeOptions,
        mutate: (/** @type {HostConfig} */ draft) => change(draft),
      });
      return;
    }
    const draft = structuredClone(config.loadConfig());
    change(draft);
    await config.writeConfigFile(draft);
  }
}
