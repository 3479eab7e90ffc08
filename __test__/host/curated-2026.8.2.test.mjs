import { curatedSuite } from "./curated-suite.mjs";

curatedSuite("2026.8.2");
