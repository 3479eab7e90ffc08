import { automaticSuite } from "./automatic.mjs";

automaticSuite("2026.6.11");
