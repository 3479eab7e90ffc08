// What stands where a note is expected, and is none: pipes, links, devices, files without end. None of it may be followed,
// hold a thread, or fill the memory.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { hooked, MAIN, turn } from "./hooked.mjs";

const FACTS = "memory/facts.md";
const FALCON = "Project Falcon uses PostgreSQL 17 as its database.";

/** @param {string} file */
function pipe(file) {
  rmSync(file, { force: true });
  execFileSync("mkfifo", [file]);
}

/** What can be put in the place of a note, and what is said of it. @type {[string, RegExp, (file: string, dir: string) => void][]} */
const STRANGERS = [
  ["a pipe", /not a regular file/, (file) => pipe(file)],
  ["a folder", /not a regular file/, (file) => mkdirSync(file)],
  ["an endless device", /symbolic link/, (file) => symlinkSync("/dev/zero", file)],
  [
    "a link to a file outside",
    /symbolic link/,
    (file, dir) => {
      writeFileSync(path.join(dir, "outside.md"), "- The secret harbour is called Quokka\n");
      symlinkSync(path.join(dir, "outside.md"), file);
    },
  ],
  [
    "a file beyond the limit",
    /larger than \d+ bytes/,
    (file) => {
      writeFileSync(file, "- The secret harbour is called Quokka\n");
      truncateSync(file, 1 << 30);
    },
  ],
];

describe.skipIf(process.platform === "win32")("in the place of the note of facts", () => {
  // A pipe held the thread of every search after four questions, and `close()` for good; a link was read and shown.
  test.each(STRANGERS)("%s is refused in words, and everything else goes on", async (_, said, put) => {
    const { dir, workspace, manager, agent } = await hooked({ storedFacts: { enabled: true } }, { files: { "memory/falcon.md": FALCON } });
    put(path.join(workspace, FACTS), dir);
    // More often than there are threads.
    for (let times = 0; times < 6; times++) {
      const asked = manager.run((engine) => engine.searchFacts("secret harbour", 5, 0));
      await expect(asked).rejects.toMatchObject({ code: "MEM_PATH", message: expect.stringMatching(said) });
    }
    const error = await manager.run((engine) => engine.facts()).catch((/** @type {any} */ error) => error);
    expect(error.remedy ?? error.message).toMatch(/plain|Move away|maxFileBytes/);
    await expect(
      manager.run((engine) => engine.storeFact({ text: "Tea is green", category: "fact", importance: 0.7 })),
    ).rejects.toMatchObject({ code: "MEM_PATH" });
    await expect(manager.run((engine) => engine.forgetFact(agent, "x"))).rejects.toMatchObject({ code: "MEM_PATH" });
    expect(await manager.search("which database does Falcon use")).toHaveLength(1);
    await manager.close();
  });
});

test.skipIf(process.platform === "win32")("a day's note that is none keeps back its captures, and no search", async () => {
  const { workspace, handlers, manager, warnings, today, drained } = await hooked(
    { autoCapture: true, storedFacts: { enabled: true } },
    { files: { "memory/falcon.md": FALCON } },
  );
  await handlers.agent_end(turn("I prefer trains to planes"), MAIN);
  await drained();
  const [, name] = /** @type {string[]} */ (/^# (\S+)/.exec(await today()));
  pipe(path.join(workspace, `memory/${name}.md`));
  await handlers.agent_end(turn("I prefer boats to trains"), MAIN);
  await expect.poll(() => warnings.join()).toMatch(/not a regular file/);
  // The other notes are looked at all the same.
  expect(await manager.run((engine) => engine.facts())).toEqual([]);
  expect(await manager.search("which database does Falcon use")).toHaveLength(1);
  await manager.close();
});

test.skipIf(process.platform === "win32")("a note that becomes a pipe after it was indexed does not hold a recall", async () => {
  const { workspace, handlers, manager } = await hooked(
    { autoRecall: true },
    { files: { "memory/falcon.md": FALCON }, version: "2026.4.12" },
  );
  const write = { toolName: "write", params: { path: "memory/falcon.md", content: "The boat is called Alba." } };
  const group = { ...MAIN, sessionKey: "agent:main:telegram:group:7" };
  // From here on recall looks into the notes it shows.
  await handlers.after_tool_call(write, group);
  pipe(path.join(workspace, "memory/falcon.md"));
  await handlers.after_tool_call(write, group);
  for (let times = 0; times < 6; times++) {
    await handlers.before_prompt_build({ prompt: "Which database does Falcon use?" }, MAIN);
  }
  // A thread that reads the pipe would never come back, neither in the engine nor in Node.
  expect(await manager.search("which database does Falcon use")).toHaveLength(1);
  expect(readFileSync(path.join(workspace, "..", "state", "memory-core-rs", "group-words.jsonl"), "utf8")).toContain("[");
  await manager.close();
});
