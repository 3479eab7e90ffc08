// A progress bar on standard error, for people at a terminal.

import { inOneLine } from "./output.js";

/** @typedef {{completed: number, total: number, label?: string}} Update */

const WIDTH = 24;
/** Pause between two drawings, in milliseconds. */
const REDRAW_MS = 100;

/**
 * Runs work that reports its progress; shows a bar when someone is there to see it.
 * @template T
 * @param {string} label
 * @param {(report: ((update: Update) => void) | undefined) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withProgress(label, work) {
  const stream = process.stderr;
  if (!stream.isTTY) return await work(undefined);
  // Each phase has a pace of its own.
  let started = Date.now();
  let last = /** @type {Update} */ ({ completed: 0, total: 0, label });
  const draw = () => stream.write(`\r\u001b[2K${clip(inOneLine(bar(last, Date.now() - started)), stream.columns ?? 80)}`);
  const timer = setInterval(draw, REDRAW_MS);
  try {
    return await work((update) => {
      const next = { ...update, label: update.label || last.label };
      if (next.label !== last.label) started = Date.now();
      last = next;
    });
  } finally {
    clearInterval(timer);
    stream.write("\r\u001b[2K");
  }
}

/**
 * @param {Update} update
 * @param {number} elapsedMs
 */
export function bar({ completed, total, label }, elapsedMs) {
  if (total <= 0) return `${label ?? ""} · ${clock(elapsedMs)}`;
  const share = Math.min(1, completed / total);
  const filled = Math.round(share * WIDTH);
  const remaining = completed > 0 ? ` · ${clock((elapsedMs / completed) * (total - completed))} left` : "";
  return `[${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}] ${completed}/${total}${remaining} · ${label ?? ""}`;
}

/** @param {number} ms */
function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * A line that wraps could not be drawn over.
 * @param {string} line
 * @param {number} columns
 */
function clip(line, columns) {
  const characters = [...line];
  return characters.length < columns ? line : `${characters.slice(0, Math.max(1, columns - 2)).join("")}…`;
}
