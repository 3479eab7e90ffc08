import { factsSuite } from "./facts-suite.mjs";

factsSuite("2026.4.12");
