// Runs every question of one case through one engine. argv: JSON of the job, see index.mjs.
import fs from "node:fs";
import path from "node:path";
import { readQueries } from "./cases.mjs";

const job = JSON.parse(process.argv[2]);

// Time words are asked on the day that the case says, whatever today is.
const RealDate = Date;
const shift = job.nowMs - RealDate.now();
globalThis.Date = /** @type {DateConstructor} */ (
  class extends RealDate {
    /** @param {any[]} parts */
    constructor(...parts) {
      // @ts-expect-error: the arguments of Date, whatever they are
      super(...(parts.length === 0 ? [RealDate.now() + shift] : parts));
    }

    static now() {
      return RealDate.now() + shift;
    }
  }
);

const { open } = await import(path.join(import.meta.dirname, "adapters", job.adapter));
const engine = await open(job);
/** @type {Record<string, {six: object[], more: object[], twenty: object[], budget: object[]}>} */
const found = {};
for (const { id, query } of readQueries(path.dirname(job.queries))) {
  const brief = (/** @type {any[]} */ hits) =>
    hits.map(({ path: file, startLine, endLine, score, snippet }) => ({ path: file, startLine, endLine, score, snippet }));
  const ask = async (/** @type {number | undefined} */ maxResults) => brief(await engine.search(query, { maxResults }));
  const more = brief((await engine.goOn?.(query, { maxResults: 6 })) ?? []);
  found[id] = { six: await ask(6), more, twenty: await ask(20), budget: await ask(undefined) };
}
fs.writeFileSync(job.out, JSON.stringify(found));
await engine.close();
process.exit(0);
