import { upgradeSuite } from "./upgrade-suite.mjs";

upgradeSuite("2026.9.6");
