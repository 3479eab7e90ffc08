import { defineConfig } from "vitest/config";

// Commands of a real host take seconds each, and minutes on a busy machine.
const HOST_STEP_MS = 600_000;

// Our own code runs as Node runs it for a host, not transformed by the test runner.
const server = { deps: { external: [/\/(?:index\.js|lib\/[^/]+\.js|plugin\/.+\.js)$/] } };

const host = {
  globalSetup: ["__test__/host/pack.mjs"],
  testTimeout: HOST_STEP_MS,
  hookTimeout: HOST_STEP_MS,
  server,
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: "unit", include: ["__test__/unit/**/*.test.mjs"], testTimeout: 60_000, server } },
      {
        test: { name: "oracle", include: ["__test__/oracle/**/*.test.mjs"], testTimeout: HOST_STEP_MS, hookTimeout: HOST_STEP_MS, server },
      },
      { test: { ...host, name: "host", include: ["__test__/host/openclaw-*.test.mjs"] } },
      {
        test: {
          ...host,
          name: "more-hosts",
          include: ["__test__/host/*.more.mjs", "__test__/host/{automatic,providers,takeover,transcripts}-*.test.mjs"],
        },
      },
    ],
  },
});
