// Damages an index at random, and looks whether it comes back: no error without a stable code, a clean file after
// `doctor`, and search finds the notes again. The engine is in a process of its own (./damage-loop.mjs), so that a crash
// is seen, and so that the file can be looked at with another copy of SQLite.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { integrity } from "../support/content.mjs";
import { random } from "../support/random.mjs";

const LOOP = fileURLToPath(new URL("./damage-loop.mjs", import.meta.url));
const PAGE = 4096;
const INDEX = "memory-core-rs/main/index.sqlite";

/**
 * @typedef {{bytes: Buffer, below: (limit: number) => number}} Patient A file in memory, and chance.
 * @typedef {{name: string, end: "" | "-wal" | "-shm", apply: (patient: Patient) => Buffer | void}} Damage What is done to
 *   the database, its log or its shared memory; what it gives takes the place of the file.
 */

/** @param {Patient} patient */
const randomPage = ({ bytes, below }) => PAGE * below(Math.max(1, Math.floor(bytes.length / PAGE)));

/** @type {((patient: Patient) => Buffer | void)[]} */
const ANYWHERE = [
  function flips({ bytes, below }) {
    for (let n = 1 + below(40); n > 0 && bytes.length > 0; n--) bytes[below(bytes.length)] ^= 1 + below(255);
  },
  function flip({ bytes, below }) {
    if (bytes.length > 0) bytes[below(bytes.length)] ^= 1 << below(8);
  },
  function zeros(patient) {
    const at = randomPage(patient);
    patient.bytes.subarray(at, at + PAGE * (1 + patient.below(3))).fill(0);
  },
  function noise(patient) {
    const at = randomPage(patient);
    for (let n = at; n < at + PAGE && n < patient.bytes.length; n++) patient.bytes[n] = patient.below(256);
  },
  function swap(patient) {
    const [first, second] = [randomPage(patient), randomPage(patient)];
    const page = Buffer.from(patient.bytes.subarray(first, first + PAGE));
    patient.bytes.copyWithin(first, second, second + PAGE);
    page.copy(patient.bytes, second);
  },
  function cut({ bytes, below }) {
    return bytes.subarray(0, below(bytes.length + 1));
  },
  function cutAtPage(patient) {
    return patient.bytes.subarray(0, randomPage(patient));
  },
  function longer({ bytes, below }) {
    return Buffer.concat([bytes, Buffer.alloc(1 + below(3 * PAGE), below(256))]);
  },
  function begin({ bytes, below }) {
    for (let n = 1 + below(4); n > 0 && bytes.length > 0; n--) bytes[below(Math.min(100, bytes.length))] = below(256);
  },
  function field({ bytes, below }) {
    // One of the fields of four bytes.
    const at = 24 + 4 * below(19);
    if (bytes.length >= 100) bytes.writeInt32BE([0, 1, -1, 0x7fffffff, below(2 ** 31)][below(5)], at);
  },
];

/** @type {Damage["end"][]} */
const ENDS = ["", "-wal", "-shm"];

const DAMAGES = ENDS.flatMap((end) => ANYWHERE.map((apply) => ({ name: `${apply.name}${end}`, end, apply })));

/**
 * @typedef {{number: number, damage: string, problems: string[]}} Case
 * @param {{cases: number, seed: number, only?: number}} options `only`: just the case with this number.
 * @returns {AsyncGenerator<Case>}
 */
export async function* damages({ cases, seed, only }) {
  const dir = await mkdtemp(path.join(os.tmpdir(), "memory-damage-"));
  const loop = spawn(process.execPath, [LOOP, dir], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(loop, "close");
  const lines = createInterface({ input: loop.stdout })[Symbol.asyncIterator]();
  /** @param {object} request */
  const ask = async (request) => {
    loop.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`the process with the engine ended with ${(await ended).join(" ")}`);
    return JSON.parse(value);
  };
  try {
    await ask({ make: "closed" });
    await ask({ make: "open" });
    for (let number = only ?? 0; number < (only === undefined ? cases : only + 1); number++) {
      // Each case has its own chance, so that it can be repeated alone.
      const next = random(seed * 100_003 + number * 7919);
      for (let n = 0; n < 8; n++) next();
      const below = (/** @type {number} */ limit) => Math.floor(next() * limit);
      const state = path.join(dir, "state");
      await rm(state, { recursive: true, force: true });
      const template = below(2) === 0 ? "closed" : "open";
      await cp(path.join(dir, template), state, { recursive: true });
      const damage = await injure(path.join(state, INDEX), template === "open", below);
      const first = ["search", "doctor", "sync"][below(3)];
      const { problems } = await ask({ live: state, first });
      problems.push(...(await integrity(path.join(state, INDEX)).catch((error) => [String(error)])).filter((found) => found !== "ok"));
      yield { number, damage: `${template}: ${damage}, then ${first}`, problems };
    }
  } finally {
    loop.stdin.end();
    await ended;
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Does one or two kinds of damage; gives their names.
 * @param {string} index
 * @param {boolean} hasLog
 * @param {(limit: number) => number} below
 */
async function injure(index, hasLog, below) {
  const kinds = hasLog ? DAMAGES : DAMAGES.filter(({ end }) => end === "");
  const names = [];
  for (let n = below(4) === 0 ? 2 : 1; n > 0; n--) {
    const { name, end, apply } = kinds[below(kinds.length)];
    const file = index + end;
    const bytes = await readFile(file);
    await writeFile(file, apply({ bytes, below }) ?? bytes);
    names.push(name);
  }
  return names.join(" and ");
}
