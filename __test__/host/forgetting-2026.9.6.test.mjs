import { forgettingSuite } from "./forgetting-suite.mjs";

forgettingSuite("2026.9.6");
