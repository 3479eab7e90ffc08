import { automaticSuite } from "./automatic.mjs";

automaticSuite("2026.4.12");
