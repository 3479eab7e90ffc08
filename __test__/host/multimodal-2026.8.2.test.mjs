import { multimodalSuite } from "./multimodal-suite.mjs";

multimodalSuite("2026.8.2");
