import { providersSuite } from "./providers-suite.mjs";

providersSuite("2026.8.2");
