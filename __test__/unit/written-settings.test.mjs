// What the configuration file says, where the host goes on with other settings, or would not understand them.

import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { native } from "../../lib/native.js";
import { beginWritten, olderSettings } from "../../plugin/hooks/written.js";
import { Host } from "../../plugin/host.js";
import { lookAtFile } from "../../plugin/service.js";
import { commandLine } from "../support/command-line.mjs";
import { hooked, MAIN, turn } from "./hooked.mjs";

const ON = { autoCapture: true, autoRecall: true, shortTerm: { enabled: true } };

/** A gateway that does not take over what is written into its file. @param {Record<string, unknown>} settings */
async function stubborn(settings) {
  const home = await hooked(settings);
  const file = path.join(home.stateDir, "openclaw.json");
  writeFileSync(file, "{}");
  beginWritten(home.host);
  const read = vi.spyOn(home.host, "writtenConfig").mockResolvedValue(undefined);
  let writes = 0;
  /** @param {Record<string, unknown> | undefined} own Undefined as the host has a file that it refuses. */
  const write = (own) => {
    const config = { ...home.cfg, plugins: { entries: { "memory-core-rs": { config: own } } } };
    read.mockResolvedValue(own && { config, files: [file] });
    writeFileSync(file, `{}${" ".repeat(++writes)}`);
  };
  /** What is kept and shown of a turn. @param {string} said */
  const tell = async (said) => {
    const block = await home.handlers.before_prompt_build({ prompt: "What do you know of my boat?", messages: [] }, MAIN);
    await home.handlers.agent_end(turn(said), MAIN);
    await home.drained();
    const { captures } = await native().listCaptures(home.agent, 100);
    return { captured: captures.some(({ text }) => said.includes(text)), shown: JSON.stringify(block ?? "") };
  };
  return { ...home, write, tell, read };
}

// The host dropped the change ("still has active retained work"), and all that was said was captured on and on.
test("what is switched off in the file is off from the next turn on, whatever the host goes by", async () => {
  const { write, tell, read } = await stubborn(ON);
  expect(await tell("My boat is called Quokka and lies in Porto.")).toMatchObject({ captured: true });
  expect((await tell("My cat is called Mio and sleeps all day.")).shown).toContain("Quokka");
  expect(read).not.toHaveBeenCalled();
  write({ autoCapture: false, autoRecall: false });
  expect(await tell("My sister is called Ana and lives in Lisbon.")).toEqual({ captured: false, shown: '""' });
  expect(await tell("My brother is called Rui and lives in Faro.")).toEqual({ captured: false, shown: '""' });
  expect(read, "an unchanged file is not read again").toHaveBeenCalledTimes(1);
  // What is switched on there waits for the host, which knows what else that takes.
  write(ON);
  expect(await tell("My uncle is called Leo and lives in Braga.")).toMatchObject({ captured: true });
});

// Hosts register a plugin many times: the service that looks at the file is of another registration than the hooks.
test("what is switched off while a turn is at work is not captured at its end", async () => {
  const { api, handlers, agent, write, read } = await stubborn(ON);
  await handlers.before_prompt_build({ prompt: "My boat is called Quokka.", messages: [] }, MAIN);
  write({ ...ON, autoCapture: false });
  const other = new Host(api);
  vi.spyOn(other, "writtenConfig").mockImplementation(read);
  await lookAtFile(other);
  await handlers.agent_end(turn("My boat is called Quokka and lies in Porto."), MAIN);
  expect(await native().listCaptures(agent, 100)).toEqual({ captures: [], waiting: 0 });
});

test("a file that the host would refuse, or that cannot be understood, changes nothing", async () => {
  const { write, tell } = await stubborn({ autoCapture: true });
  write(undefined);
  expect(await tell("My boat is called Quokka and lies in Porto.")).toMatchObject({ captured: true });
  write({ autoCapture: "no" });
  expect(await tell("My cat is called Mio and sleeps all day.")).toMatchObject({ captured: true });
});

test("a gateway that runs with older settings says so once, and status and doctor as long as it does", async () => {
  const { host, write, warnings } = await stubborn(ON);
  const about = () => warnings.filter((line) => line.includes("older settings"));
  write({ ...ON, autoCapture: false });
  await lookAtFile(host);
  expect(about(), "a host takes a moment").toEqual([]);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 11_000);
  for (let n = 0; n < 3; n += 1) await lookAtFile(host);
  expect(about()).toEqual([expect.stringMatching(/\(autoCapture\).*openclaw gateway restart/)]);
  expect(olderSettings(host)).toEqual(["autoCapture"]);
  write(ON);
  await lookAtFile(host);
  expect(olderSettings(host)).toEqual([]);
  clock.mockRestore();
});

test("status and doctor tell of a gateway with older settings", async () => {
  const { run, json, stateDir } = await commandLine({}, { plugins: { entries: { "memory-core-rs": { config: ON } } } });
  await run("index");
  writeFileSync(path.join(stateDir, "memory-core-rs/older-settings.json"), JSON.stringify({ pid: process.pid, settings: ["autoCapture"] }));
  expect((await run("status")).output).toMatch(/Automatic memory: .*older settings .*\(autoCapture\)/);
  expect((await json("status"))[0].automatic).toMatchObject({ recall: true, older: ["autoCapture"] });
  expect((await run("doctor")).output).toMatch(/older settings/);
  // Who said so is gone.
  writeFileSync(path.join(stateDir, "memory-core-rs/older-settings.json"), JSON.stringify({ pid: 2 ** 30, settings: ["autoCapture"] }));
  expect((await run("status")).output).not.toMatch(/older settings/);
});

// They ended with MEM_CONFIG, and nothing else was said.
test("a wrong value below one agent stops no command that explains it", async () => {
  const own = { autoCapture: true, agents: { main: { autoRecallTimeoutMs: "fast" } } };
  const { run, json } = await commandLine({}, { plugins: { entries: { "memory-core-rs": { config: own } } } });
  await run("index");
  expect((await run("status")).output).toMatch(/Automatic memory: .*autoRecallTimeoutMs is a text/);
  const [status] = await json("status");
  expect(status).toMatchObject({ status: { files: 2 }, automatic: { error: { code: "MEM_CONFIG" } } });
  const { checks } = (await json("doctor"))[0] ?? (await json("doctor"));
  expect(checks).toContainEqual(
    expect.objectContaining({ name: "automatic memory", ok: false, found: expect.stringMatching("autoRecallTimeoutMs") }),
  );
  expect((await run("captures")).output).toContain("Nothing was captured yet.");
  expect(await json("captures")).toEqual({ agentId: "main", captures: [], waiting: 0 });
});
