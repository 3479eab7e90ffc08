// What the commands say when the provider cannot embed: they ended with 0 and "Memory index updated", and no cause.

import { symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unreadText } from "../../plugin/cli/index-command.js";
import { commandLine } from "../support/command-line.mjs";
import { startProvider } from "../support/provider.mjs";

/** Settings of a provider at an address. @param {string} baseUrl */
const at = (baseUrl) => ({
  provider: "openai-compatible",
  model: "test-embed",
  remote: { baseUrl, apiKey: "sk-not-embedded" },
});

/** @param {number} status Of every answer. */
async function failingProvider(status) {
  const provider = await startProvider({ latencyMs: 0 });
  onTestFinished(provider.stop);
  provider.fault = () => status;
  return provider;
}

test.each([
  [401, "MEM_PROVIDER_AUTH"],
  [404, "MEM_PROVIDER_"],
  [429, "MEM_PROVIDER_RATE_LIMIT"],
  [500, "MEM_PROVIDER_UNAVAILABLE"],
])(
  "an index without vectors because of HTTP %i is a failure with its cause, and words are found",
  async (status, code) => {
    const provider = await failingProvider(status);
    const { run, json, finds } = await commandLine(at(provider.baseUrl));
    const { output, code: exit } = await run("index");
    expect({ output, exit }).toMatchObject({ exit: 1, output: expect.stringContaining(`[${code}`) });
    expect(output).toMatch(/Memory index \(main\): 2 chunks could not be embedded: .*by words meanwhile/s);
    expect(output).not.toContain("sk-not-embedded");
    expect(await finds("sencha")).toBe(true);

    const [{ report }] = await json("index");
    expect(process.exitCode).toBe(1);
    expect(report).toMatchObject({ pending: 2, embeddingError: { code: expect.stringContaining(code) } });
    const said = await run("status");
    expect(said).toMatchObject({ code: 0, output: expect.stringMatching(/2 chunks without a vector, found by words only since 20/) });
    expect(said.output).not.toContain("last update:");
    const indexed = await run("status", "--index");
    expect(indexed).toMatchObject({ code: 1, output: expect.stringContaining("could not be embedded") });

    provider.fault = null;
    expect(await run("index")).toMatchObject({ code: 0, output: expect.not.stringContaining("could not") });
    expect((await run("status")).output).not.toContain("without a vector");
  },
  60_000,
);

test.each([
  ["an address where nobody listens", at("http://127.0.0.1:9/v1"), "MEM_PROVIDER_UNAVAILABLE"],
  ["an unknown provider", { provider: "no-such-provider" }, "MEM_"],
])(
  "an index without vectors because of %s is a failure that says so",
  async (_, search, code) => {
    const { run, finds } = await commandLine(search);
    const { output, code: exit } = await run("index");
    expect({ output, exit }).toMatchObject({ exit: 1, output: expect.stringContaining(`[${code}`) });
    expect(output).toContain("What to do:");
    expect(await finds("sencha")).toBe(true);
  },
  60_000,
);

// The report has their number only, and going through a number ended the command.
test("index --verbose names the files that are left out", async () => {
  const { workspace, run } = await commandLine();
  await symlink("/etc/hostname", path.join(workspace, "memory/link.md"));
  await writeFile(path.join(workspace, "memory/program.md"), Buffer.from("7f454c46020101000000000000000000010000003e00", "hex"));
  const { code, output } = await run("index", "--verbose");
  expect(code).toBe(0);
  expect(output).toContain("skipped memory/link.md: ");
  expect(output).toContain("skipped memory/program.md: no text by its content");
});

// A note that could not be read was left out of the new index without a word.
test("files that could not be read are told without --verbose, the first few with the cause", () => {
  const refused = (/** @type {string} */ name) => ({ path: `memory/${name}.md`, code: "unreadable", reason: "Permission denied" });
  const ignored = { path: "memory/.git", code: "ignored", reason: "a folder on the ignore list" };
  expect(unreadText([ignored])).toBeUndefined();
  expect(unreadText([ignored, refused("a")])).toBe("1 file could not be read: memory/a.md (Permission denied).");
  expect(unreadText(["a", "b", "c", "d", "e"].map(refused))).toMatch(
    /^5 files could .*memory\/c\.md \([^)]*\), and 2 more \(--verbose names all\)\.$/,
  );
});
