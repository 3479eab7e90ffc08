import { takeoverSuite } from "./takeover-suite.mjs";

takeoverSuite("2026.8.2");
