import { curatedSuite } from "./curated-suite.mjs";

curatedSuite("2026.9.6");
