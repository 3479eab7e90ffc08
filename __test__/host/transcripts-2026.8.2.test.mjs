import { transcriptsSuite } from "./transcripts.mjs";

transcriptsSuite("2026.8.2");
