// Failures, warnings and JSON at a terminal.

import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { commandLine } from "../support/command-line.mjs";

// Failures and warnings were printed as a provider, or whoever typed, had written them.
test("what a provider answers, or an argument says, has no power over the terminal", async () => {
  const ESC = "\u001b";
  const server = createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: `no ${ESC}]0;title\u0007 ${ESC}[2J \u009b2J \u202e` } }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  onTestFinished(() => void server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const remote = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: "k" };
  const home = await commandLine({ provider: "openai", model: "m", remote });
  const outputs = [];
  for (const args of [["index"], ["search", "falcon"], ["search", "falcon", "--json"], ["status"], ["status", "--json"], ["doctor"]]) {
    outputs.push((await home.run(...args)).output);
  }
  expect(outputs[0]).toContain("␛]0;title␇");
  outputs.push((await home.run("status", "--agent", `${ESC}[2J`)).output);
  outputs.push((await home.run("search", "tea", "--json", "--agent", "\u009b2J\u202e")).output);
  expect(outputs.at(-1)).toContain("\\u009b2J\\u202e");
  const sgr = new RegExp(`${ESC}\\[(?:1|22|[39]\\d)m`, "g");
  for (const output of outputs) expect(output.replace(sgr, "")).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
});

test("commands print by the functions that take away the power over a terminal", async () => {
  const folder = new URL("../../plugin/cli/", import.meta.url);
  const direct = /console\.\w+\(|process\.std(?:out|err)\.write\(/;
  const names = [];
  for (const name of await readdir(folder)) {
    if (name !== "output.js" && direct.test(await readFile(new URL(name, folder), "utf8"))) names.push(name);
  }
  expect(names).toEqual([]);
});
