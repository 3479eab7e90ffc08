// `openclaw memory restore`: there was a copy, and no command that puts it back.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { commandLine } from "../support/command-line.mjs";
import { integrity } from "../support/content.mjs";
import { makeWorkspace } from "../support/workspace.mjs";

test("restore shows what it replaces, asks, puts the copy back, keeps what was there, and an update goes on from it", async () => {
  const { dir, workspace, run, json, finds } = await commandLine();
  await run("index");
  const copy = path.join(dir, "copy.sqlite");
  await run("backup", copy);
  await writeFile(path.join(workspace, "memory/late.md"), "The lighthouse has three lamps.\n");
  await run("index");

  const dry = await run("restore", copy, "--dry-run");
  expect(dry.output).toMatch(/is sound: 2 files.*\n.*main \(3 files.*kept beside it; the two newest such copies are kept.\nNothing done\./);
  expect(await run("restore", copy)).toMatchObject({ code: 1, output: expect.stringContaining("Nothing was restored. Use --yes") });
  expect((await json("status"))[0].status.files).toBe(3);

  // Relative to the working directory, as the copy was written.
  const { output, code } = await run("restore", path.relative(process.cwd(), copy), "--yes", "--agent", "main");
  expect({ output, code }).toMatchObject({ code: 0, output: expect.stringMatching(/Restored the index of main from .*copy\.sqlite/) });
  const [kept] = /\S+\.before-restore-\S+$/m.exec(output) ?? [];
  // A gateway that was running answered without what was written since the copy, for up to a minute.
  expect(output).toContain("Brought up to date with your notes: 1 file.");
  expect((await json("status"))[0].status.files).toBe(3);
  expect(await finds("lighthouse")).toBe(true);
  expect(await finds("sencha")).toBe(true);
  const [{ checks }] = await json("doctor", "--dry-run");
  expect(checks.filter((/** @type {any} */ { ok }) => !ok).map((/** @type {any} */ { name }) => name)).toEqual(["setup"]);

  const [{ restored }] = await json("restore", String(kept), "--yes");
  expect(restored).toMatchObject({ files: 3, dryRun: false, replaced: { files: 3 }, kept: expect.stringContaining(".before-restore-") });
});

// The line that `backup --agent twin` printed put twin's index, with its conversations, in the place of main's.
test("a copy goes back to the agent it is of, and the line that is printed says so", async () => {
  const { dir, run, json, write, written } = await commandLine();
  const [twin, list] = ["twin", { list: [{ id: "main", default: true }, { id: "twin" }] }];
  write({ ...written(), agents: { ...written().agents, ...list } });
  await run("index");
  const copy = path.join(dir, "copy.sqlite");
  expect((await run("backup", copy, "--agent", twin)).output).toMatch(/To put it back: openclaw memory restore \S+ --agent twin\n/);
  expect(await run("restore", copy, "--yes")).toMatchObject({
    code: 1,
    output: expect.stringMatching(/copy of the index of agent twin, not of main.*restore \S+ --agent twin.*\[MEM_ARGUMENT\]/s),
  });
  const [{ restored }] = await json("restore", copy, "--yes", "--agent", twin);
  expect(restored).toMatchObject({ agent: twin, files: 2 });
  expect((await run("backup", path.join(dir, "main.sqlite"))).output).toMatch(/restore \S+main\.sqlite\n/);
  // The agent was given another name.
  write({ ...written(), agents: { ...written().agents, list: [{ id: "main", default: true }] } });
  expect((await run("restore", copy, "--yes")).output).toContain("Restored the index of main");
});

test("what cannot be restored is refused with its code, and the index is as it was", async () => {
  const { dir, run, json, finds } = await commandLine();
  await run("index");
  const copy = path.join(dir, "copy.sqlite");
  await run("backup", copy);
  await writeFile(path.join(dir, "text.sqlite"), "no database");
  await symlink(copy, path.join(dir, "link.sqlite"));
  for (const [name, code] of [
    ["none.sqlite", "MEM_NOT_FOUND"],
    ["text.sqlite", "MEM_FOREIGN_DATABASE"],
    ["link.sqlite", "MEM_PATH"],
    ["workspace", "MEM_PATH"],
  ]) {
    const said = await run("restore", path.join(dir, name), "--yes");
    expect(said).toMatchObject({ code: 1, stdout: "", output: expect.stringContaining(`[${code}]`) });
    expect(await json("restore", path.join(dir, name), "--yes")).toMatchObject([{ error: { code, remedy: expect.any(String) } }]);
  }
  expect(await finds("sencha")).toBe(true);
});

const CHILD = fileURLToPath(new URL("./restore-child.mjs", import.meta.url));

test("a restore that is killed leaves the index of before or the copy, whole, and nothing in the way of the next", async () => {
  const notes = Object.fromEntries(
    Array.from({ length: 80 }, (_, n) => [`memory/${n}.md`, `# Note ${n}\n\n${`Boiler ${n} hums in the cellar. `.repeat(120)}\n`]),
  );
  const { dir, workspace, stateDir, request } = await makeWorkspace({ ...notes, "memory/old.md": "The quokka sleeps.\n" });
  const index = path.join(stateDir, "memory-core-rs/main/index.sqlite");
  const copy = path.join(dir, "copy.sqlite");
  const open = async () => /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, purpose: "cli" }));
  let manager = await open();
  await manager.sync();
  await manager.backup(copy);
  await writeFile(path.join(workspace, "memory/new.md"), "The lighthouse has three lamps.\n");
  await manager.sync();
  const present = path.join(dir, "present.sqlite");
  await manager.backup(present);
  await manager.close();
  const seen = new Set();
  const rounds = 12;
  /** How long the restore takes that nobody kills, in milliseconds. */
  let whole = 0;
  for (let round = 0; round < rounds; round++) {
    const child = spawn(process.execPath, [CHILD, JSON.stringify(request), copy], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "close");
    await once(child.stdout, "data");
    const begun = performance.now();
    // The first is left alone, however busy the machine; the others are killed earlier and earlier, the last at once.
    if (round > 0) {
      await Promise.race([ended, pause((whole * (rounds - 1 - round)) / rounds)]);
      child.kill("SIGKILL");
    }
    await ended;
    if (round === 0) whole = performance.now() - begun;
    expect(await integrity(index)).toEqual(["ok"]);
    manager = await open();
    const { files } = (await manager.inspect()).status;
    expect([81, 82]).toContain(files);
    seen.add(files);
    await manager.restore(present);
    expect(manager.status().files).toBe(82);
    await manager.close();
  }
  expect(seen.size).toBe(2);
  const names = await readdir(path.dirname(index));
  expect(names.filter((name) => name.includes(".before-restore-")).length).toBeLessThanOrEqual(3);
}, 180_000);
