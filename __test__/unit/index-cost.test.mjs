// What `openclaw memory index` says of an update before it costs something.

import { expect, test } from "vitest";
import { commandLine } from "../support/command-line.mjs";

// A proxy of a provider elsewhere was said to be the place where the texts stay.
test("the cost of an update tells where texts go: no proxy on this machine is the provider itself", async () => {
  const line = async (/** @type {string} */ provider, /** @type {string} */ baseUrl) => {
    const { run } = await commandLine({ provider, model: "m", remote: { baseUrl, apiKey: "k" } });
    return (await run("index", "--dry-run")).output.match(/^To send to .*$/m)?.[0];
  };
  expect(await line("openai", "http://127.0.0.1:9/v1")).toMatch(/^To send to openai \(m, through http:\/\/127\.0\.0\.1:9\/v1\): 2 texts/);
  expect(await line("openai-compatible", "http://localhost:9/v1")).toContain("(m, through http://localhost:9/v1)");
  expect(await line("ollama", "http://127.0.0.1:9")).toContain("(m, on this machine)");
  expect(await line("openai", "https://proxy.example/v1")).toContain("(m, paid by the token)");
});
