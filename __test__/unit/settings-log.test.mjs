// Settings without effect are told when a gateway starts.

import { expect, test } from "vitest";
import { registerService } from "../../plugin/service.js";
import { hooked, MAIN, turn } from "./hooked.mjs";

// They were told by `openclaw memory status` alone, which nobody asks while all seems well.
test("a start of the gateway logs one line about settings without effect, and no search does", async () => {
  const query = { hybrid: { vectorWeight: 0.9, candidateMultiplier: 7 } };
  const { cfg, host, handlers, manager, warnings } = await hooked({ query, shortTerm: { enabled: true } });
  const about = () => warnings.filter((line) => line.includes("vectorWeight"));
  /** @type {any} */
  let service;
  registerService(/** @type {any} */ ({ registerService: (/** @type {unknown} */ given) => (service = given), runtime: {} }), host);
  expect(about()).toEqual([]);
  service.start({ config: cfg });
  await expect.poll(about).toEqual([expect.stringMatching(/agent main: settings: .*vectorWeight has no effect.*candidateMultiplier/)]);
  await manager.search("tea");
  await handlers.before_prompt_build({ prompt: "and now?" }, MAIN);
  await handlers.agent_end(turn("I prefer tea"), MAIN);
  expect(about()).toHaveLength(1);
  await service.stop();
  service.start({ config: cfg });
  await expect.poll(() => about().length).toBe(2);
  await service.stop();
});
