import { factsSuite } from "./facts-suite.mjs";

factsSuite("2026.6.11");
