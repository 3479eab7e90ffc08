import { intentsSuite } from "./intents-suite.mjs";

intentsSuite("2026.9.6");
