// Records docs/session.svg: the plugin is packed and installed into a fresh real host, set up, asked, and recalls, at a
// terminal. Nothing in it is written by hand; lines about the host itself, and places on this machine, are left out.
//
//   npm run session [-- --host 2026.9.6]       needs `script` of util-linux

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { TestHost } from "../__test__/host/harness.mjs";
import { packPlugin } from "../__test__/support/pack.mjs";
import { PLUGIN_ID } from "../lib/package-info.js";
import { linesOf, plain, svgOf } from "./session/svg.mjs";

const COLUMNS = 112;
/** Longest output of a step that is shown. */
const MOST_LINES = 24;
const root = fileURLToPath(new URL("..", import.meta.url));
const { values: args } = parseArgs({ options: { host: { type: "string", default: "2026.9.6" } } });

const ASKED = "what does ERR_FLASH_4012 mean?";
const QUESTION = "when do I put out the trash";

const { file: tarball } = await packPlugin();
const host = await TestHost.start(args.host, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
/** @type {{command: string, lines: string[]}[]} */
const steps = [];
try {
  await cp(path.join(root, "examples/workspace"), host.workspace, { recursive: true });
  // What a user has before: a host without memory settings, whose memory-core has no provider.
  const file = path.join(host.stateDir, "openclaw.json");
  const config = await host.config();
  delete config.memory;
  delete config.agents.defaults.memorySearch;
  await writeFile(file, JSON.stringify(config, null, 2));
  const consent = host.atLeast("2026.8.1") ? ["--accept-capabilities"] : [];
  const force = host.atLeast("2026.8.1") ? ["--force"] : [];
  await step(["plugins", "install", tarball, ...force, ...consent], { tarball: true });
  await step(["plugins", "enable", PLUGIN_ID, ...consent]);
  await step(["memory", "setup", "--yes"]);
  await step(["memory", "search", QUESTION, "--limit", "2"]);
  await host.configure({ autoRecall: true });
  await host.startGateway();
  // A reply waits 300 ms for memory, whose engine has to be opened first.
  await host.turn("hello", { local: false });
  host.takeChats();
  // The model is a stand-in, so that what it answers is not shown: what reached it is.
  await host.turn(ASKED, { local: false });
  const chats = JSON.stringify(host.takeChats().map(({ messages }) => messages));
  const shown = /<relevant-memories>.*?<\/relevant-memories>/.exec(chats)?.[0];
  if (!shown) throw new Error(`nothing was recalled beside the message:\n${chats.slice(-3000)}`);
  steps.push({
    command: `# autoRecall: true, and somebody asks the agent "${ASKED}": what memory shows its model`,
    lines: wrapped(JSON.parse(`"${shown}"`)),
  });
  await writeFile(path.join(root, "docs/session.svg"), svgOf(steps, COLUMNS));
  console.log(steps.map(({ command, lines }) => [`$ ${command}`, ...lines.map(plain)].join("\n")).join("\n\n"));
} finally {
  await host.stop();
}

/**
 * A command as a person types it, at a terminal.
 * @param {string[]} words
 * @param {{tarball?: boolean}} [more]
 */
async function step(words, { tarball: short = false } = {}) {
  const quoted = (/** @type {string[]} */ all) => all.map((word) => (/^[\w./=@:-]+$/.test(word) ? word : `"${word}"`)).join(" ");
  const typed = quoted(short ? words.map((word) => (word === tarball ? `./${path.basename(word)}` : word)) : words);
  const command = `stty cols ${COLUMNS} rows 60; exec "${process.execPath}" "${host.entry}" ${quoted(words)}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: host.dir,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
      HOME: path.join(host.dir, "home"),
      TMPDIR: path.join(host.dir, "tmp"),
      OPENCLAW_STATE_DIR: host.stateDir,
      TERM: "xterm-256color",
    },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`openclaw ${typed} ended with ${code}:\n${output}`);
  const shown = output.replaceAll(tarball, `./${path.basename(tarball)}`).replaceAll(host.dir, "~");
  const lines = linesOf(shown).filter((line) => plain(line) !== "" && !isOfTheHost(plain(line)));
  const cut = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), `… ${lines.length - MOST_LINES + 1} more lines`] : lines;
  steps.push({ command: `openclaw ${typed}`, lines: cut });
}

/** A text in lines that fit. @param {string} text */
function wrapped(text) {
  const fitting = new RegExp(`.{1,${COLUMNS}}(?:\\s|$)|\\S{${COLUMNS}}`, "gu");
  return text.split("\n").flatMap((line) => line.match(fitting) ?? []);
}

/** Lines about the host and its other plugins, and places on this machine. @param {string} line */
function isOfTheHost(line) {
  return /^(?:🦞|│|◇|╮|╭|├|╯|╰|\s*at )|\[(?:plugins|config|secrets|openclaw)\]|Loading OpenClaw CLI|^Linked peerDependency/.test(line);
}
