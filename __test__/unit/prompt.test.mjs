import { describe, expect, test } from "vitest";
import { buildFlushPlan } from "../../plugin/flush-plan.js";
import { buildPromptSection } from "../../plugin/prompt-section.js";

describe("prompt section", () => {
  const section = (/** @type {string[]} */ tools, /** @type {"auto" | "on" | "off"} */ citationsMode = "auto") =>
    buildPromptSection({ availableTools: new Set(tools), citationsMode }).join("\n");

  test("there is none without the tools", () => {
    expect(section(["read", "write"])).toBe("");
  });

  test("it names exactly the tools that are there", () => {
    expect(section(["memory_search", "memory_get"])).toMatch(/^## Memory Recall\n.*memory_search.*memory_get/);
    expect(section(["memory_search"])).not.toContain("memory_get");
    expect(section(["memory_get"])).not.toContain("memory_search");
  });

  test("citations can be switched off", () => {
    expect(section(["memory_search"])).toContain("Source: <path>#L<line>");
    expect(section(["memory_search"], "off")).not.toContain("Source:");
  });
});

describe("flush plan", () => {
  const nowMs = Date.UTC(2026, 0, 31, 23, 30);
  const config = (/** @type {object} */ memoryFlush, /** @type {object} */ rest = {}) => ({
    agents: { defaults: { userTimezone: "Asia/Tokyo", compaction: { memoryFlush, ...rest } } },
  });

  test("defaults, with the file of the user's own day", () => {
    const plan = buildFlushPlan({ cfg: config({}), nowMs });
    expect(plan).toMatchObject({
      softThresholdTokens: 4000,
      forceFlushTranscriptBytes: 2_097_152,
      reserveTokensFloor: 20_000,
      relativePath: "memory/2026-02-01.md",
    });
    expect(plan).not.toHaveProperty("model");
    for (const text of [plan?.prompt, plan?.systemPrompt]) {
      expect(text).toContain("Write only to memory/2026-02-01.md");
      expect(text).toContain("NO_REPLY");
      expect(text).not.toMatch(/\{file\}|\{date\}|YYYY/);
    }
    expect(plan?.prompt).toContain("Current time: 2026-02-01 08:30 (Asia/Tokyo), 2026-01-31 23:30 UTC");
  });

  test.each([
    ["2026-01-31T10:30:00Z", "Pacific/Pago_Pago", "2026-01-30", "23:30"],
    ["2026-01-31T10:30:00Z", "Pacific/Kiritimati", "2026-02-01", "00:30"],
    // The day that has no midnight, and the hour that comes twice.
    ["2018-11-04T03:00:00Z", "America/Sao_Paulo", "2018-11-04", "01:00"],
    ["2024-10-27T01:30:00Z", "Europe/Lisbon", "2024-10-27", "01:30"],
  ])("at %s in %s it is %s %s", (now, userTimezone, date, time) => {
    const plan = buildFlushPlan({ cfg: { agents: { defaults: { userTimezone } } }, nowMs: Date.parse(now) });
    expect(plan?.relativePath).toBe(`memory/${date}.md`);
    expect(plan?.prompt).toContain(`Current time: ${date} ${time} (${userTimezone})`);
  });

  test("it can be switched off", () => {
    expect(buildFlushPlan({ cfg: config({ enabled: false }), nowMs })).toBeNull();
  });

  test("a prompt of the user keeps its words and gets the rules it lacks, once", () => {
    const first = buildFlushPlan({ cfg: config({ prompt: "Save the essentials to memory/YYYY-MM-DD.md." }), nowMs });
    expect(first?.prompt).toMatch(/^Save the essentials to memory\/2026-02-01\.md\.\nWrite only to/);
    expect(first?.prompt.match(/NO_REPLY/g)).toHaveLength(1);
    const silent = buildFlushPlan({ cfg: config({ prompt: "Say NO_REPLY. Current time: now" }), nowMs });
    expect(silent?.prompt.match(/NO_REPLY/g)).toHaveLength(1);
    expect(silent?.prompt.match(/Current time:/g)).toHaveLength(1);
  });

  test("thresholds come from the configuration, sizes may be words", () => {
    const cfg = config({ softThresholdTokens: 1234.9, forceFlushTranscriptBytes: "512kb", model: " a/b " }, { reserveTokensFloor: 0 });
    expect(buildFlushPlan({ cfg, nowMs })).toMatchObject({
      softThresholdTokens: 1234,
      forceFlushTranscriptBytes: 524_288,
      reserveTokensFloor: 0,
      model: "a/b",
    });
    expect(buildFlushPlan({ cfg: config({ softThresholdTokens: -1, forceFlushTranscriptBytes: "much" }), nowMs })).toMatchObject({
      softThresholdTokens: 4000,
      forceFlushTranscriptBytes: 2_097_152,
    });
  });

  test("a small context window is not eaten up by reserves", () => {
    expect(buildFlushPlan({ cfg: config({}), nowMs, contextWindowTokens: 8000 })).toMatchObject({
      reserveTokensFloor: 2000,
      softThresholdTokens: 3000,
    });
    expect(buildFlushPlan({ cfg: config({}), nowMs, contextWindowTokens: 200_000 })).toMatchObject({
      reserveTokensFloor: 20_000,
      softThresholdTokens: 4000,
    });
  });

  test("an unknown time zone does not stop it", () => {
    const cfg = { agents: { defaults: { userTimezone: "Mars/Olympus" } } };
    expect(buildFlushPlan({ cfg, nowMs })?.relativePath).toMatch(/^memory\/2026-0[12]-\d\d\.md$/);
  });
});
