// Indexes a workspace with memory-core 2026.9 in a process of its own.
//   node sent-index.mjs WORKSPACE STATE_DIR PROVIDER_URL      (BENCH_OC_2026_9 = its package directory)

import { open } from "../../bench/adapters/oc-2026.9.mjs";

const [workspace, stateDir, embedUrl] = process.argv.slice(2);
const engine = await open({ workspace, stateDir, embedUrl });
await engine.indexAll();
await engine.settle();
await engine.close();
process.exit(0);
