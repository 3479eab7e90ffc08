import { privateRecallSuite } from "./private-recall-suite.mjs";

privateRecallSuite("2026.8.2");
