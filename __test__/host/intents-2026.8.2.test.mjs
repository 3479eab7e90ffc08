import { intentsSuite } from "./intents-suite.mjs";

intentsSuite("2026.8.2");
