// Notes and an index that belong to another user: which file, why, and what to do about it.

import { spawnSync } from "node:child_process";
import { chmod } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { makeWorkspace } from "../support/workspace.mjs";

/** Takes rights away from itself; not as root, whom nothing keeps out. */
const REFUSED = `
  import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
  const { root, dir } = JSON.parse(process.argv[1]);
  const { MemoryIndexManager: Manager } = await import(root + "index.js");
  const { unreadText } = await import(root + "plugin/cli/index-command.js");
  (await import(root + "lib/native.js")).native();
  if (process.getuid() === 0) process.seteuid(65534);
  const [memory, own] = [dir + "/ws/memory", dir + "/state/memory-core-rs/main"];
  mkdirSync(memory, { recursive: true });
  for (const name of ["a", "b"]) writeFileSync(memory + "/" + name + ".md", "The boiler " + name + " hums.");
  const cfg = { agents: { defaults: { workspace: dir + "/ws" } }, memory: { search: { provider: "none" } } };
  const open = () => Manager.get({ cfg, agentId: "main", stateDir: dir + "/state", env: {}, purpose: "cli" });
  const told = {};
  chmodSync(memory + "/b.md", 0);
  let manager = await open();
  await manager.sync();
  told.note = (await manager.inspect()).plan.skipped;
  const anew = await manager.sync({ force: true });
  told.left = { skipped: anew.skipped, text: unreadText((await manager.inspect()).skipped) };
  told.doctor = (await manager.doctor({ repair: false })).find(({ name }) => name === "disk");
  await manager.close();
  for (const [name, place] of [["database", own + "/index.sqlite"], ["folder", own]]) {
    chmodSync(place, 0);
    try {
      manager = await open();
      told[name] = await manager.searchDetailed("boiler");
    } catch ({ code, message, remedy }) {
      told[name] = { code, message, remedy };
    }
    chmodSync(place, 0o700);
  }
  console.log(JSON.stringify(told));
  process.exit();
`;

// It said "Permission denied", or that the index cannot be opened, and what to do about it nowhere.
test.runIf(process.platform === "linux")(
  "what another user owns is named, with the cause and what to do",
  { timeout: 60_000 },
  async () => {
    const { dir } = await makeWorkspace({});
    await chmod(dir, 0o777);
    const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, dir });
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", REFUSED, call], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect(stdout, stderr).not.toBe("");
    const { note, left, doctor, database, folder } = JSON.parse(stdout);
    const remedy = expect.stringContaining("chown or chmod");
    expect(note).toEqual([{ path: "memory/b.md", code: "unreadable", reason: expect.stringMatching(/Permission denied.*chown or chmod/) }]);
    expect(left).toEqual({ skipped: 1, text: expect.stringMatching(/^1 file could not be read: memory\/b\.md \(.*Permission denied/) });
    expect(doctor).toMatchObject({ ok: false, found: "1 notes cannot be read: memory/b.md", remedy });
    for (const refused of [database, folder])
      expect(refused).toMatchObject({ code: "MEM_IO", message: expect.stringMatching(/index\.sqlite: Permission denied/), remedy });
  },
);

/** What doctor says of a folder of notes that may not be written, to somebody whom rights keep out. */
const READ_ONLY = `
  import { chmodSync, mkdirSync } from "node:fs";
  const { root, dir } = JSON.parse(process.argv[1]);
  const { noteChecks } = await import(root + "plugin/cli/admin.js");
  mkdirSync(dir + "/ws/memory", { recursive: true });
  const free = noteChecks(dir + "/ws");
  chmodSync(dir + "/ws/memory", 0o555);
  if (process.getuid() === 0) process.setuid(65534);
  console.log(JSON.stringify({ free, refused: noteChecks(dir + "/ws"), none: noteChecks(dir + "/nowhere") }));
`;

// Turns waited, and status and doctor said that all was well.
test.runIf(process.platform === "linux")("doctor says that captures cannot be written, and what to do", async () => {
  const { dir } = await makeWorkspace({});
  await chmod(dir, 0o777);
  const call = JSON.stringify({ root: pathToFileURL(`${process.cwd()}/`).href, dir });
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", READ_ONLY, call], {
    encoding: "utf8",
    timeout: 50_000,
  });
  expect(stdout, stderr).not.toBe("");
  const { free, refused, none } = JSON.parse(stdout);
  expect([free, none]).toEqual([[], []]);
  const found = expect.stringMatching(/^nothing can be captured: .*memory may not be used by this user$/);
  expect(refused).toEqual([{ name: "notes", ok: false, found, remedy: expect.stringContaining("chown or chmod") }]);
});
