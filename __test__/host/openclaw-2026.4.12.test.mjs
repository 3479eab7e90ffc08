import { hostSuite } from "./suite.mjs";

hostSuite("2026.4.12");
