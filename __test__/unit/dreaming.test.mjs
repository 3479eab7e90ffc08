import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { registerDreamingCommand } from "../../plugin/commands/dreaming.js";
import { lastPutBack, repairSwitch } from "../../plugin/dreaming-switch.js";
import { Host } from "../../plugin/host.js";
import { makeWorkspace } from "../support/workspace.mjs";

/**
 * A host that keeps its configuration as hosts since 2026.6 do.
 * @param {Record<string, any>} config Of our entry.
 * @param {{version?: string, refuse?: Error}} [options]
 */
async function keeping(config, { version = "2026.9.6", refuse } = {}) {
  const { stateDir } = await makeWorkspace();
  let current = { plugins: { entries: { "memory-core-rs": { config } } } };
  /** @type {string[]} */
  const warnings = [];
  /** @type {any[]} */
  const writes = [];
  /** @type {any[]} */
  const commands = [];
  const api = {
    logger: { info: () => {}, warn: (/** @type {string} */ line) => warnings.push(line) },
    registerCommand: (/** @type {any} */ command) => commands.push(command),
    runtime: {
      version,
      state: { resolveStateDir: () => stateDir },
      config: {
        current: () => current,
        /** @param {{mutate: (draft: any) => void, writeOptions: any}} change */
        mutateConfigFile: async ({ mutate, writeOptions }) => {
          await writeOptions.assertCurrent?.();
          if (refuse) throw refuse;
          const draft = structuredClone(current);
          mutate(draft);
          writes.push(writeOptions);
          current = draft;
        },
      },
    },
  };
  const host = new Host(api);
  registerDreamingCommand(api, host);
  /** @param {string} args @param {Record<string, unknown>} [who] */
  const dreaming = async (args, who = { senderIsOwner: true }) => (await commands[0].handler({ args, config: current, ...who })).text;
  return { host, warnings, writes, dreaming, entry: () => current.plugins.entries["memory-core-rs"].config };
}

describe("the host's Dreams switch", () => {
  test("is put back to off, said, and remembered for status; the rest of the entry stays", async () => {
    const { host, warnings, writes, entry } = await keeping({ provider: "none", dreaming: { enabled: true, frequency: "x" } });
    expect(await repairSwitch(host)).toBe(true);
    expect(entry()).toEqual({ provider: "none", dreaming: { enabled: false, frequency: "x" } });
    expect(writes[0].explicitSetPaths).toEqual([["plugins", "entries", "memory-core-rs", "config", "dreaming", "enabled"]]);
    expect(warnings).toEqual([expect.stringContaining("put back to off")]);
    expect(JSON.parse(await readFile(`${host.stateDir()}/memory-core-rs/dreams-switch.json`, "utf8")).putBackAtMs).toBe(
      await lastPutBack(host),
    );
    expect(await repairSwitch(host)).toBe(false);
    expect(writes).toHaveLength(1);
  });

  test("is left alone where it is off, not set, or read by nobody", async () => {
    for (const [config, version] of /** @type {const} */ ([
      [{ dreaming: { enabled: false } }, "2026.9.6"],
      [{}, "2026.9.6"],
      [{ dreaming: "yes" }, "2026.9.6"],
      [{ dreaming: { enabled: true } }, "2026.6.11"],
    ])) {
      const { host, writes } = await keeping(config, { version });
      expect(await repairSwitch(host)).toBe(false);
      expect(writes).toEqual([]);
      expect(await lastPutBack(host)).toBeUndefined();
    }
  });

  test("that cannot be put back is said once, not at every look", async () => {
    const { host, warnings, entry } = await keeping({ dreaming: { enabled: true } }, { refuse: new Error("read-only file") });
    for (let i = 0; i < 3; i++) expect(await repairSwitch(host)).toBe(false);
    expect(warnings).toEqual([expect.stringContaining("could not be put back (read-only file)")]);
    expect(entry().dreaming.enabled).toBe(true);
  });
});

describe("/dreaming", () => {
  test("tells and switches consolidation, and never touches the switch of the host", async () => {
    const { dreaming, entry } = await keeping({ dreaming: { enabled: false } });
    expect(await dreaming("status")).toContain("- off");
    expect(await dreaming("on")).toContain("planning");
    expect(entry()).toEqual({ dreaming: { enabled: false }, consolidation: { mode: "plan" } });
    expect(await dreaming("on apply")).toContain("it writes what it plans");
    expect(await dreaming("STATUS ")).toContain("it writes what it plans");
    await dreaming("off");
    expect(entry().consolidation).toEqual({ mode: "off" });
    for (const words of ["", "help", "constructor", "nonsense"]) expect(await dreaming(words)).toContain("/dreaming off");
    // It planned, whatever was meant.
    expect(await dreaming("on aply")).toMatch(/there is no mode "aply"/);
    expect(entry().consolidation).toEqual({ mode: "off" });
  });

  // "Consolidation is off now", and that agent's file was written the next night.
  test("names the agents that have a setting of their own", async () => {
    const { dreaming } = await keeping({ agents: { main: { consolidation: { mode: "apply" } } } });
    expect(await dreaming("off")).toMatch(/is off now\. Agent main has a setting of its own \(agents\.main\..*\): on: it writes/);
    expect(await dreaming("on apply")).not.toContain("Agent main");
  });

  test.each([
    ["somebody in a channel", { senderIsOwner: false }],
    ["nobody known", {}],
    ["a client with fewer rights", { gatewayClientScopes: ["operator.write"], senderIsOwner: true }],
  ])("refuses changes of %s, and still tells", async (_, who) => {
    const { dreaming, writes } = await keeping({});
    expect(await dreaming("on", who)).toContain("operator.admin");
    expect(await dreaming("off", who)).toContain("operator.admin");
    expect(await dreaming("status", who)).toContain("- off");
    expect(writes).toEqual([]);
  });

  // Hosts tell commands of their own plugins only who the owner is: the owner was refused in every channel.
  test("knows the owners that the configuration names", async () => {
    const { dreaming, writes, host } = await keeping({});
    host.config().commands = { ownerAllowFrom: ["telegram:1"] };
    expect(await dreaming("on", { channel: "telegram", senderId: "666", isAuthorizedSender: true })).toContain("operator.admin");
    expect(writes).toEqual([]);
    expect(await dreaming("on", { channel: "telegram", senderId: "1" })).not.toContain("operator.admin");
    expect(writes).toHaveLength(1);
  });

  test("an owner who is none any more when it is written has no say", async () => {
    const { dreaming, writes } = await keeping({});
    const assertOwnerCurrent = () => {
      throw new Error("not the owner any more");
    };
    expect(await dreaming("on", { senderIsOwner: true, assertOwnerCurrent })).toContain("not the owner any more");
    expect(await dreaming("on", { gatewayClientScopes: ["operator.admin"], assertOwnerCurrent })).toContain("planning");
    expect(writes).toHaveLength(1);
  });
});
