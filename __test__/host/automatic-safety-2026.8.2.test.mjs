import { safetySuite } from "./safety-suite.mjs";

safetySuite("2026.8.2");
