// What the automatic memory costs a reply, measured inside the gateway process of a real host: recall by words, the same with
// trigger phrases and standing intents, and the recording of a finished turn; and for how long each holds the event loop.
//
//   npm run lab -- reply [--host 2026.9.6] [--chunks 1000] [--calls 1000] [--triggers 20] [--intents 200]
//
// Promised: p99 under 5 ms without a query embedding, the event loop never held longer than 2 ms.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, glob, readFile, rename, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { TestHost } from "../../__test__/host/harness.mjs";
import { packPlugin } from "../../__test__/support/pack.mjs";
import { native } from "../../lib/native.js";
import { PLUGIN_ID } from "../../lib/package-info.js";

const { values: args } = parseArgs({
  options: {
    host: { type: "string", default: "2026.9.6" },
    chunks: { type: "string", default: "1000" },
    calls: { type: "string", default: "1000" },
    triggers: { type: "string", default: "20" },
    intents: { type: "string", default: "200" },
  },
});

/** Longest the probe may take, in seconds. */
const PATIENCE_S = 600;

const { file: tarball } = await packPlugin();
const host = await TestHost.start(args.host, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
try {
  const corpus = fileURLToPath(new URL("../../bench/corpus.mjs", import.meta.url));
  await promisify(execFile)(process.execPath, [corpus, "--out", host.workspace, "--chunks", args.chunks]);
  const { queries } = JSON.parse(await readFile(`${host.workspace}.queries.json`, "utf8"));
  // Each names the words of one question, so that some messages bring a line or an intent up and most do not.
  const wordsOf = (/** @type {string} */ question) => question.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 4);
  const phrases = queries.map((/** @type {string} */ question) => wordsOf(question).slice(0, 2).join(" ")).filter(Boolean);
  const phrase = (/** @type {number} */ n) => phrases[n % phrases.length];
  const triggers = Array.from({ length: Number(args.triggers) }, (_, n) => `- Line ${n} that was asked for <!-- trigger: ${phrase(n)} -->`);
  await appendFile(path.join(host.workspace, "MEMORY.md"), `\n${triggers.join("\n")}\n`);
  // Notes of people are older than a minute; of a younger one the host is asked anew each time who wrote it.
  const written = Date.now() / 1000 - 3600;
  for await (const note of glob("**/*.md", { cwd: host.workspace })) await utimes(path.join(host.workspace, note), written, written);
  await host.installPlugin(tarball);
  await host.ok(PLUGIN_ID, "setup", "--yes");
  await host.configure({
    // Without a provider there is no query embedding.
    provider: "none",
    autoRecall: true,
    autoCapture: true,
    shortTerm: { enabled: true },
  });
  await host.ok("memory", "index");
  const agent = { config: {}, agentId: "main", isDefaultAgent: true, stateDir: host.stateDir };
  for (let n = 0; n < Number(args.intents); n++) {
    await native().createIntent(
      agent,
      { description: `Ask about ${n}`, triggerKeywords: [phrase(n)], scope: "anywhere", anyone: true, maxFires: 1e6, cooldownSeconds: 0 },
      { sessionKey: "agent:main:main" },
    );
  }
  const order = path.join(host.dir, "probe-order.json");
  const result = path.join(host.dir, "probe-result.json");
  const probe = fileURLToPath(new URL("reply-probe.mjs", import.meta.url));
  await host.startGateway({ NODE_OPTIONS: `--import ${pathToFileURL(probe).href}`, REPLY_PATH_ORDER: order, REPLY_PATH_RESULT: result });
  // One real turn, so that what is measured is a gateway at work and not one that starts.
  await host.turn("hello there", { local: false });
  await writeFile(
    `${order}.new`,
    JSON.stringify({
      // The modules that the packed one is made of: they find its addon and engines in the process.
      plugin: fileURLToPath(new URL("../../plugin", import.meta.url)),
      config: await host.config(),
      id: PLUGIN_ID,
      version: args.host,
      stateDir: host.stateDir,
      workspace: host.workspace,
      calls: Number(args.calls),
      questions: queries,
    }),
  );
  await rename(`${order}.new`, order);
  for (let waited = 0; !existsSync(result) && waited < PATIENCE_S; waited++) await pause(1000);
  if (!existsSync(result)) throw new Error(`the probe gave no result:\n${host.gatewayOutput.slice(-3000)}`);
  report(JSON.parse(await readFile(result, "utf8")));
} finally {
  await host.stop();
}

/** @param {{error?: string, rows: Record<string, any>, afterReply: string}} measured */
function report({ error, rows, afterReply }) {
  if (error) throw new Error(error);
  console.log(`OpenClaw ${args.host}, a memory of about ${args.chunks} chunks, ${args.calls} calls each, in milliseconds\n`);
  console.log(
    "| what | p50 | p99 | longest | p99, best of five | event loop held: p50 | p99 | longest | longest, best of five | processors lent elsewhere |",
  );
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const [name, { wall, hold, stolen }] of Object.entries(rows)) {
    const cells = [wall.p50, wall.p99, wall.max, wall.best.p99, hold.p50, hold.p99, hold.max, hold.best.max];
    console.log(`| ${name} | ${cells.map((value) => value.toFixed(2)).join(" | ")} | ${(100 * stolen).toFixed(0)} % |`);
  }
  const { "the gateway alone": _alone, ...of } = rows;
  const ours = Object.values(of);
  const longest = (/** @type {(row: any) => number} */ value) => Math.max(...ours.map(value));
  // The gateway works on the same loop, and the machine for others: what a call costs by itself it costs each time.
  const waited = Object.entries(of).flatMap(([name, { wall }]) => (name === afterReply ? [] : [wall]));
  const raw = Math.max(...waited.map((wall) => wall.p99));
  const own = Math.max(...waited.map((wall) => wall.best.p99));
  const held = longest(({ hold }) => hold.best.max);
  console.log(
    `\np99 ${raw.toFixed(2)} ms (promised: under 5; ${own.toFixed(2)} without what the machine did for others), ` +
      `event loop held by us ${held.toFixed(2)} ms (promised: at most 2)`,
  );
  process.exitCode = raw < 5 && held <= 2 ? 0 : 1;
}
