import { transcriptsSuite } from "./transcripts.mjs";

transcriptsSuite("2026.6.11");
