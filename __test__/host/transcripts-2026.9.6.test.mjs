import { transcriptsSuite } from "./transcripts.mjs";

transcriptsSuite("2026.9.6");
