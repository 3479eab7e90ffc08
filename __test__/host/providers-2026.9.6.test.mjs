import { providersSuite } from "./providers-suite.mjs";

providersSuite("2026.9.6");
