import { factsSuite } from "./facts-suite.mjs";

factsSuite("2026.8.2");
