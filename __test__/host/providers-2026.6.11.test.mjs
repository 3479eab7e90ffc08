import { providersSuite } from "./providers-suite.mjs";

providersSuite("2026.6.11");
