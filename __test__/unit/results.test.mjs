// What a search shows, as somebody asks it: whole notes, no bare headings, no borrowed scores.
import { describe, expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

/** 2024-06-15 12:00 UTC, a Saturday. */
const NOW = 1_718_452_800_000;

/** Asks a fresh index over some notes. @param {Record<string, string>} files */
async function asking(files) {
  const { request } = await makeWorkspace(files);
  const manager = await MemoryIndexManager.get(request);
  await manager?.sync({ reason: "test", force: true });
  return async (/** @type {string} */ query, options = {}) => (await manager?.search(query, { nowMs: NOW, ...options })) ?? [];
}

describe("results", () => {
  test("a heading with nothing below it is none", async () => {
    const ask = await asking({
      "memory/a.md": "# Garden\n\n## Plants\n\n- Tomatoes stand beside the fence.\n",
      "memory/b.md": "# House\n\nThe roof is new.\n\n## Garden ideas\n\n## Kitchen\n\nThe stove is old.\n",
    });
    const hits = await ask("garden");
    expect(hits.map(({ path, snippet }) => [path, snippet])).toEqual([
      ["memory/a.md", "# Garden\n\n## Plants\n\n- Tomatoes stand beside the fence."],
    ]);
  });

  test("one below the threshold is not lifted by the next", async () => {
    const ask = await asking({
      "memory/2024-06-14.md": "A quiet day without visitors.\n",
      "memory/z.md": "He said yesterday that yesterday was yesterday.\n",
    });
    expect((await ask("what happened yesterday")).map(({ path }) => path)).toEqual(["memory/2024-06-14.md"]);
  });

  test("a note of four lines is one", async () => {
    const note =
      "Ana's dentist is Dr Costa.\nThe appointment is on Monday at nine.\nThe clinic is in Rua das Flores.\nBring the insurance card.";
    const ask = await asking({ "memory/ana.md": `${note}\n`, "memory/x.md": "The tea house is in Porto." });
    for (const query of ["when is the dentist appointment", "dentist insurance", "dentist"]) {
      expect((await ask(query)).map(({ snippet }) => snippet)).toEqual([note]);
    }
  });

  // Each heading of it was a result.
  test("a short note with headings is one", async () => {
    const note = "# Ana\n\n## Dentist\n\n- Dr Costa.\n\n## Car\n\n- The dentist repaired it.\n\n## Later";
    const ask = await asking({ "memory/ana.md": `${note}\n`, "memory/x.md": "The tea house is in Porto." });
    expect((await ask("dentist")).map(({ snippet, startLine, endLine }) => [snippet, startLine, endLine])).toEqual([[note, 1, 11]]);
  });

  // One left out what the other showed, and both cited it.
  test("two of one file cite no line twice", async () => {
    const words = ["garden", "fence", "gate", "roof"];
    const line = (/** @type {number} */ n) =>
      `- ${n}: ${words[n % 4]} and ${words[(n * 7) % 3]}, ${"as was said on that day, ".repeat(4 + (n % 5))}`;
    const ask = await asking({ "memory/a.md": Array.from({ length: 60 }, (_, n) => line(n)).join("\n") });
    const hits = (await ask("garden fence gate", { maxResults: 12 })).sort((a, b) => a.startLine - b.startLine);
    expect(hits.length).toBeGreaterThan(6);
    for (const [at, hit] of hits.slice(1).entries()) expect(hit.startLine).toBeGreaterThan(hits[at].endLine);
  });

  test("days are found by their name alone, in notes and below headings", async () => {
    const ask = await asking({
      "MEMORY.md":
        "# Memory\n\n## 2024-06-14\n\n- The plumber replaced the valve.\n\n## Other\n\n- Yesterday never comes, ontem também não, 昨天也没有来。\n",
      "memory/2024-06-14.md": "- Lunch with Bruno\n",
      "memory/2024-06-11.md": "- Car inspection passed\n",
      "memory/2024-06-04.md": "- Dentist at nine\n",
    });
    const yesterday = ["MEMORY.md", "memory/2024-06-14.md"];
    for (const query of [
      "yesterday",
      "Yesterday?",
      "ontem",
      "o que fiz ontem?",
      "昨天",
      "昨天发生了什么",
      "gestern",
      "ayer",
      "hier",
      "ieri",
      "вчера",
      "昨日",
      "어제",
    ]) {
      expect([query, (await ask(query)).map(({ path }) => path).sort()]).toEqual([query, yesterday]);
    }
    // In Chinese it is the Tuesday of last week, elsewhere the latest one.
    for (const [query, day] of [
      ["上周二", "04"],
      ["上周二我做了什么", "04"],
      ["na terça-feira passada", "11"],
      ["o que fiz na terça passada?", "11"],
      ["el martes pasado", "11"],
      ["letzten Dienstag", "11"],
      ["mardi dernier", "11"],
      ["в прошлый вторник", "11"],
    ]) {
      expect([query, (await ask(query)).map(({ path }) => path)]).toEqual([query, [`memory/2024-06-${day}.md`]]);
    }
  });

  test("a name with one wrong letter is found, a word that nobody wrote is not", async () => {
    const notes = {
      "MEMORY.md":
        "- Priya Raman: colleague, phone 555 0199\n- Jan Kowalczyk fixes bicycles in Harbour Street\n- The boat lies in the yard, and the gato is asleep.\n",
      "memory/a.md": "The printer is out of toner.\n",
    };
    for (const provider of ["none", "embedded"]) {
      const { config, request } = await makeWorkspace(notes);
      const manager = await MemoryIndexManager.get({ ...request, cfg: config({ provider }) });
      await manager?.sync({ reason: "test", force: true });
      for (const query of ["Prya", "Prya's phone number", "Kowalczik", "who is kowalczik?", "Kowalzcyk"]) {
        const hits = (await manager?.search(query)) ?? [];
        expect([provider, query, hits[0]?.path]).toEqual([provider, query, "MEMORY.md"]);
      }
    }
    const ask = await asking(notes);
    for (const query of ["pato", "coat", "Kowalski", "Lena"]) expect([query, await ask(query)]).toEqual([query, []]);
  });
});
