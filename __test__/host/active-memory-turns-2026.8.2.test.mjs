import { activeMemoryTurnsSuite } from "./active-memory-turns-suite.mjs";

activeMemoryTurnsSuite("2026.8.2");
