// The process that speaks with a gateway (gateway-client.mjs), from the side of the harness.

import { createInterface } from "node:readline";

/** Most that is kept of what conversations showed. */
const MOST_SAID = 200;

/** The process that holds a connection to a gateway. */
export class Connection {
  /** What conversations showed, oldest first. @type {any[]} */
  said = [];
  #last = 0;
  #said = "";
  /** @type {Map<number, {resolve: (result: any) => void, reject: (error: Error) => void}>} */
  #waiting = new Map();

  /** @param {import("node:child_process").ChildProcess} child */
  constructor(child) {
    this.child = child;
    this.isOpen = true;
    child.stderr?.setEncoding("utf8").on("data", (text) => (this.#said += text));
    child.stdin?.on("error", () => {});
    if (child.stdout) createInterface({ input: child.stdout }).on("line", (line) => this.#take(line));
    child.once("close", () => {
      this.isOpen = false;
      for (const { reject } of this.#waiting.values()) reject(new Error(`the connection closed:\n${this.#said.slice(-2000)}`));
    });
  }

  /** @param {string} line */
  #take(line) {
    if (line.startsWith('{"event":"chat"')) {
      this.said.push(JSON.parse(line).payload);
      this.said.splice(0, this.said.length - MOST_SAID);
      return;
    }
    // The host's own client may print other things.
    if (!line.startsWith('{"id":')) return;
    const { id, result, error } = JSON.parse(line);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  /** @param {string} method @param {Record<string, unknown>} params @param {object} [options] @returns {Promise<any>} */
  request(method, params, options) {
    const id = ++this.#last;
    this.child.stdin?.write(`${JSON.stringify({ id, method, params, options })}\n`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }
}
