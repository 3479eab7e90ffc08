// What the host throws keeps its code, status and patience on its way into the engine and back. It was sorted by its words:
// a port of three digits in a sentence was taken for an HTTP status.

import { expect, test } from "vitest";
import { MemoryIndexManager } from "../../index.js";
import { makeWorkspace } from "../support/workspace.mjs";

/**
 * The code and the patience of a sync whose adapter fails.
 * @param {unknown} thrown
 */
async function syncWith(thrown) {
  const { config, request } = await makeWorkspace();
  const cfg = config({ provider: "acme", model: "m", sync: { watch: false } });
  const embed = async () => Promise.reject(thrown);
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, embed }));
  const report = await manager.sync();
  await manager.close();
  return report.embeddingError;
}

test.each([
  ["a refusal by its status", { status: 401 }, "MEM_PROVIDER_AUTH"],
  ["a cause below it", { cause: { statusCode: 402 } }, "MEM_PROVIDER_QUOTA"],
  ["an adapter of Bedrock", { name: "AccessDeniedException", $metadata: { httpStatusCode: 403 } }, "MEM_PROVIDER_AUTH"],
  ["a code of ours", { code: "MEM_CONFIG" }, "MEM_CONFIG"],
  ["an adapter that cannot be made", { code: "HOST_PROVIDER_SETUP" }, "MEM_PROVIDER_UNAVAILABLE"],
])("%s", async (_, data, code) => {
  expect(await syncWith(Object.assign(new Error("no (500)"), data))).toMatchObject({ code });
});

test("the code of the host's own error comes back beside ours, a plain error has none", async () => {
  const refused = Object.assign(new Error("fetch failed"), { cause: { code: "ECONNREFUSED" }, status: 403 });
  expect(await syncWith(refused)).toMatchObject({ code: "MEM_PROVIDER_AUTH", hostCode: "ECONNREFUSED" });
  expect(await syncWith(Object.assign(new Error("no"), { status: 403 }))).not.toHaveProperty("hostCode");
});

test("a plain sentence is all that some adapters have", async () => {
  expect(await syncWith(new Error("GitHub Copilot embeddings HTTP 401: no"))).toMatchObject({ code: "MEM_PROVIDER_AUTH" });
});

test("conversations that the host cannot show keep nothing else out of the index", async () => {
  const { config, request } = await makeWorkspace();
  const cfg = config({ provider: "none", sources: ["memory", "sessions"], experimental: { sessionMemory: true } });
  const sessions = async () => Promise.reject(Object.assign(new Error("closed for now"), { code: "SESSIONS_LOCKED" }));
  const manager = /** @type {MemoryIndexManager} */ (await MemoryIndexManager.get({ ...request, cfg, sessions }));
  await manager.sync();
  expect(manager.status().lastSyncError).toMatch("closed for now");
  expect(await manager.search("sencha")).toHaveLength(1);
  await manager.close();
});
