import { hostSuite } from "./suite.mjs";

hostSuite("2026.8.2");
