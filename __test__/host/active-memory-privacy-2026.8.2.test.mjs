import { activeMemoryPrivacySuite } from "./active-memory-privacy-suite.mjs";

activeMemoryPrivacySuite("2026.8.2");
