import { switchSuite } from "./switch-suite.mjs";

switchSuite("2026.9.6");
