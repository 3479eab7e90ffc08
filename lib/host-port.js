// The host as the engine sees it: one object with what it offers. The engine asks, and never the other way round.

import { answering, typedVectors } from "./native-shapes.js";

/**
 * @typedef {import("../index.d.ts").ManagerHost} ManagerHost
 * @typedef {import("../index.d.ts").ModelTask} ModelTask
 * @typedef {import("../index.d.ts").ProvenanceAsked} ProvenanceAsked
 */

/** The parts of a host that a later registration of the plugin may bring anew, while the engine goes on. */
export class HostPort {
  /** @type {ManagerHost} */
  #host;

  /** @param {ManagerHost} host */
  constructor(host) {
    this.#host = host;
  }

  /** Takes over what a newer registration offers. @param {ManagerHost} host */
  renew(host) {
    this.#host = { ...this.#host, ...host };
  }

  /**
   * The object that the engine gets. What is missing now is never asked.
   * @param {import("../index.d.ts").EmbedFunction} [embed]
   * @param {import("../index.d.ts").SessionSource} [sessions]
   * @param {() => Promise<string>} [databasePassword]
   * @returns {import("../index.d.ts").NativeHost}
   */
  native(embed, sessions, databasePassword) {
    const { askModel, provenance, log } = this.#host;
    return {
      ...(embed && { embed: answering(typedVectors(embed)) }),
      ...(sessions && { conversations: answering(sessions) }),
      ...(askModel && { askModel: answering(async (/** @type {ModelTask} */ task) => await this.#host.askModel?.(task)) }),
      ...(provenance && {
        provenance: answering(async (/** @type {ProvenanceAsked} */ asked) => await this.#host.provenance?.(asked)),
      }),
      ...(databasePassword && { databasePassword: answering(databasePassword) }),
      ...(log && { log: (/** @type {import("../index.d.ts").LogLine} */ line) => this.#host.log?.(line) }),
    };
  }
}
