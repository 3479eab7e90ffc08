import { pageRouteSuite } from "./page-suite.mjs";

pageRouteSuite("2026.8.2");
