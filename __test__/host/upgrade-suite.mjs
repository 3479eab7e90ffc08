// A real host whose user comes from 0.1.0, with what that version left on the disk (support/make-state.mjs): all is there,
// nothing is embedded again. And the way back: what a later version wrote is refused clearly and left as it is.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { TestHost } from "./harness.mjs";
import { eventually, ID } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FIXTURE = fileURLToPath(new URL("../fixtures/0.1.0/", import.meta.url));
const found = JSON.parse(await readFile(path.join(FIXTURE, "found.json"), "utf8"));
const [notes] = found.status.sourceCounts;

/** A schema that no version has yet. */
const LATER = 99;

/** What version 0.1.0 heard and had not captured yet. */
const WAITED = ["I always order the vegetarian dish.", "My dog is called Faísca."];

/** @param {string} version */
export function upgradeSuite(version) {
  describe.sequential(`from 0.1.0 on OpenClaw ${version}`, () => {
    /** @type {TestHost} */
    let host;
    steps();
    beforeAll(async () => {
      host = await TestHost.start(version, { files: {}, rules: [{ match: ".", reply: "HELLO" }] });
      execFileSync("tar", ["-xzf", path.join(FIXTURE, "state.tar.gz"), "-C", host.dir]);
      await host.addPlugin(inject("tarball").file);
      await host.edit((entry) => {
        // Its conversation lies in a file of its day, which newer hosts have no part in.
        entry.config = { ...entry.config, ...found.cfg.plugins.entries[ID].config, provider: "embedded", sources: ["memory"] };
      });
    });

    const database = () => path.join(host.stateDir, ID, "main", "index.sqlite");
    const fingerprint = async () =>
      createHash("sha256")
        .update(await readFile(database()))
        .digest("hex");
    const facts = async () => (await host.json("ltm", "list")).map((/** @type {any} */ fact) => fact.text).toSorted();

    /** @template T @param {(db: DatabaseSync) => T} use */
    function withDatabase(use) {
      const db = new DatabaseSync(database());
      try {
        return use(db);
      } finally {
        db.close();
      }
    }
    const schemaOf = () => withDatabase((db) => Number(db.prepare("PRAGMA user_version").get()?.user_version));
    const writeSchema = (/** @type {number} */ schema) =>
      withDatabase((db) =>
        db.exec(
          `PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = ${schema}; ` +
            `UPDATE meta SET value = '${schema}' WHERE key = 'schema'; PRAGMA wal_checkpoint(TRUNCATE)`,
        ),
      );

    async function expectAnswers() {
      const questions = found.answers.filter((/** @type {any} */ { hit }) => hit?.path.startsWith("memory/") || hit?.path === "MEMORY.md");
      expect(questions.length).toBeGreaterThan(5);
      for (const { query, hit: then } of questions) {
        const [hit] = (await host.json("memory", "search", query, "--limit", "1")).results;
        expect(hit?.path, query).toBe(then.path);
      }
    }

    test("its index answers, and nothing of it is embedded again", async () => {
      const [{ report, status }] = await host.json("memory", "index");
      expect(report).toMatchObject({ embedded: 0, pending: 0 });
      expect(status).toMatchObject({ files: notes.files, chunks: notes.chunks });
      await expectAnswers();
      const [again] = await host.json("memory", "index");
      expect(again.report).toMatchObject({ changed: 0, removed: 0, embedded: 0 });
    });

    test("facts, what is forgotten, captures and waiting turns are those of 0.1.0", async () => {
      expect(await facts()).toEqual(found.facts.map((/** @type {any} */ fact) => fact.text).toSorted());
      const { forgotten } = await host.json("memory", "forget", "--list");
      expect(forgotten).toMatchObject(found.forgotten.map((/** @type {any} */ { id, name }) => ({ id, name })));
      const { captures, waiting } = await host.json("memory", "captures");
      expect(waiting).toBe(found.waiting);
      expect(captures).toEqual(found.captures);
    });

    test("the gateway captures the turns that waited, once", async () => {
      await host.startGateway();
      expect(await eventually(async () => (await host.json("memory", "captures")).waiting === 0), host.gatewayOutput.slice(-3000)).toBe(
        true,
      );
      await host.stopGateway();
      const { captures } = await host.json("memory", "captures");
      const stored = captures.filter((/** @type {any} */ { status }) => status === "stored").map((/** @type {any} */ { text }) => text);
      expect(stored).toEqual(expect.arrayContaining(WAITED));
      expect(new Set(stored).size).toBe(stored.length);
    });

    test("an index of a later version is refused clearly and left as it is", async () => {
      const own = schemaOf();
      writeSchema(LATER);
      const before = await fingerprint();
      for (const command of [["search", "boiler pressure"], ["index"], ["doctor"]]) {
        const { code, output } = await host.run("memory", ...command);
        expect([command[0], code]).toEqual([command[0], 1]);
        expect(output).toMatch(/newer version.*Update memory-core-rs.*MEM_NEWER_SCHEMA/s);
      }
      expect(await fingerprint()).toBe(before);
      // With the later version again nothing is lost either.
      writeSchema(own);
      const [{ report }] = await host.json("memory", "index");
      expect(report).toMatchObject({ changed: 0, removed: 0, embedded: 0 });
      await expectAnswers();
    });
  });
}
