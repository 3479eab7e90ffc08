import { upgradeSuite } from "./upgrade-suite.mjs";

upgradeSuite("2026.4.12");
