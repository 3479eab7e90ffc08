import { automaticSuite } from "./automatic.mjs";

automaticSuite("2026.9.6");
