import { pageSuite } from "./page-suite.mjs";

pageSuite("2026.4.12", { isTab: false });
