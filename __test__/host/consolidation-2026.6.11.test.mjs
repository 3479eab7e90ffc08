import { consolidationSuite } from "./consolidation-suite.mjs";

consolidationSuite("2026.6.11");
