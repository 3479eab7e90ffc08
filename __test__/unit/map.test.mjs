// The notes as a map, on the real addon with the embedded model.

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

const TOPICS = {
  boats: ["The anchor of the sailing boat was mended.", "We painted the hull of the boat blue.", "The boat lies in the harbour."],
  bread: ["The sourdough bread needs a longer rest.", "Rye flour makes the bread darker.", "Bake the bread at 240 degrees."],
  taxes: ["The tax office wants the annual return.", "Income tax is due in July.", "The tax adviser asked for receipts."],
};

/** Sentences of a topic, none twice. @param {string[]} lines @param {number} n */
const note = (lines, n) => `# ${lines[n % lines.length]}\n\n${lines.map((line) => `- ${line} Number ${n}.`).join("\n")}\n`;

const FILES = Object.fromEntries(
  Object.entries(TOPICS).flatMap(([topic, lines]) => Array.from({ length: 8 }, (_, n) => [`memory/${topic}-${n}.md`, note(lines, n)])),
);
FILES["memory/2024-02-29.md"] = FILES["memory/bread-7.md"];
delete FILES["memory/bread-7.md"];

/** @param {any} manager */
async function mapOf(manager) {
  /** @type {import("../../index.d.ts").MemoryMap} */
  const map = await manager.run((/** @type {any} */ engine) => engine.map());
  const bytes = Buffer.from(map.points, "base64");
  const paths = map.paths.split("\0");
  const points = Array.from({ length: bytes.length / 14 }, (_, n) => ({
    path: paths[bytes.readUInt32LE(14 * n)],
    line: bytes.readUInt32LE(14 * n + 4),
    x: bytes.readUInt16LE(14 * n + 8),
    y: bytes.readUInt16LE(14 * n + 10),
    day: bytes.readUInt16LE(14 * n + 12),
  }));
  return { ...map, points };
}

/** @param {string} provider */
async function opened(provider) {
  const home = await makeWorkspace(FILES);
  const config = { ...home.config(), plugins: { entries: { "memory-core-rs": { config: { provider } } } } };
  const request = { cfg: config, agentId: "main", stateDir: home.stateDir, workspaceDir: home.workspace };
  const manager = /** @type {any} */ (await MemoryIndexManager.get(request));
  await manager.sync();
  return { ...home, manager };
}

test("what is alike lies together, has a name, and stays where it is when a note is added", async () => {
  const { manager, workspace } = await opened("embedded");
  const before = await mapOf(manager);
  expect([before.total, before.points.length]).toEqual([24, 24]);
  const today = Math.floor(Date.now() / 86_400_000);
  const day = (/** @type {string} */ name) => before.points.find((one) => one.path === name)?.day;
  expect([day("memory/boats-0.md"), day("memory/2024-02-29.md")]).toEqual([today, 19_782]);
  const named = before.points.filter((one) => !one.path.includes("2024"));
  const topic = (/** @type {{path: string}} */ one) => one.path.slice(7, 12);
  const apart = (/** @type {any} */ a, /** @type {any} */ b) => Math.hypot(a.x - b.x, a.y - b.y);
  const pairs = named.flatMap((a, at) => named.slice(at + 1).map((b) => /** @type {const} */ ([a, b])));
  const mean = (/** @type {boolean} */ same) => {
    const found = pairs.filter(([a, b]) => (topic(a) === topic(b)) === same);
    return found.reduce((sum, [a, b]) => sum + apart(a, b), 0) / found.length;
  };
  expect(mean(true) * 2).toBeLessThan(mean(false));
  const names = before.regions.map(({ name }) => name).join(" ");
  for (const word of ["boat", "bread", "tax"]) expect(names).toContain(word);
  expect(await mapOf(manager)).toEqual(before);
  await writeFile(path.join(workspace, "memory/boats-9.md"), note(TOPICS.boats, 9));
  await manager.sync();
  const after = await mapOf(manager);
  expect(after.points).toHaveLength(25);
  expect(after.points.filter((one) => one.path !== "memory/boats-9.md")).toEqual(before.points);
});

test("without vectors there is no map, and no error", async () => {
  const { manager } = await opened("none");
  expect(await mapOf(manager)).toMatchObject({ total: 0, paths: "", points: [], regions: [] });
});
