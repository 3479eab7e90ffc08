import { privateRecallSuite } from "./private-recall-suite.mjs";

privateRecallSuite("2026.9.6");
