import { lossesSuite } from "./losses-suite.mjs";

lossesSuite("2026.9.6");
