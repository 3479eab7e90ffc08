import { safetySuite } from "./safety-suite.mjs";

safetySuite("2026.4.12");
