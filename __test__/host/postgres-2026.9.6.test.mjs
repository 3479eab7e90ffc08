import { postgresSuite } from "./postgres-suite.mjs";

postgresSuite("2026.9.6");
