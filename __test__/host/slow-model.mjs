// @ts-check
// In front of a loopback provider: answers that hang after their headers, drip, or never come, for the requests of active
// memory only, and a record of when each response closed. The provider itself stays as it is.

import http from "node:http";

/**
 * @typedef {"pass" | "hang" | "headers" | "drip" | "drop" | "500"} Manner
 * @typedef {{at: number, ms: number, finished: boolean, body: any}} Finished `finished`: our answer was sent to its end.
 */

/** Pause between two words of a dripping answer, in milliseconds. */
const DRIP_MS = 150;
/** What a model says: words, or the use of a tool. @typedef {string | {name: string, arguments: Record<string, unknown>}} Said */

/** A part of an answer that comes as events. @param {Record<string, unknown>} delta @param {string | null} [finish_reason] */
const event = (delta, finish_reason = null) => {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: "slow", object: "chat.completion.chunk", created: 0, model: "fake-chat", choices })}\n\n`;
};

/** Begins the text of our requests. */
const OUR_SYSTEM = "You choose notes for another model";

/** The text of a message. @param {any} message */
const textOf = (message) =>
  typeof message?.content === "string"
    ? message.content
    : (message?.content ?? []).map((/** @type {any} */ part) => part.text ?? "").join("");

/** Whether a request to a chat model is one of active memory. @param {any} body */
export const isOurs = (body) => (body?.messages ?? []).some((/** @type {any} */ message) => textOf(message).includes(OUR_SYSTEM));

/** Whether it is one of an agent that active memory lets search. @param {any} body */
const isRun = (body) =>
  (body?.messages ?? []).some((/** @type {any} */ message) => textOf(message).includes("You search the user's memory"));

/** Whether it is one of the host's own active memory. @param {any} body */
const isBundled = (body) =>
  (body?.messages ?? []).some((/** @type {any} */ message) => textOf(message).includes("You are a memory search agent."));

/** The user's part of such a request. @param {any} body */
export const dataOf = (body) => textOf(body.messages.findLast((/** @type {any} */ message) => message.role === "user"));

/**
 * The number that a passage with some words has in a request; NONE when it has none.
 * @param {any} body
 * @param {string} words
 */
export function pickOf(body, words) {
  const line = dataOf(body)
    .split("\n")
    .find((/** @type {string} */ one) => /^\d+\. /.test(one) && one.includes(words));
  return line ? String(Number.parseInt(line, 10)) : "NONE";
}

/** A proxy before a provider. */
export class SlowModel {
  /** How requests of active memory are answered from now on. @type {Manner} */
  manner = "pass";
  /** Extra time before an answer, in milliseconds. */
  delayMs = 0;
  /** What a request of active memory is answered. @type {(body: any) => string} */
  answer = () => "NONE";
  /** The same of the host's own; else the provider answers those. @type {((body: any) => Said) | null} */
  answerBundled = null;
  /** Requests of active memory that are over. @type {Finished[]} */
  finished = [];
  /** All of them. @type {{at: number, body: any}[]} */
  asked = [];
  /** Those of agents that it lets search. @type {{at: number, body: any}[]} */
  runs = [];
  /** Those of the host's own active memory. @type {{at: number, body: any, authorization: unknown}[]} */
  bundled = [];
  /** All other requests to the chat model, with the time they arrived. @type {{at: number, body: any, authorization: unknown}[]} */
  main = [];

  /** @param {string} target Address of the provider. */
  constructor(target) {
    this.target = new URL(target);
    this.server = http.createServer((request, response) => void this.#serve(request, response));
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response */
  async #serve(request, response) {
    const at = Date.now();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const isChat = request.url?.endsWith("/chat/completions");
    const body = isChat ? JSON.parse(raw.toString("utf8")) : null;
    const isOfRun = isChat && isRun(body);
    if (isOfRun) this.runs.push({ at, body });
    if (!isChat || (isOfRun && this.manner === "pass") || !(isOfRun || isOurs(body))) {
      const isOfBundled = isChat && isBundled(body);
      if (isChat && !isOfRun) (isOfBundled ? this.bundled : this.main).push({ at, body, authorization: request.headers.authorization });
      if (isOfBundled && this.answerBundled) {
        if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
        this.#say(response, body, this.answerBundled(body));
        return;
      }
      this.#pass(request, response, raw);
      return;
    }
    if (!isOfRun) this.asked.push({ at, body });
    response.on("close", () => this.finished.push({ at, ms: Date.now() - at, finished: response.writableFinished, body }));
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    this.#answer(response, body);
  }

  /** @param {http.ServerResponse} response @param {any} body */
  #answer(response, body) {
    switch (this.manner) {
      case "hang":
        return;
      case "headers":
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.flushHeaders();
        return;
      case "drop":
        response.destroy();
        return;
      case "500":
        response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: "scripted failure", type: "server_error" } }));
        return;
      case "drip": {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const timer = setInterval(() => response.write(event({ content: "and " })), DRIP_MS);
        response.on("close", () => clearInterval(timer));
        return;
      }
      default:
        this.#say(response, body, this.answer(body));
    }
  }

  /** @param {http.ServerResponse} response @param {any} body @param {Said} said */
  #say(response, body, said) {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const call =
      typeof said === "string"
        ? null
        : { id: "call_slow", type: "function", function: { name: said.name, arguments: JSON.stringify(said.arguments) } };
    const content = typeof said === "string" ? said : null;
    const finish_reason = call ? "tool_calls" : "stop";
    if (!body.stream) {
      const message = { role: "assistant", content, ...(call ? { tool_calls: [call] } : {}) };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({
          id: "slow",
          created: 0,
          model: "fake-chat",
          object: "chat.completion",
          choices: [{ index: 0, message, finish_reason }],
          usage,
        }),
      );
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(event(call ? { tool_calls: [{ index: 0, ...call }] } : { content }));
    response.write(event({}, finish_reason));
    // As a provider tells it that is asked for `stream_options.include_usage`.
    const told = { id: "slow", object: "chat.completion.chunk", created: 0, model: "fake-chat", choices: [], usage };
    response.end(`data: ${JSON.stringify(told)}\n\ndata: [DONE]\n\n`);
  }

  /** @param {http.IncomingMessage} request @param {http.ServerResponse} response @param {Buffer} raw */
  #pass({ method, url, headers }, response, raw) {
    const { hostname, port } = this.target;
    const onward = http.request({ hostname, port, method, path: url, headers: { ...headers, host: `${hostname}:${port}` } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    onward.end(raw);
  }
}
