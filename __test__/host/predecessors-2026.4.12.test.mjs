import { predecessorsSuite } from "./predecessors-suite.mjs";

predecessorsSuite("2026.4.12");
