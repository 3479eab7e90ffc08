import { multimodalSuite } from "./multimodal-suite.mjs";

multimodalSuite("2026.6.11");
