import { activeMemorySuite } from "./active-memory-suite.mjs";

activeMemorySuite("2026.6.11");
