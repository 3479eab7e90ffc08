import { activeMemoryAgentSuite } from "./active-memory-agent-suite.mjs";

activeMemoryAgentSuite("2026.9.6");
