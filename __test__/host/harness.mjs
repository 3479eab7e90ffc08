// A real OpenClaw host in a throw-away home, with a loopback model provider. Nothing here knows about the tests.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PLUGIN_ID } from "../../lib/package-info.js";
import { compareVersions } from "../../lib/versions.js";
import { createFakeProvider } from "../support/fake-provider.mjs";
import { installHost } from "../support/install.mjs";
import { COMMAND_MS, freePort, killGroup, outcomeOf } from "./child-processes.mjs";
import { Connection } from "./gateway-connection.mjs";

/** @typedef {import("./child-processes.mjs").Outcome} Outcome */

/** Time of one question whether a turn is over; the host's own client gives up after thirty seconds. */
const WAIT_MS = 15_000;

/** Connections to a gateway that are tried for one request. */
const CONNECTIONS = 5;

/** Hosts that nobody has stopped yet. @type {Set<TestHost>} */
const started = new Set();
process.once("exit", () => {
  for (const host of started) host.kill();
});

/** Stops what a suite left running, however it ended. */
export async function stopHosts() {
  await Promise.all([...started].map((host) => host.stop()));
}

/** One host with its own state, workspace and model provider. */
export class TestHost {
  /** @type {import("node:child_process").ChildProcess | null} */
  #gateway = null;
  #gatewayOutput = "";
  /** @type {Connection | null} */
  #connection = null;
  /** Processes that have not ended. @type {Set<import("node:child_process").ChildProcess>} */
  #children = new Set();

  /**
   * @param {string} version
   * @param {string} dir
   * @param {string} entry
   * @param {ReturnType<typeof createFakeProvider>} provider
   * @param {string} baseUrl
   * @param {number} port
   */
  constructor(version, dir, entry, provider, baseUrl, port) {
    this.version = version;
    this.dir = dir;
    this.entry = entry;
    this.provider = provider;
    this.baseUrl = baseUrl;
    this.port = port;
    this.workspace = path.join(dir, "workspace");
    this.stateDir = path.join(dir, "state");
    /** @type {Record<string, string>} Environment of every process of this host, beside what it needs itself. */
    this.env = {};
  }

  /**
   * Installs the version if need be and prepares an empty home for it.
   * @param {string} version
   * @param {{files: Record<string, string>, rules: object[]}} setup Files of the workspace, rules of the model.
   */
  static async start(version, { files, rules }) {
    const installed = await installHost(version);
    const dir = await mkdtemp(path.join(os.tmpdir(), `oc-${version}-`));
    const provider = createFakeProvider({ rules });
    provider.server.listen(0, "127.0.0.1");
    await once(provider.server, "listening");
    const { port } = /** @type {import("node:net").AddressInfo} */ (provider.server.address());
    const entry = path.join(installed, "node_modules", "openclaw", "openclaw.mjs");
    const host = new TestHost(version, dir, entry, provider, `http://127.0.0.1:${port}/v1`, await freePort());
    started.add(host);
    await Promise.all(["home", "state", "tmp", "workspace/memory"].map((name) => mkdir(path.join(dir, name), { recursive: true })));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(host.workspace, name), text);
    await host.#writeConfig(host.#config());
    return host;
  }

  /** @param {string} wanted */
  atLeast(wanted) {
    return compareVersions(this.version, wanted) >= 0;
  }

  /**
   * Hosts of 2026.6 keep a long list of skills beside a conversation's entry, and compare the entry on disk with the one in
   * memory by their JSON, in which the list then stands at two places: a conversation that a gateway has begun takes no
   * other message of a chat surface ("reply session initialization conflicted"). Without skills nothing stands beside it.
   */
  get #comparesSkills() {
    return this.atLeast("2026.6.1") && !this.atLeast("2026.7.1");
  }

  #config() {
    const search = {
      provider: this.atLeast("2026.8.1") ? "openai-compatible" : "openai",
      model: "fake-embed",
      remote: { baseUrl: this.baseUrl, apiKey: "sk-embed" },
    };
    const model = { id: "fake-chat", name: "fake-chat", contextWindow: 128_000, maxTokens: 4096 };
    return {
      gateway: { mode: "local", port: this.port, auth: { mode: "token", token: "test-token" } },
      logging: { file: path.join(this.dir, "host.log") },
      agents: {
        defaults: {
          workspace: this.workspace,
          model: { primary: "fake/fake-chat" },
          skipBootstrap: true,
          ...(this.#comparesSkills ? { skills: [] } : {}),
          ...(this.atLeast("2026.8.1") ? {} : { memorySearch: search }),
        },
      },
      models: {
        mode: "merge",
        providers: { fake: { baseUrl: this.baseUrl, apiKey: "sk-chat", api: "openai-completions", models: [model] } },
      },
      ...(this.atLeast("2026.8.1") ? { memory: { search } } : {}),
    };
  }

  /** Key of the memory settings in this host's configuration. */
  get searchKey() {
    return this.atLeast("2026.8.1") ? "memory.search" : "agents.defaults.memorySearch";
  }

  /** What its processes have written into the log; "" before there is one. */
  async log() {
    return await readFile(path.join(this.dir, "host.log"), "utf8").catch(() => "");
  }

  /** The configuration file as it is on disk. */
  async config() {
    return JSON.parse(await readFile(path.join(this.stateDir, "openclaw.json"), "utf8"));
  }

  /** @param {object} config */
  async #writeConfig(config) {
    await writeFile(path.join(this.stateDir, "openclaw.json"), JSON.stringify(config, null, 2));
  }

  /**
   * Changes the configuration file, with our entry of it at hand; the command would take seconds for each value.
   * @param {(entry: Record<string, any>, config: Record<string, any>) => void} change
   */
  async edit(change) {
    const config = await this.config();
    change(config.plugins?.entries?.[PLUGIN_ID], config);
    await this.#writeConfig(config);
  }

  /**
   * Changes settings of the plugin, also in a running gateway.
   * @param {Record<string, unknown>} settings
   */
  async configure(settings) {
    await this.reconfigure((entry) => {
      entry.config = { ...entry.config, ...settings };
    });
  }

  /**
   * Changes the configuration as `edit` does, for a running gateway too: one of 2026.8.1 and later takes over settings of a
   * plugin while it runs, as its log says; an older one restarts for them, and misses a change that comes too soon after.
   * @param {Parameters<TestHost["edit"]>[0]} change
   */
  async reconfigure(change) {
    const isRunning = this.#gateway !== null;
    if (isRunning && !this.atLeast("2026.8.1")) {
      await this.stopGateway();
      await this.edit(change);
      await this.startGateway();
      return;
    }
    const before = JSON.stringify(await this.config());
    const from = this.#gatewayOutput.length;
    await this.edit(change);
    if (!isRunning || JSON.stringify(await this.config()) === before) return;
    for (let waited = 0; waited < COMMAND_MS; waited += 100) {
      const said = this.#gatewayOutput.slice(from);
      if (/config hot reload applied|config change applied/.test(said)) return;
      await pause(100);
    }
    throw new Error(`the gateway did not take over its configuration:\n${this.#gatewayOutput.slice(from)}`);
  }

  /**
   * Installs the packed plugin and writes what it needs, which is cheaper than the commands that a user has for it.
   * @param {string} tarball
   */
  async addPlugin(tarball) {
    await this.ok("plugins", "install", tarball, ...(this.atLeast("2026.8.1") ? ["--force", "--accept-capabilities"] : []));
    await this.edit((entry, config) => {
      config.plugins.slots = { ...config.plugins.slots, memory: PLUGIN_ID };
      entry.config = { ...entry.config, dreaming: { enabled: false } };
      if (this.atLeast("2026.4.24")) entry.hooks = { allowConversationAccess: true };
    });
  }

  /**
   * Installs the packed plugin and gives it the memory slot.
   * @param {string} tarball
   */
  async installPlugin(tarball) {
    const consent = this.atLeast("2026.8.1") ? ["--accept-capabilities"] : [];
    await this.ok("plugins", "install", tarball, ...(this.atLeast("2026.8.1") ? ["--force"] : []), ...consent);
    await this.ok("plugins", "enable", PLUGIN_ID, ...consent);
  }

  /**
   * @param {string[]} args
   * @param {Record<string, string>} [more] Environment of this process only.
   */
  #spawn(args, more = {}) {
    return this.#node([this.entry, ...args], more);
  }

  /**
   * A process of Node in the home of this host.
   * @param {string[]} args
   * @param {Record<string, string>} [more]
   * @param {"ignore" | "pipe"} [input]
   */
  #node(args, more = {}, input = "ignore") {
    const { NODE_EXTRA_CA_CERTS, SSL_CERT_FILE } = process.env;
    const child = spawn(process.execPath, args, {
      cwd: this.dir,
      // A group of its own, so that what it starts can be ended with it.
      detached: true,
      stdio: [input, "pipe", "pipe"],
      env: {
        PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
        HOME: path.join(this.dir, "home"),
        // OpenClaw 2026.6.11 closes its temporary folder to everybody else when it starts an agent of its ACP plugin.
        TMPDIR: path.join(this.dir, "tmp"),
        OPENCLAW_STATE_DIR: this.stateDir,
        NO_COLOR: "1",
        ...this.env,
        ...(NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS } : {}),
        ...(SSL_CERT_FILE ? { SSL_CERT_FILE } : {}),
        ...more,
      },
    });
    this.#children.add(child);
    child.once("close", () => this.#children.delete(child));
    return child;
  }

  /** Ends what still runs, at once. */
  kill() {
    for (const child of this.#children) killGroup(child);
  }

  /**
   * Runs `openclaw …`.
   * @param {string[]} args
   * @returns {Promise<Outcome>}
   */
  async run(...args) {
    return await outcomeOf(this.#spawn(args));
  }

  /**
   * Calls a method of the running gateway, as its owner. A gateway that takes over a changed configuration closes its
   * connections: what was asked meanwhile is asked again, and a key keeps it from being said twice.
   * @param {string} method
   * @param {Record<string, unknown>} params
   * @param {{expectFinal?: boolean}} [options] `expectFinal`: the answer is the one at the end of the turn.
   */
  async callAsOwner(method, params, options) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#owner().request(method, params, options);
      } catch (error) {
        if (attempt === CONNECTIONS || !/closed|not connected|ECONNREFUSED/i.test(String(error))) throw error;
        this.#disconnect();
        await pause(1000 * attempt);
      }
    }
  }

  /**
   * Calls a method with some rights only.
   * @param {string} scopes With commas.
   * @param {string} method
   * @param {Record<string, unknown>} params
   */
  async callWith(scopes, method, params) {
    const connection = this.#connect(scopes);
    try {
      return await connection.request(method, params);
    } finally {
      connection.child.kill();
    }
  }

  #owner() {
    if (!this.#connection?.isOpen) this.#connection = this.#connect();
    return this.#connection;
  }

  /** @param {string[]} scopes With commas; without, all that an owner has. */
  #connect(...scopes) {
    const script = fileURLToPath(new URL("gateway-client.mjs", import.meta.url));
    const args = [script, path.dirname(this.entry), `ws://127.0.0.1:${this.port}`, "test-token", ...scopes];
    return new Connection(this.#node(args, {}, "pipe"));
  }

  /** What was shown in a conversation since this connection to the gateway, oldest first. @param {string} sessionKey */
  shown(sessionKey) {
    return (this.#connection?.said ?? []).filter((one) => one.sessionKey === sessionKey).map((one) => JSON.stringify(one.message ?? ""));
  }

  #disconnect() {
    if (this.#connection?.isOpen) killGroup(this.#connection.child);
    this.#connection = null;
  }

  /**
   * Says something in the chat of the running gateway, as its owner, and waits until that is done: what follows a `/new` is
   * said in the new conversation, which newer hosts refuse while they still end the old one.
   * @param {string} sessionKey
   * @param {string} message
   */
  async chat(sessionKey, message) {
    const { runId } = await this.callAsOwner("chat.send", { sessionKey, message, idempotencyKey: randomUUID() });
    for (let waited = 0; waited < COMMAND_MS; waited += WAIT_MS) {
      if (await this.#isDone(runId)) return;
    }
    throw new Error(`"${message}" was not done in ${COMMAND_MS} ms:\n${this.#gatewayOutput.slice(-3000)}`);
  }

  /**
   * Whether a turn is over. A gateway of 2026.4 that loads its agent for the first turn holds its event loop for longer than
   * the host's own client waits for any answer, on a busy machine.
   * @param {string} runId
   */
  async #isDone(runId) {
    try {
      const { status } = await this.callAsOwner("agent.wait", { runId, timeoutMs: WAIT_MS });
      return status !== "timeout";
    } catch (error) {
      if (String(error).includes("gateway request timeout for agent.wait")) return false;
      throw error;
    }
  }

  /**
   * Runs a command that must succeed.
   * @param {string[]} args
   */
  async ok(...args) {
    const outcome = await this.run(...args);
    if (outcome.code !== 0) throw new Error(`openclaw ${args.join(" ")} ended with ${outcome.code}:\n${outcome.output}`);
    return outcome;
  }

  /**
   * Runs a command that must print JSON.
   * @param {string[]} args
   */
  async json(...args) {
    const { stdout } = await this.ok(...args, "--json");
    const start = stdout.search(/^[[{]/m);
    return JSON.parse(stdout.slice(start));
  }

  /**
   * One turn of a conversation; returns what the agent says. `local` starts a process for it, as the command line does; else
   * the running gateway is asked, which is much cheaper.
   * @param {string} message
   * @param {{local?: boolean, session?: string}} [options] `session`: another conversation than the main one.
   */
  async turn(message, { local = true, session } = {}) {
    if (!local) {
      const sessionKey = `agent:main:${session ?? "main"}`;
      const request = { message, sessionKey, agentId: "main", deliver: false, idempotencyKey: randomUUID() };
      return JSON.stringify(await this.callAsOwner("agent", request, { expectFinal: true }));
    }
    const where = session ? ["--session-id", session] : [];
    const { output } = await this.ok("agent", "--local", "--agent", "main", ...where, "--message", message);
    return output;
  }

  /** Every request to the provider since the last `takeChats`, oldest first. */
  peekRecords() {
    return [...this.provider.records];
  }

  /**
   * Changes the faults of the provider while it runs.
   * @param {Record<string, unknown>} faults
   */
  async control(faults) {
    const url = this.baseUrl.replace(/\/v1$/, "/__control");
    await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(faults) });
  }

  /** Whether a text with these words was sent for a vector; what was embedded is found. @param {string} words */
  hasEmbedded(words) {
    return this.provider.records.some(({ path: to, body }) => to.endsWith("/embeddings") && JSON.stringify(body.input).includes(words));
  }

  /** Requests to the chat model since they were last taken, oldest first. */
  peekChats() {
    return this.provider.records.filter((record) => record.body?.messages).map((record) => record.body);
  }

  /** The same, and forgets them. */
  takeChats() {
    const chats = this.peekChats();
    this.provider.records.length = 0;
    return chats;
  }

  /**
   * Starts the gateway and waits until it answers.
   * @param {Record<string, string>} [env]
   */
  async startGateway(env) {
    const child = this.#spawn(["gateway", "run", "--port", String(this.port), "--bind", "loopback"], env);
    this.#gateway = child;
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text) => (this.#gatewayOutput += text));
    for (let waited = 0; waited < COMMAND_MS; waited += 500) {
      if (child.exitCode !== null) break;
      const answer = await fetch(`http://127.0.0.1:${this.port}/healthz`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
      if (answer?.ok) return;
      await pause(500);
    }
    throw new Error(`the gateway did not start:\n${this.#gatewayOutput.slice(-3000)}`);
  }

  /** What the gateway wrote so far. */
  get gatewayOutput() {
    return this.#gatewayOutput;
  }

  /** Asks the gateway to end; returns after how many milliseconds it did. */
  async stopGateway() {
    const child = this.#gateway;
    this.#disconnect();
    if (!child || child.exitCode !== null) return 0;
    const started = Date.now();
    const closed = once(child, "close");
    child.kill("SIGTERM");
    const timer = setTimeout(() => killGroup(child), 60_000);
    await closed;
    clearTimeout(timer);
    this.#gateway = null;
    // An older host that is stopped while it writes down a turn leaves its lock, and waits in vain for it later.
    await rm(path.join(this.stateDir, "agents", "main", "sessions", "sessions.json.lock"), { force: true });
    return Date.now() - started;
  }

  /** Ends everything and removes the home. */
  async stop() {
    started.delete(this);
    await this.stopGateway();
    this.kill();
    this.provider.server.closeAllConnections();
    this.provider.server.close();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
