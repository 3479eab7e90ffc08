import { defineConfig } from "vitest/config";
import { ALWAYS, BY_TURNS } from "./__test__/host/versions.mjs";

// Commands of a real host take seconds each, and minutes on a busy machine.
const HOST_STEP_MS = 600_000;

// Our own code runs as Node runs it for a host, not transformed by the test runner.
const server = { deps: { external: [/\/(?:index\.js|lib\/[^/]+\.js|plugin\/.+\.js)$/] } };

const host = {
  globalSetup: ["__test__/support/pack.mjs"],
  testTimeout: HOST_STEP_MS,
  hookTimeout: HOST_STEP_MS,
  server,
};

/** @param {string[]} versions */
const filesOn = (versions) => `__test__/host/*-{${versions.join(",")}}.test.mjs`;

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: ["default", "./__test__/support/host-report.mjs"],
    projects: [
      { test: { name: "unit", include: ["__test__/unit/**/*.test.mjs"], testTimeout: 60_000, server } },
      { test: { name: "process", include: ["__test__/process/**/*.test.mjs"], testTimeout: 180_000, server } },
      {
        test: { name: "oracle", include: ["__test__/oracle/**/*.test.mjs"], testTimeout: HOST_STEP_MS, hookTimeout: HOST_STEP_MS, server },
      },
      // scripts/test-hosts.mjs chooses among them, and says which.
      { test: { ...host, name: "host", include: [filesOn(ALWAYS)] } },
      { test: { ...host, name: "more-hosts", include: [filesOn(BY_TURNS)] } },
    ],
  },
});
