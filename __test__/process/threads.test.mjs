// A gateway's machine is small: the addon has few threads, whatever it is doing.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.mjs";

const CHILD = fileURLToPath(new URL("./threads-child.mjs", import.meta.url));

test.runIf(process.platform === "linux")("at most 8 threads while notes are embedded, watched and searched", async () => {
  const note = (/** @type {number} */ n) => `# Project ${n}\n\n${`Project ${n} ships in week ${n}, said Ana. `.repeat(30)}\n`;
  const home = await makeWorkspace(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`memory/${n}.md`, note(n)])));
  // The embedded model, as for everybody without a key.
  const request = { ...home.request, cfg: home.config({}) };
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, JSON.stringify(request)]);
  const { before, most, provider } = JSON.parse(stdout);
  expect({ before, provider }).toEqual({ before: 0, provider: "embedded" });
  expect(most.length, most.join(", ")).toBeGreaterThan(4);
  expect(most.length, most.join(", ")).toBeLessThanOrEqual(8);
});
