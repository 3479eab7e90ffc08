import { pageScaleSuite } from "./page-scale-suite.mjs";
import { pageSuite } from "./page-suite.mjs";

pageSuite("2026.9.6");
pageScaleSuite("2026.9.6");
