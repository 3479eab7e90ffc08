import { hostSuite } from "./suite.mjs";

hostSuite("2026.9.6");
