import { pageSuite } from "./page-suite.mjs";

pageSuite("2026.9.6");
