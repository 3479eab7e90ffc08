// The index in a PostgreSQL database, in a real host.

import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { administer, missingForPostgres, ownDatabase } from "../support/postgres.mjs";
import { TestHost } from "./harness.mjs";
import { eventually, ID, toolAnswers } from "./memory-host.mjs";
import { steps } from "./steps.mjs";

const FILES = {
  "MEMORY.md": "# Memory\n- The favourite tea is sencha.\n",
  "memory/falcon.md": "# Falcon\n\n- Project Falcon deploys from the harbour office.\n",
  "memory/boiler.md": "# Boiler\n\n- The boiler pressure is 1.4 bar.\n",
};

const RULES = [
  { match: "Where does Falcon deploy", tool: "memory_search", toolCall: { name: "memory_search", arguments: { query: "Falcon deploys" } } },
  { on: "tool", match: "harbour office", reply: "ANSWER: from the harbour office." },
  { on: "tool", match: ".", reply: "ANSWER: nothing." },
  { match: ".", reply: "HELLO" },
];

/** As people write it in the configuration. */
const REFERENCE = "\u0024{MEMORY_PG_URL}";

/** @param {string} version */
export function postgresSuite(version) {
  const missing = missingForPostgres();
  if (missing) {
    test.skip(missing);
    console.log(missing);
    return;
  }
  describe.sequential(`PostgreSQL on OpenClaw ${version}`, () => {
    /** @type {Awaited<ReturnType<typeof ownDatabase>>} */
    let database;
    /** @type {TestHost} */
    let host;
    /** All that was printed. */
    let said = "";
    steps();

    /** @param {Record<string, string>} files @param {{url: string, schema: string}} [where] @param {string} [password] @param {object} [more] Settings. */
    const hostOf = async (files, { url, schema } = database, password, more = {}) => {
      const made = await TestHost.start(version, { files, rules: RULES });
      await made.addPlugin(inject("tarball").file);
      made.env.MEMORY_PG_URL = url;
      if (password) made.env.MEMORY_PG_PASSWORD = password;
      const ofItsOwn = password && { password: { source: "env", provider: "default", id: "MEMORY_PG_PASSWORD" } };
      await made.configure({ store: { driver: "postgres", postgres: { url: REFERENCE, schema, ...ofItsOwn, ...more } } });
      return made;
    };
    /** What a command prints, which is kept. @param {TestHost} where @param {string[]} args */
    const told = async (where, ...args) => {
      const outcome = await where.run("memory", ...args);
      said += outcome.output;
      return outcome;
    };
    /** @param {TestHost} where @param {string[]} args */
    const json = async (where, ...args) => {
      const { code, stdout, output } = await told(where, ...args, "--json");
      expect(code, output).toBe(0);
      return JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
    };
    /** @param {TestHost} where @param {string} query */
    const found = async (where, query) => (await json(where, "search", query)).results;
    const isFile = (/** @type {TestHost} */ where) => existsSync(path.join(where.stateDir, ID, "main", "index.sqlite"));

    beforeAll(async () => {
      database = await ownDatabase();
      host = await hostOf(FILES);
    });
    // Whatever is still open of it goes with the hosts, which `steps` ends first.
    afterAll(async () => await database?.end());

    test("notes are indexed and found, and there is no file", async () => {
      const [{ report, status }] = await json(host, "index");
      expect(report).toMatchObject({ pending: 0 });
      expect(status).toMatchObject({ files: Object.keys(FILES).length });
      const [hit] = await found(host, "where does Falcon deploy");
      expect(hit).toMatchObject({ path: "memory/falcon.md", source: "memory" });
      expect(hit.snippet).toContain("harbour office");
      const [again] = await json(host, "index");
      expect(again.report).toMatchObject({ changed: 0, removed: 0, embedded: 0 });
      expect(isFile(host)).toBe(false);
    });

    test("the agent finds them in the gateway, before and after a restart", async () => {
      for (const _ of ["before", "after"]) {
        await host.startGateway();
        host.takeChats();
        expect(await host.turn("Where does Falcon deploy?", { local: false })).toContain("harbour office");
        expect(toolAnswers(host.takeChats()).join("\n")).toContain("memory/falcon.md");
        await host.stopGateway();
      }
      expect(isFile(host)).toBe(false);
    });

    test("status and doctor are those of an index", async () => {
      const [{ status }] = await json(host, "status");
      expect(status).toMatchObject({ files: Object.keys(FILES).length, dirty: false, dbPath: `PostgreSQL, schema ${database.schema}` });
      expect((await told(host, "status", "--deep", "--verbose")).output).toMatch(
        /3\/3 files.*Database: PostgreSQL \d+.* pgvector .* tables of version \d+ .*answers in \d+ ms\nCompared: in memory.*\nIndexed by: .*Disk: tables of all agents/s,
      );
      const [{ checks }] = await json(host, "doctor", "--dry-run");
      expect(checks.filter((/** @type {{ok: boolean}} */ check) => !check.ok)).toEqual([]);
      expect(checks.map((/** @type {{name: string}} */ { name }) => name)).toEqual(expect.arrayContaining(["database", "rights"]));
    });

    test("doctor names the grant that is missing, also where the index cannot be opened", async () => {
      const { schema, role } = database;
      for (const [lost, named] of [
        [`INSERT ON ${schema}.chunk`, new RegExp(`problem rights: .*GRANT INSERT ON ${schema}\\.chunk TO <role>`)],
        [`USAGE ON SCHEMA ${schema}`, new RegExp(`problem file: .*problem rights: .*GRANT USAGE ON SCHEMA ${schema} TO <role>`, "s")],
      ]) {
        // Its own tables: what it granted itself it may lose.
        administer(`REVOKE ${lost} FROM ${role}`);
        const { code, output } = await told(host, "doctor", "--dry-run");
        expect([code, output]).toEqual([1, expect.stringMatching(named)]);
        administer(`GRANT ${lost} TO ${role}`);
      }
      expect((await told(host, "doctor", "--dry-run")).code).toBe(0);
    });

    test("reset says what it removes, and the next index builds it anew", async () => {
      expect((await told(host, "reset", "--yes", "--keep-vectors")).output).toMatch(
        /Cleared \(main\): 3 files, \d+ chunks, 0 vectors; the database uses their room again\./,
      );
      expect(await json(host, "index")).toMatchObject([{ report: { changed: 3, embedded: 0 } }]);
    });

    test("a second gateway with the same agent and other notes reads, and changes nothing", async () => {
      // Its password is a secret beside the address.
      const bare = { ...database, url: database.url.replace(`:${database.password}@`, "@") };
      const other = await hostOf({ "MEMORY.md": "# Memory\n- A notebook of somebody else, who writes more.\n" }, bare, database.password);
      const [{ report }] = await json(other, "index");
      expect(report.warning).toMatch(/of other notes/);
      expect(report).toMatchObject({ changed: 0, removed: 0 });
      expect((await found(other, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
      expect((await json(other, "status"))[0].status.custom.health).toMatchObject({
        state: "foreign",
        reason: expect.stringMatching(/memory store adopt/),
      });
      await other.startGateway();
      expect(await other.turn("Where does Falcon deploy?", { local: false })).toContain("harbour office");
      await other.stopGateway();
      said += other.gatewayOutput;
      expect(JSON.stringify(await found(other, "notebook"))).not.toContain("somebody else");
      const [{ report: own }] = await json(host, "index");
      expect(own).toMatchObject({ changed: 0, removed: 0 });

      // Written in plain text it is told.
      await other.configure({ store: { driver: "postgres", postgres: { url: database.url, schema: database.schema } } });
      const plain = await told(other, "doctor", "--dry-run");
      expect([plain.code, plain.output]).toEqual([
        1,
        expect.stringMatching(/problem configuration: store\.postgres\.url holds a password in plain/),
      ]);
      await other.configure({ store: { driver: "postgres", postgres: { url: REFERENCE, schema: database.schema } } });
      other.env.MEMORY_PG_URL = database.url;

      // Until somebody says that it is to be of these notes, and has seen what goes.
      const asked = await told(other, "store", "adopt");
      expect([asked.code, asked.output]).toEqual([
        1,
        expect.stringMatching(/knows 3 notes: 0 are here at their size, 1 at another, 2 are not here.*Nothing was changed\. Use --yes/s),
      ]);
      const preview = { ours: false, known: 3, same: 0, changed: 1, missing: 2, new: 0, adopted: null };
      expect(await json(other, "store", "adopt", "--dry-run")).toMatchObject([preview]);
      expect((await found(other, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
      expect(await json(other, "store", "adopt", "--yes")).toMatchObject([{ missing: 2, adopted: { files: 1 } }]);
      expect((await found(other, "notebook"))[0].path).toBe("MEMORY.md");
      expect((await told(other, "store", "adopt")).output).toContain("there is nothing to take over");
      await other.stop();
      expect((await json(host, "index"))[0].report.warning).toMatch(/of other notes.*memory store adopt/);
      expect(await json(host, "store", "adopt", "--yes")).toMatchObject([{ missing: 0, new: 2, adopted: { files: 3 } }]);
      expect((await found(host, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
    });

    test("a gateway in an empty workspace has the notes of another, and both follow each other", async () => {
      const shared = await ownDatabase();
      try {
        const one = await hostOf(FILES, shared, undefined, { notes: true });
        await json(one, "index");
        const two = await hostOf({}, shared, undefined, { notes: true });
        const at = (/** @type {TestHost} */ where, /** @type {string} */ note) => path.join(where.workspace, note);
        const read = (/** @type {TestHost} */ where, /** @type {string} */ note) => readFile(at(where, note), "utf8").catch(() => null);
        for (const name of Object.keys(FILES)) expect([name, await read(two, name)]).toEqual([name, null]);
        const hasAll = async () =>
          (await Promise.all(Object.entries(FILES).map(async ([name, text]) => (await read(two, name)) === text))).every(Boolean);
        await two.startGateway();
        expect(await eventually(hasAll)).toBe(true);
        two.takeChats();
        expect(await two.turn("Where does Falcon deploy?", { local: false })).toContain("harbour office");
        expect(toolAnswers(two.takeChats()).join("\n")).toContain("memory/falcon.md");

        // What is written beside the running gateway is in the other workspace after its next update.
        await writeFile(at(two, "memory/heron.md"), "# Heron\n\n- Project Heron starts in spring.\n");
        expect(await eventually(async () => (await found(one, "when does Heron start"))[0]?.path === "memory/heron.md")).toBe(true);
        expect((await json(one, "index"))[0].report.warning).toBeUndefined();
        expect(await read(one, "memory/heron.md")).toContain("starts in spring");
        await two.stopGateway();
        said += two.gatewayOutput;

        // Both changed: both are there, and it is said until somebody has looked.
        await writeFile(at(one, "memory/boiler.md"), "# Boiler\n\n- The boiler pressure is 1.6 bar.\n");
        await writeFile(at(two, "memory/boiler.md"), "# Boiler\n\n- The boiler was replaced by a heat pump.\n");
        await json(one, "index");
        expect((await json(two, "index"))[0].report.warning).toMatch(/1 notes were changed here and in the database: both are kept/);
        expect(await read(two, "memory/boiler.md")).toContain("heat pump");
        const beside = (await readdir(at(two, "memory"))).filter((name) => /^boiler\.conflict-[0-9a-f]{8}\.md$/.test(name));
        expect(beside).toHaveLength(1);
        expect(await read(two, `memory/${beside[0]}`)).toContain("1.6 bar");
        await json(one, "index");
        expect([await read(one, "memory/boiler.md"), await read(one, `memory/${beside[0]}`)]).toEqual([
          await read(two, "memory/boiler.md"),
          await read(two, `memory/${beside[0]}`),
        ]);
        expect((await told(two, "status")).output).toMatch(
          new RegExp(`Notes: 5 notes here and in the database, exchanged last .*\n1 text kept beside another; .*:\n  memory/${beside[0]}`),
        );
        const doctor = await told(two, "doctor", "--dry-run");
        expect([doctor.code, doctor.output]).toEqual([1, expect.stringMatching(new RegExp(`problem notes: .*memory/${beside[0]}`))]);
        await rm(at(one, `memory/${beside[0]}`));
        await json(one, "index");
        await json(two, "index");
        expect(await read(two, `memory/${beside[0]}`)).toBe(null);
        expect((await told(two, "doctor", "--dry-run")).output).toMatch(/notes: 4 notes are here and in the database/);

        // What one is told to forget the other one forgets.
        const { undoId: id } = await json(one, "forget", "--path", "memory/heron.md", "--yes");
        await json(two, "index");
        for (const where of [one, two]) expect(JSON.stringify(await found(where, "when does Heron start"))).not.toContain("spring");
        expect(JSON.stringify(await json(two, "forget", "--list"))).toContain(id);

        // The container is started anew, and its state with it.
        await rm(two.workspace, { recursive: true });
        await rm(path.join(two.stateDir, ID), { recursive: true });
        await json(two, "index");
        expect(JSON.stringify(await json(two, "forget", "--list"))).toContain(id);
        await json(two, "forget", "--undo", id);
        await json(one, "index");
        await json(two, "index");
        for (const where of [one, two]) expect((await found(where, "when does Heron start"))[0].path).toBe("memory/heron.md");
        expect(await read(two, "memory/falcon.md")).toBe(FILES["memory/falcon.md"]);
        expect(await read(two, "memory/boiler.md")).toContain("heat pump");
        expect((await json(one, "index"))[0].report).toMatchObject({ removed: 0 });
        for (const secret of shared.secrets) expect(said).not.toContain(secret);
        await two.stop();
        await one.stop();
      } finally {
        await shared.end();
      }
    });

    test("a role that may make no tables gets them from an administrator", async () => {
      const bare = await ownDatabase({ creates: false });
      try {
        const other = await hostOf(FILES, bare);
        const refused = await told(other, "index");
        expect([refused.code, refused.output]).toEqual([1, expect.stringMatching(/lacks a right.*\[MEM_CONFIG\]/s)]);
        const { stdout, code } = await other.run("memory", "store", "schema", "--role", bare.role);
        expect(code).toBe(0);
        administer(stdout.slice(stdout.indexOf("-- Tables of memory-core-rs")));
        expect(await json(other, "index")).toMatchObject([{ report: { pending: 0 } }]);
        expect((await found(other, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
        await other.stop();
      } finally {
        await bare.end();
      }
    });

    test("vectors are copied into a file and back, and nothing is embedded again", async () => {
      const into = await told(host, "store", "copy", "--to", "sqlite");
      expect([into.code, into.output]).toEqual([
        0,
        expect.stringMatching(/Copied from PostgreSQL, schema s_\w+ to .*index\.sqlite \(main\): 3 vectors, 0 of them there already\./),
      ]);
      await host.configure({ store: { driver: "sqlite", postgres: { url: REFERENCE, schema: database.schema } } });
      expect(await json(host, "index")).toMatchObject([{ report: { changed: 3, embedded: 0, pending: 0 } }]);
      expect((await found(host, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
      expect(await json(host, "store", "copy", "--to", "postgres")).toMatchObject({ to: "postgres", vectors: 3, known: 3 });
      expect(await told(host, "store", "copy", "--to", "oracle")).toMatchObject({ code: 1 });
      await host.configure({ store: { driver: "postgres", postgres: { url: REFERENCE, schema: database.schema } } });
      await rm(path.join(host.stateDir, ID, "main", "index.sqlite"));
      expect((await found(host, "where does Falcon deploy"))[0].path).toBe("memory/falcon.md");
    });

    test("what cannot be reached, is refused or not said ends with a code and what to do", async () => {
      /** @type {[string, RegExp, string][]} */
      const wrong = [
        [database.address("wr0ng"), /refused user or password\. Check user and password in store\.postgres.*\[MEM_CONFIG\]/s, "MEM_CONFIG"],
        [database.url.replace(/:\d+\//, ":9/"), /cannot be reached \(connection refused\).*See whether.*\[MEM_IO\]/s, "MEM_IO"],
        ["", /store\.postgres\.url.*\[MEM_CONFIG\]/s, "MEM_CONFIG"],
      ];
      for (const [url, message, code] of wrong) {
        host.env.MEMORY_PG_URL = url;
        if (url === "") await host.configure({ store: { driver: "postgres", postgres: { schema: database.schema } } });
        const { code: ended, output } = await told(host, "search", "Falcon");
        expect([ended, output]).toEqual([1, expect.stringMatching(message)]);
        const { stdout } = await told(host, "search", "Falcon", "--json");
        expect(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))).error).toMatchObject({ code, remedy: expect.any(String) });
        expect((await told(host, "status")).output).toMatch(new RegExp(code));
        expect(isFile(host)).toBe(false);
      }
      host.env.MEMORY_PG_URL = database.url;
      await host.configure({ store: { driver: "postgres", postgres: { url: REFERENCE, schema: database.schema } } });
    });

    test("a gateway that comes up without its database says why, and goes on when it is back", async () => {
      host.env.MEMORY_PG_URL = database.url.replace(/:\d+\//, ":9/");
      await host.startGateway();
      host.takeChats();
      await host.turn("Where does Falcon deploy?", { local: false });
      expect(toolAnswers(host.takeChats()).join("\n")).toMatch(/cannot be reached/);
      await host.stopGateway();
      host.env.MEMORY_PG_URL = database.url;
      await host.startGateway();
      expect(await eventually(async () => (await found(host, "where does Falcon deploy"))[0]?.path === "memory/falcon.md")).toBe(true);
      await host.stopGateway();
    });

    test("address, user, host and password are in nothing that was said", () => {
      said += host.gatewayOutput;
      expect(said).toContain("harbour office");
      for (const secret of database.secrets) expect(said.split("\n").filter((line) => line.includes(secret))).toEqual([]);
    });

    test("nor in any file of the host", async () => {
      const entries = await readdir(host.dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".node"));
      expect(files.length).toBeGreaterThan(20);
      const [role, password] = database.secrets;
      for (const { parentPath, name } of files) {
        const bytes = await readFile(path.join(parentPath, name));
        expect([name, bytes.includes(role), bytes.includes(password)]).toEqual([name, false, false]);
      }
    });
  });
}
