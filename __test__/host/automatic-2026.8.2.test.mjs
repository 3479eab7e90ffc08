import { automaticSuite } from "./automatic.mjs";

automaticSuite("2026.8.2");
