// The native engine of one manager: opened when somebody uses it, put to rest when the last user closes it, and opened again
// by the next call where the users count on that.

import { codedError, switchedOff } from "./errors.js";

/** @typedef {import("../index.d.ts").NativeManager} NativeManager */
/** @typedef {import("../index.d.ts").MemoryStatus} MemoryStatus */

let lastRequestId = 0;

/** What a manager is besides its calls. */
export class ManagedEngine {
  /** @type {(background: boolean) => Promise<NativeManager | null>} */
  #open;
  /** @type {Promise<NativeManager | null> | null} */
  #opening = null;
  /** @type {NativeManager | null} */
  #engine = null;
  /** @type {MemoryStatus | null} */
  #lastStatus = null;
  /** How many use it. */
  #leases = 0;
  /** @type {Promise<void> | null} */
  #prepared = null;
  /** Whether the engine may watch files and work by itself: wanted in a gateway, not for one command. */
  #background = false;
  /** Whether calls open the engine again after the last close, which hosts count on. */
  #reopens = false;
  /** Whether the last user has closed it. */
  #closed = false;

  /** @param {(background: boolean) => Promise<NativeManager | null>} open Gives null where memory search is switched off. */
  constructor(open) {
    this.#open = open;
  }

  /** The engine, opened when it is not open. */
  async acquire() {
    if (this.#engine) return this.#engine;
    this.#opening ??= this.#open(this.#background);
    try {
      this.#engine = await this.#opening;
      return this.#engine;
    } finally {
      this.#opening = null;
    }
  }

  /** Whether the last user has closed it, and calls do not open it again. */
  get isClosed() {
    return this.#closed;
  }

  /** The engine while it is open. */
  get opened() {
    return this.#engine;
  }

  /** The state of the engine, or what it was when it came to rest. */
  get lastStatus() {
    const status = this.#engine?.status() ?? this.#lastStatus;
    if (!status) throw codedError("MEM_CLOSED", "the memory engine is not open");
    this.#lastStatus = status;
    return status;
  }

  async #acquireOrThrow() {
    if (this.#closed) {
      throw codedError("MEM_CLOSED", "this manager is closed. Get one with MemoryIndexManager.get and close it after the last call");
    }
    const engine = await this.acquire();
    if (!engine) throw switchedOff();
    return engine;
  }

  /**
   * Runs one call on the engine, also one that has no method here; an engine that was closed by someone else meanwhile is opened again, once.
   * @template T
   * @param {(engine: NativeManager) => Promise<T>} call
   * @returns {Promise<T>}
   */
  async run(call) {
    const engine = await this.#acquireOrThrow();
    try {
      return await call(engine);
    } catch (error) {
      if (/** @type {{code?: string}} */ (error)?.code !== "MEM_CLOSED") throw error;
      if (this.#engine === engine) this.#engine = null;
      return await call(await this.#acquireOrThrow());
    }
  }

  /**
   * As {@link run}, for a call that a signal cancels in the engine too.
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {(engine: NativeManager, requestId: number) => Promise<T>} call
   * @returns {Promise<T>}
   */
  async runCancellable(signal, call) {
    const id = ++lastRequestId;
    if (!signal) return await this.run((engine) => call(engine, id));
    /** @type {(() => void) | undefined} */
    let onAbort;
    const aborted = new Promise((_, reject) => {
      onAbort = () => {
        this.#engine?.cancel(id);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([this.run((engine) => call(engine, id)), /** @type {Promise<never>} */ (aborted)]);
    } finally {
      if (onAbort) signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Runs what has to be done before the engine works by itself, once.
   * @param {(manager: this) => Promise<void>} prepare
   */
  async prepareOnce(prepare) {
    this.#closed = false;
    this.#prepared ??= prepare(this);
    await this.#prepared;
  }

  /**
   * Counts one more user, and opens the engine when it is at rest. Every `get` of a manager does it.
   * @param {{background: boolean, reopens?: boolean}} use
   */
  async retain({ background, reopens }) {
    this.#leases += 1;
    this.#reopens ||= reopens === true;
    this.#closed = false;
    const former = this.#engine;
    if (background && !this.#background) {
      this.#background = true;
      this.#engine = await this.#open(true);
      // Only now: the engine ends with its last lease, and nothing is gained by starting it twice.
      await former?.close();
    }
    await this.acquire();
  }

  /** Gives up one use. The engine rests when nobody uses it any more. */
  async close() {
    this.#leases = Math.max(0, this.#leases - 1);
    if (this.#leases > 0) return;
    this.#closed = !this.#reopens;
    await this.suspend();
  }

  /** Puts the engine to rest, whoever uses it; the next call opens it again. */
  async suspend() {
    const engine = this.#engine;
    if (!engine) return;
    this.#engine = null;
    try {
      this.#lastStatus = engine.status();
      await engine.close();
    } catch (error) {
      // It was opened while every engine was closed, and is closed already.
      if (/** @type {{code?: string}} */ (error)?.code !== "MEM_CLOSED") throw error;
    }
  }
}
