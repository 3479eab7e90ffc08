// What whoever switches from memory-core would miss, on a real host: the Dreams switch of the Control UI cannot load
// memory-core beside us, and /dreaming is ours.

import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { eventually, ID, MAIN } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FILES = { "MEMORY.md": "# Memory\n- The favourite tea is sencha.\n" };

/** @param {string} version */
export function lossesSuite(version) {
  describe.sequential(`What is not lost on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: FILES, rules: [{ match: ".", reply: "HELLO" }] });
      await host.addPlugin(inject("tarball").file);
      // An installation in which somebody had clicked the switch already.
      await host.edit((entry) => {
        entry.config = { ...entry.config, dreaming: { enabled: true } };
      });
      await host.startGateway();
    });

    const isOff = async () => (await host.config()).plugins.entries[ID].config.dreaming.enabled === false;
    const putBack = () => host.gatewayOutput.match(/Dreams switch was put back to off/g)?.length ?? 0;
    /** What the chat shows last. */
    const shown = async () => JSON.stringify(await host.callAsOwner("chat.history", { sessionKey: MAIN }));

    test("a Dreams switch that is on when the gateway starts is put back", async () => {
      expect(await eventually(async () => putBack() > 0 && (await isOff())), host.gatewayOutput.slice(-3000)).toBe(true);
    });

    test("and so is a click while it runs, as the Control UI writes it", async () => {
      const before = putBack();
      await host.callAsOwner("config.patch", {
        raw: JSON.stringify({ plugins: { entries: { [ID]: { config: { dreaming: { enabled: true } } } } } }),
        baseHash: (await host.callAsOwner("config.get", {})).hash,
      });
      expect(await eventually(async () => putBack() > before && (await isOff())), host.gatewayOutput.slice(-3000)).toBe(true);
      const [{ dreamsSwitchPutBackAtMs }] = await host.json("memory", "status");
      expect(dreamsSwitchPutBackAtMs).toBeGreaterThan(Date.now() - 600_000);
      const { stdout } = await host.ok("memory", "status");
      expect(stdout).toContain("Dreams switch: put back to off");
      expect(stdout).not.toContain("Setup is not complete");
    });

    test("the tools and commands are ours afterwards", async () => {
      await host.stopGateway();
      await host.startGateway();
      const { results } = await host.json("memory", "search", "favourite tea");
      expect(results[0].snippet).toContain("sencha");
      expect(host.gatewayOutput).not.toMatch(/dreaming sidecar/i);
    });

    test("/dreaming is ours", async () => {
      await host.chat(MAIN, "/dreaming status");
      expect(await eventually(async () => (await shown()).includes("Consolidation (memory-core-rs)")), await shown()).toBe(true);
    });
  });
}
