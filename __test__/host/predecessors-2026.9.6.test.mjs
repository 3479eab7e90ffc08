import { predecessorsSuite } from "./predecessors-suite.mjs";

predecessorsSuite("2026.9.6");
