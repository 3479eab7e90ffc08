// The commands of the plugin as a user types them, on a throw-away home.

import { Command } from "commander";
import { onTestFinished, vi } from "vitest";
import plugin from "../../index.js";
import { makeWorkspace } from "./workspace.mjs";

export const NOTE = "memory/2026-11-02.md";
export const FILES = {
  "MEMORY.md": "# Memory\n\nThe favourite tea is sencha.\n",
  [NOTE]: "# Day\n\n- Project Falcon uses PostgreSQL 17 as its database.\n- The old phone number of the office is 555-0199.\n",
};

/**
 * A home whose commands can be typed.
 * @param {Record<string, unknown>} [search] Settings of memory search.
 * @param {{plugins?: Record<string, any>, files?: Record<string, string>, version?: string}} [home] The configuration's `plugins`,
 *   notes, and the host's version: up to 2026.6 it keeps conversations in files.
 */
export async function commandLine(search, { plugins, files = FILES, version = "2026.9.6" } = {}) {
  const { workspace, stateDir, config, dir } = await makeWorkspace(files);
  /** @type {Record<string, any>} */
  let written = { ...config(search), ...(plugins ? { plugins } : {}) };
  /** @type {Error | undefined} */
  let refusal;
  /** @type {any[]} */
  const registrations = [];
  plugin.register({
    logger: console,
    runtime: {
      version,
      config: {
        current: () => written,
        mutateConfigFile: async (/** @type {{mutate: (draft: any) => void}} */ { mutate }) => {
          const draft = structuredClone(written);
          mutate(draft);
          if (refusal) throw refusal;
          written = draft;
        },
      },
      state: { resolveStateDir: () => stateDir },
      agent: { resolveAgentWorkspaceDir: () => workspace },
      modelAuth: { resolveApiKeyForProvider: async () => undefined },
    },
    registerTool: () => {},
    registerService: () => {},
    registerMemoryCapability: () => {},
    registerCli: (/** @type {any} */ register) => registrations.push(register),
  });
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  /** @param {string[]} words */
  const typed = async (...words) => {
    const program = new Command("openclaw").exitOverride();
    for (const register of registrations) register({ program });
    let [output, stdout] = ["", ""];
    const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      output += text;
      stdout += text;
      return true;
    });
    // Hosts write into their log what it says.
    const log = vi.spyOn(console, "log").mockImplementation((text) => {
      throw new Error(`said by the global console: ${text}`);
    });
    const error = vi.spyOn(console, "error").mockImplementation((text) => {
      output += `${text}\n`;
    });
    process.exitCode = undefined;
    try {
      await program.parseAsync(words, { from: "user" });
    } finally {
      write.mockRestore();
      log.mockRestore();
      error.mockRestore();
    }
    return { output, stdout, code: process.exitCode ?? 0 };
  };
  const run = (/** @type {string[]} */ ...args) => typed("memory", ...args);
  const runFacts = (/** @type {string[]} */ ...args) => typed("ltm", ...args);
  const json = async (/** @type {string[]} */ ...args) => JSON.parse((await run(...args, "--json")).stdout);
  const finds = async (/** @type {string} */ query) => (await json("search", query)).results.length > 0;
  return {
    dir,
    workspace,
    stateDir,
    run,
    runFacts,
    json,
    finds,
    written: () => written,
    write: (/** @type {any} */ cfg) => (written = cfg),
    /** Has the host refuse to write its configuration. */
    refuse: (/** @type {Error | undefined} */ error) => (refusal = error),
  };
}
