import { transcriptsSuite } from "./transcripts.mjs";

transcriptsSuite("2026.4.12");
