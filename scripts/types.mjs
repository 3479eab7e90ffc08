// Writes lib/engine.d.ts, the shapes that cross the boundary, from the structs that serde writes; with --check only says
// whether it is current. Objects of napi are in index.d.ts, which the build writes.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readShapes } from "./types/rust.mjs";
import { renderTypes } from "./types/typescript.mjs";

/** The name in TypeScript, and the struct or enum; with its file where others have its name too. */
const ROOTS = {
  MemorySource: "source.rs Source",
  MemoryHit: "types.rs Hit",
  MemoryFailure: "Failure",
  MemoryAnswer: "search/src/types.rs Answer",
  MemorySyncReport: "SyncReport",
  MemoryPlan: "index/plan.rs Plan",
  MemoryExcerpt: "Excerpt",
  MemoryForgetReport: "ForgetReport",
  MemoryForgetUndone: "ForgetUndone",
  ForgottenEntry: "Remembered",
  MemoryContents: "Cleared",
  MemoryCopy: "Copied",
  MemoryRestoreReport: "Restored",
  StoreCopied: "services/copy.rs StoreCopied",
  DatabaseRows: "DatabaseRows",
  MemoryAdoption: "owner.rs Adoption",
  MemoryMap: "mapper.rs Map",
  MapRegion: "mapper.rs Region",
  ConsolidationRun: "runs/outcome.rs Listed",
  ConsolidationPlan: "consolidation/plan/draft.rs Plan",
  ConsolidationUndone: "runs/outcome.rs Undone",
  DoctorCheck: "doctor.rs Check",
  IndexFiles: "store/src/footprint.rs Footprint",
  UnfinishedTexts: "workspace/unfinished.rs Unfinished",
  StoredFact: "facts.rs Fact",
  FactMatch: "facts.rs Match",
  FactAnswer: "FactAnswer",
  FactOutcome: "facts.rs Stored",
  FactImport: "FactImport",
  ImportOutcome: "ImportOutcome",
  ForgottenTaken: "ForgottenTaken",
  Recall: "remember/recall.rs Recall",
  CaptureOutcome: "collect.rs Outcome",
  CaptureUndone: "remember/capture.rs Undone",
  ModelTask: "ModelTask",
  ProvenanceAsked: "ProvenanceAsked",
  StandingIntent: "StandingIntent",
  TestedIntent: "Tested",
  CaptureEntry: "capture/log.rs Entry",
  Forwarded: "capture/forwarded.rs Forwarded",
  CaptureStatus: "capture/log.rs Status",
  ShownPrompt: "ShownPrompt",
  PromptPage: "PromptPage",
  Answers: "spending.rs Answers",
  ModelPrice: "ModelPrice",
  SessionRequest: "host.rs Request",
  ResolvedSettings: "settings.rs Settings",
  AutomaticSettings: "Automatic",
  ShortTermLimits: "automatic.rs Limits",
  MemoryNotesStatus: "exchange/mod.rs NotesStatus",
  SkippedFile: "workspace/skipped.rs Skipped",
};

const HEAD = `// Made of the structs of crates/ by "npm run types".

`;

const root = fileURLToPath(new URL("..", import.meta.url));
const file = path.join(root, "lib/engine.d.ts");
const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "crates/*.rs"], {
  cwd: root,
  encoding: "utf8",
});
const shapes = sources
  .split("\n")
  .filter((name) => name && existsSync(path.join(root, name)))
  .flatMap((name) => readShapes(name, readFileSync(path.join(root, name), "utf8")));
const types = HEAD + renderTypes(shapes, ROOTS);

if (!process.argv.includes("--check")) {
  writeFileSync(file, types);
  console.log(`lib/engine.d.ts: ${types.match(/^export /gm)?.length} types`);
} else if (!existsSync(file) || readFileSync(file, "utf8") !== types) {
  console.error('lib/engine.d.ts is not current: run "npm run types" and commit it');
  process.exitCode = 1;
}
