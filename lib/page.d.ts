/**
 * What the page in the gateway asks, and any client of the gateway may: the methods `memoryCoreRs.page.*` with what they take and
 * answer (docs/page.md). The plugin, the page and a test of real answers are checked against it.
 */

import type { MemoryStatus } from "../index.js";
import type {
  CaptureEntry,
  CaptureUndone,
  ConsolidationPlan,
  ConsolidationRun,
  ConsolidationUndone,
  ForgottenEntry,
  MemoryExcerpt,
  MemoryForgetReport,
  MemoryForgetUndone,
  MemoryMap,
  MemorySource,
  ModelPrice,
  OriginClass,
  PromptPage,
  StandingIntent,
  StoredFact,
} from "./engine.js";

/** Without it the default agent is asked for. */
export interface PageParams {
  agentId?: string;
}

/** Every answer names the agent that it is about. */
export interface PageAnswer {
  agentId: string;
}

/** A passage that a search found. */
export interface PageHit {
  path: string;
  startLine: number;
  endLine: number;
  source: MemorySource;
  /** How sure memory is, from 0 to 1. */
  score: number;
  snippet: string;
  /** Words of the query that it has. */
  matched: string[];
  /** Why it is there, in words. */
  why: { name: string; text: string }[];
  /** Whose words it holds, where that is known. */
  origin: OriginClass | null;
}

/** A day on which something was written, said, kept or learned. */
export interface PageDay {
  /** `2026-11-25` */
  day: string;
  /** Paths of its notes. */
  notes: string[];
  conversations: number;
  /** Facts that automatic memory has kept. */
  kept: number;
  /** Entries that consolidation has added. */
  learned: number;
}

/** How long something took, and when, in milliseconds since 1970. */
export interface PageTime {
  at: number;
  ms: number;
}

/** A standing intent as the tool `intent` shows it. */
export interface PageIntent extends Omit<StandingIntent, "channelScope" | "senderScope" | "history"> {
  triggerEmbedding: null;
  scope: "channel" | "conversation" | "anywhere";
  channelScope: string | null;
  senderScope: string | null;
}

/** What memory keeps beside the notes. `line` is where something stands in its file, unless it is gone from there. */
export interface PageKept {
  facts: (StoredFact & { line?: number })[];
  intents: PageIntent[];
  triggers: { path: string; line: number; text: string; triggers?: string }[];
  /** Entries of consolidation. */
  learned: {
    id: string;
    text: string;
    path: string;
    line?: number;
    sources: { path: string; line: number; hash: string }[];
    runId: string;
    at: string;
  }[];
}

/** What memory did by itself, newest first; `next` is where older blocks of prompts go on, see `prompts`. */
export interface PageActivity extends PromptPage {
  /** Turns that are still to be judged. */
  waiting: number;
  captures: Omit<CaptureEntry, "message">[];
  intents: { at: number; what: string; id: string; description: string }[];
  runs: ConsolidationRun[];
  forgotten: ForgottenEntry[];
  /** Why `runs` and `forgotten` are missing, where the index cannot be read. */
  problem?: string;
}

/** What one model was sent for one purpose in a month, and what that costs. */
export interface PageSpent {
  /** `embeddings`, `active-memory`, `consolidation`, `memory-capture`, `session-notes`. */
  purpose: string;
  /** Empty where nobody knows it. */
  provider: string;
  model: string;
  requests: number;
  /** Tokens that were sent. */
  input: number;
  /** Tokens that were answered. */
  output: number;
  /** Null where the price is not known. Without a `price` it is what the host said, in US dollars. */
  cost: number | null;
  /** Of a million tokens, and who said so. */
  price: { input: number; output: number; from: "settings" | "page" } | null;
}

/** What providers were sent, the latest month first. `cost` is null where a price is missing. */
export interface PageCosts {
  months: { month: string; cost: number | null; models: PageSpent[] }[];
  /** Prices of the settings, which win. */
  configured: ModelPrice[];
  /** Prices that were said on the page. */
  kept: ModelPrice[];
}

/** Which parts of automatic memory are on, or why that cannot be said. */
export type PageAutomatic =
  | { error: { code?: string; message: string; remedy?: string } }
  | {
      recall: boolean;
      capture: string | boolean;
      captureOnCompaction: boolean;
      shortTerm: boolean;
      sessionNotes: boolean;
      storedFacts: boolean;
      activeMemory: string | boolean;
      /** Turns that wait to be captured; none where nothing waits. */
      waiting?: number;
      /** Settings of which a running gateway has not taken over what the configuration file says. */
      older?: string[];
    };

/** How the index stands: what `openclaw memory status --json` says of an agent, and how long things took. */
export interface PageHealth {
  status: MemoryStatus;
  /** What the disk holds beside what the index holds: `skipped` (`SkippedFile[]`) and `moreSkipped`, `pending`, `usage` of providers, `limits`, … */
  scan: Record<string, any>;
  costs: PageCosts;
  disk: { otherIndexes: number; records: number };
  automatic: PageAutomatic;
  consolidation?: any;
  times: { recalls: PageTime[]; searches: PageTime[] };
}

/** What can be said of an agent whose index cannot be read, and why it cannot. */
export interface PageUnreadable extends Pick<PageHealth, "automatic" | "consolidation" | "times"> {
  status: "unreadable";
  problem: string;
}

/** What each method takes beside `agentId`, and answers beside it. */
export interface PageMethods {
  overview: { params: object; result: { agents: string[]; version: string; hostVersion: string } };
  search: { params: { query: string; limit?: number }; result: { mode: string; warning?: string; hits: PageHit[] } };
  /** `file` is where the note is on the gateway's machine. */
  note: { params: { path: string; from?: number; lines?: number }; result: MemoryExcerpt & { file?: string } };
  /** `most` captures, events of intents and blocks of prompts; without it 200, and 50 blocks. */
  activity: { params: { most?: number }; result: PageActivity };
  /** `most` blocks of prompts, 50 without it, older than `before`, which is the `next` of an earlier answer. */
  prompts: { params: { before: string; most?: number }; result: PromptPage };
  run: { params: { runId: string }; result: ConsolidationRun & { plan: Partial<ConsolidationPlan> } };
  timeline: { params: object; result: { days: PageDay[] } };
  /** `origins` has a letter for each path, the first of its class: owner, agent, untrusted, system. */
  map: { params: { origins?: boolean }; result: MemoryMap & { origins?: string } };
  kept: { params: object; result: PageKept };
  health: { params: object; result: PageHealth | PageUnreadable | { status: "disabled"; times: PageHealth["times"] } };
  undoCapture: { params: { id: string }; result: CaptureUndone };
  undoRun: { params: { runId: string }; result: ConsolidationUndone };
  cancelIntent: { params: { id: string }; result: { cancelled: boolean } };
  planForget: { params: { path: string; lines?: string }; result: MemoryForgetReport & { refusals: string[] } };
  applyForget: { params: { id: string }; result: MemoryForgetReport };
  undoForget: { params: { id: string }; result: MemoryForgetUndone };
  /** Prices of a million tokens by `provider` or `provider/model`, for all agents; null takes one out. Prices of the settings win. */
  setPrices: { params: { prices: Record<string, number | { input: number; output?: number } | null> }; result: { kept: ModelPrice[] } };
}

/** Methods that change something and need `operator.write`; the others need `operator.read`. */
export type PageChange = "undoCapture" | "undoRun" | "cancelIntent" | "planForget" | "applyForget" | "undoForget" | "setPrices";
