import { hostSuite } from "./suite.mjs";

hostSuite("2026.6.11");
