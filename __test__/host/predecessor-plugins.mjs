// The plugins that ours takes the place of and that no registry has, as far as their descriptions say what they leave on a
// host: a folder of their own, entries in the configuration, a file of turns. Written for a host as those say, and installed as
// a user would.

import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** @typedef {import("./harness.mjs").TestHost} TestHost */

/** The last turns, recorded and shown; its file and its block are what matters here. */
const SHORT_TERM = `
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

const said = (content) => (typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join(" "));

export default {
  id: "short-term-memory",
  name: "Short-Term Memory",
  register(api) {
    const file = path.join(api.runtime.state.resolveStateDir(), "memory", "short-term.jsonl");
    const entries = () => (existsSync(file) ? readFileSync(file, "utf8").split("\\n").filter(Boolean).map((line) => JSON.parse(line)) : []);
    api.on("before_prompt_build", () => {
      const last = entries().slice(-(api.pluginConfig?.maxInjectEntries ?? 20));
      if (last.length === 0) return undefined;
      return { prependContext: "## Recent Memory\\n" + last.map(({ input, output }) => "- " + input + " -> " + output).join("\\n") };
    });
    api.on("agent_end", (event) => {
      if (event.success === false) return;
      const of = (role) => said((event.messages ?? []).filter((message) => message.role === role).at(-1)?.content);
      const input = of("user").replace(/^## Recent Memory\\n(?:- .*\\n)*\\s*/, "").slice(-200);
      const entry = { ts: new Date().toISOString(), turn: entries().length + 1, task: input.slice(0, 100), input, output: of("assistant").slice(0, 300), tags: [] };
      mkdirSync(path.dirname(file), { recursive: true });
      appendFileSync(file, JSON.stringify(entry) + "\\n");
    });
  },
};
`;

/** A memory provider in the slot; what it searches with is memory-core's, and not asked here. */
const PLUS = `
export default { id: "memory-core-plus", name: "Memory (Core Plus)", kind: "memory", register() {} };
`;

const number = { type: "number" };
const flag = { type: "boolean" };

const PLUGINS = {
  "short-term-memory": {
    entry: SHORT_TERM,
    properties: {
      maxEntries: number,
      maxInjectEntries: number,
      maxInputChars: number,
      maxOutputChars: number,
      maxTaskChars: number,
      maxTags: number,
    },
    kind: undefined,
  },
  "memory-core-plus": {
    entry: PLUS,
    properties: {
      autoRecall: flag,
      autoRecallMaxResults: number,
      autoRecallMinPromptLength: number,
      autoCapture: flag,
      autoCaptureMaxMessages: number,
    },
    kind: "memory",
  },
};

/**
 * Writes one of them for a host, installs it, and sets what its user has set.
 * @param {TestHost} host
 * @param {keyof typeof PLUGINS} id
 * @param {Record<string, unknown>} config
 */
export async function installPredecessor(host, id, config) {
  const { entry, properties, kind } = PLUGINS[id];
  const dir = path.join(host.dir, id);
  await mkdir(dir);
  const manifest = {
    id,
    name: id,
    version: "1.0.0",
    description: id,
    ...(kind && { kind }),
    activation: { onStartup: true },
    configSchema: { type: "object", additionalProperties: false, properties },
  };
  await writeFile(path.join(dir, "openclaw.plugin.json"), JSON.stringify(manifest));
  const files = { name: id, version: "1.0.0", type: "module", main: "./index.js", openclaw: { extensions: ["./index.js"] } };
  await writeFile(path.join(dir, "package.json"), JSON.stringify(files));
  await writeFile(path.join(dir, "index.js"), entry);
  await host.ok("plugins", "install", dir, ...(host.atLeast("2026.8.1") ? ["--force", "--accept-capabilities"] : []));
  await host.edit((_ours, whole) => {
    const hooks = host.atLeast("2026.4.24") ? { hooks: { allowConversationAccess: true } } : {};
    whole.plugins.entries[id] = { ...whole.plugins.entries[id], enabled: true, ...hooks, config };
    // As its README says: it has the slot, and memory-core is not enabled beside it.
    if (kind === "memory") {
      whole.plugins.slots = { ...whole.plugins.slots, memory: id };
      whole.plugins.entries["memory-core"] = { enabled: false };
    }
  });
}
