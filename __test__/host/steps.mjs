// A suite whose steps build on each other, on one host.

import { afterAll, beforeEach, onTestFailed } from "vitest";
import { stopHosts } from "./harness.mjs";

/** When a step fails, those after it have nothing to say; after the last one the host ends. */
export function steps() {
  let isBroken = false;
  beforeEach(({ skip }) => {
    skip(isBroken, "an earlier step failed");
    onTestFailed(() => {
      isBroken = true;
    });
  });
  afterAll(async () => {
    await stopHosts();
  });
}
