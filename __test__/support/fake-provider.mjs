#!/usr/bin/env node
// @ts-nocheck: plain data in, plain data out; types would say nothing.
// Loopback stand-in for an OpenAI-compatible provider. No dependencies, Node >= 20.
//
//   node fake-provider.mjs [--port 0] [--port-file F] [--log F.jsonl] [--rules F.json] [--dims 256]
//
// Routes: GET /v1/models, POST /v1/chat/completions, /v1/responses, /v1/embeddings
//         (streaming and not), those for vectors of Gemini and Ollama, GET /__health, GET /__log, POST /__control, POST /__reset.
// Every request is appended to --log as one JSON line. See README.md for rules and faults.
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";

// ---------------------------------------------------------------- embeddings

const STOP = new Set(
  (
    "a an and are as at be been but by did do does for from had has have how i if in into is it its me my of on or " +
    "our she he so that the their them then there these they this to was we were what when where which who why " +
    "will with you your"
  ).split(" "),
);

function fnv1a(s, seed = 0x811c9dc5) {
  let h = seed >>> 0;
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 0x01000193) >>> 0;
  return h;
}

const stem = (w) => (w.length > 4 ? w.replace(/(ing|ers|ies|ed|es|er|ly|s)$/, "") : w);

/** Deterministic bag-of-words vector: shared words (and word stems) give a high cosine. */
export function embed(text, dims = 256) {
  const v = new Float64Array(dims);
  const add = (token, weight) => {
    const h = fnv1a(token);
    v[h % dims] += (fnv1a(token, 0x9747b28c) & 1 ? 1 : -1) * weight;
  };
  const words =
    String(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  for (const w of words) {
    if (STOP.has(w)) continue;
    add(`w:${stem(w)}`, 1);
    for (let i = 0; i + 3 <= w.length; i++) add(`t:${w.slice(i, i + 3)}`, 0.15);
  }
  let norm = Math.hypot(...v);
  if (norm === 0) {
    v[fnv1a(String(text)) % dims] = 1;
    norm = 1;
  }
  return Array.from(v, (x) => x / norm);
}

/** The texts of a request for vectors; Gemini has a shape of its own. */
function inputsOf(body) {
  if (Array.isArray(body.requests)) return body.requests.map((one) => textOf(one.content?.parts));
  return Array.isArray(body.input) ? body.input : [body.input ?? ""];
}

function embeddingsReply(body, cfg) {
  const inputs = inputsOf(body);
  const dims = Number.isInteger(body.dimensions) ? body.dimensions : cfg.dims;
  const data = inputs.map((input, index) => {
    const made = embed(typeof input === "string" ? input : JSON.stringify(input), dims);
    const vec = cfg.swapped ? made.toReversed() : made;
    const embedding =
      body.encoding_format === "base64"
        ? Buffer.from(Float32Array.from(vec).buffer).toString("base64")
        : vec.map((x) => Number(x.toFixed(7)));
    return { object: "embedding", index, embedding };
  });
  const n = inputs.reduce((a, s) => a + approxTokens(String(s)), 0);
  return { object: "list", model: body.model ?? "fake-embed", data, usage: { prompt_tokens: n, total_tokens: n } };
}

// ------------------------------------------------------------- chat scripting

const approxTokens = (s) => Math.max(1, Math.ceil(s.length / 4));

function textOf(content) {
  if (content == null) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map((p) => (typeof p === "string" ? p : (p?.text ?? p?.output ?? ""))).join("\n");
  return content.text ?? JSON.stringify(content);
}

/** Reduce both wire formats to one list of {role, text}. */
function turnsOf(kind, body) {
  if (kind === "chat")
    return (body.messages ?? []).map((m) => ({ role: m.role === "developer" ? "system" : m.role, text: textOf(m.content) }));
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : (body.input ?? []);
  const out = items
    .map((it) => {
      if (it.type === "function_call_output") return { role: "tool", text: textOf(it.output) };
      if (it.type === "function_call") return { role: "assistant", text: "" };
      if (it.role) return { role: it.role === "developer" ? "system" : it.role, text: textOf(it.content) };
      return null;
    })
    .filter(Boolean);
  return body.instructions ? [{ role: "system", text: body.instructions }, ...out] : out;
}

const toolNames = (body) => (body.tools ?? []).map((t) => t.function?.name ?? t.name).filter(Boolean);

/**
 * Rule: { match: "regex", flags?: "i", on?: "user"|"tool"|"system"|"any"|"last", tool?: "name that must be offered",
 *         times?: n, reply?: "text", toolCall?: {name, arguments}, status?: 500, delayMs?: 0 }
 * `on` picks the text the regex sees. "Newest" is everything after the last assistant turn:
 *   user (default): the newest user text, null while a tool result is newest; tool: the newest tool results;
 *   system: all system text; any: the whole conversation; last: what users said since the last message of anybody else.
 * In reply and toolCall strings {{1}}..{{9}} are capture groups, {{user}} and {{tool}} the newest such texts.
 */
function pickRule(rules, turns, offered) {
  const newest = turns.slice(turns.findLastIndex((t) => t.role === "assistant") + 1);
  const join = (list, role) =>
    list
      .filter((t) => t.role === role)
      .map((t) => t.text)
      .join("\n");
  const tool = join(newest, "tool");
  const user = join(newest, "user");
  const said = turns.filter((t) => t.role !== "system");
  const last = said.slice(said.findLastIndex((t) => t.role !== "user") + 1);
  const views = {
    tool: tool || null,
    user: tool ? null : user,
    system: join(turns, "system"),
    any: turns.map((t) => t.text).join("\n"),
    last: join(last, "user") || null,
  };
  for (const rule of rules) {
    if (rule.times !== undefined && (rule.used ?? 0) >= rule.times) continue;
    // Newer hosts defer tool schemas: the tool is then named in the system text and reached through tool_call.
    const deferred = (name) => !offered.includes(name) && offered.includes("tool_call") && views.system.includes(name);
    if (rule.tool && !offered.includes(rule.tool) && !deferred(rule.tool)) continue;
    const view = views[rule.on ?? "user"];
    if (view == null) continue;
    const m = new RegExp(rule.match ?? ".", rule.flags ?? "is").exec(view);
    if (!m) continue;
    rule.used = (rule.used ?? 0) + 1;
    const fill = (s) => s.replace(/\{\{(\d|user|tool)\}\}/g, (_, k) => (k === "user" ? user : k === "tool" ? tool : (m[Number(k)] ?? "")));
    const deep = (x) =>
      typeof x === "string"
        ? fill(x)
        : Array.isArray(x)
          ? x.map(deep)
          : x && typeof x === "object"
            ? Object.fromEntries(Object.entries(x).map(([k, y]) => [k, deep(y)]))
            : x;
    let toolCall = rule.toolCall && deep(rule.toolCall);
    if (toolCall && deferred(toolCall.name))
      toolCall = { name: "tool_call", arguments: { id: toolCall.name, args: toolCall.arguments ?? {} } };
    return { rule, reply: rule.reply === undefined ? undefined : fill(rule.reply), toolCall };
  }
  return { rule: null, reply: tool ? "Done." : "OK." };
}

function chatReply(body, picked, id) {
  const model = body.model ?? "fake-chat";
  const created = Math.floor(Date.now() / 1000);
  const prompt = approxTokens(JSON.stringify(body.messages ?? ""));
  const usage = { prompt_tokens: prompt, completion_tokens: 8, total_tokens: prompt + 8 };
  const call = picked.toolCall && {
    id: `call_${id}`,
    type: "function",
    function: { name: picked.toolCall.name, arguments: JSON.stringify(picked.toolCall.arguments ?? {}) },
  };
  const finish_reason = call ? "tool_calls" : "stop";
  const content = call ? (picked.reply ?? null) : (picked.reply ?? "OK.");
  const message = { role: "assistant", content, ...(call ? { tool_calls: [call] } : {}) };
  if (!body.stream)
    return {
      json: { id: `chatcmpl-${id}`, object: "chat.completion", created, model, choices: [{ index: 0, message, finish_reason }], usage },
    };
  const chunk = (delta, finish = null, extra = {}) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...extra,
  });
  const events = [chunk({ role: "assistant", content: "" })];
  if (content) for (const piece of content.match(/[\s\S]{1,40}/g)) events.push(chunk({ content: piece }));
  if (call) events.push(chunk({ tool_calls: [{ index: 0, ...call }] }));
  events.push(chunk({}, finish_reason));
  events.push({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", created, model, choices: [], usage });
  return { sse: [...events.map((e) => ({ data: e })), { data: "[DONE]" }] };
}

function responsesReply(body, picked, id) {
  const model = body.model ?? "fake-chat";
  const base = { id: `resp_${id}`, object: "response", created_at: Math.floor(Date.now() / 1000), model, error: null };
  const n = approxTokens(JSON.stringify(body.input ?? ""));
  const usage = {
    input_tokens: n,
    output_tokens: 8,
    total_tokens: n + 8,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const call = picked.toolCall;
  const item = call
    ? {
        type: "function_call",
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: call.name,
        arguments: JSON.stringify(call.arguments ?? {}),
        status: "completed",
      }
    : {
        type: "message",
        id: `msg_${id}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: picked.reply ?? "OK.", annotations: [] }],
      };
  const done = { ...base, status: "completed", output: [item], usage };
  if (!body.stream) return { json: done };
  const ev = [];
  const push = (type, extra) => ev.push({ event: type, data: { type, sequence_number: ev.length, ...extra } });
  push("response.created", { response: { ...base, status: "in_progress", output: [] } });
  if (call) {
    push("response.output_item.added", { output_index: 0, item: { ...item, arguments: "", status: "in_progress" } });
    push("response.function_call_arguments.delta", { item_id: item.id, output_index: 0, delta: item.arguments });
    push("response.function_call_arguments.done", { item_id: item.id, output_index: 0, arguments: item.arguments });
  } else {
    const part = item.content[0];
    push("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } });
    push("response.content_part.added", { item_id: item.id, output_index: 0, content_index: 0, part: { ...part, text: "" } });
    push("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta: part.text });
    push("response.output_text.done", { item_id: item.id, output_index: 0, content_index: 0, text: part.text });
    push("response.content_part.done", { item_id: item.id, output_index: 0, content_index: 0, part });
  }
  push("response.output_item.done", { output_index: 0, item });
  push("response.completed", { response: done });
  return { sse: ev };
}

// --------------------------------------------------------------------- faults

const kindOf = (p) =>
  p.endsWith("/embeddings") || p.endsWith("/api/embed") || p.endsWith(":batchEmbedContents")
    ? "embeddings"
    : p.endsWith("/responses") || p.endsWith("/chat/completions")
      ? "chat"
      : "other";

/** "429", "500:3" (first three requests only), "timeout", "drop" -> fault object */
function parseFault(spec) {
  if (!spec) return null;
  const [what, count] = String(spec).split(":");
  return { what, left: count === undefined ? Infinity : Number(count) };
}

// --------------------------------------------------------------------- server

export function createFakeProvider(options = {}) {
  const cfg = { dims: 256, log: null, rules: [], env: {}, ...options };
  let seq = 0;
  const records = [];
  const faults = { embeddings: parseFault(cfg.env.FAKE_FAIL_EMBEDDINGS), chat: parseFault(cfg.env.FAKE_FAIL_CHAT) };
  const delays = { embeddings: Number(cfg.env.FAKE_DELAY_EMBEDDINGS_MS ?? 0), chat: Number(cfg.env.FAKE_DELAY_CHAT_MS ?? 0) };

  const record = (entry) => {
    records.push(entry);
    if (cfg.log) fs.appendFileSync(cfg.log, `${JSON.stringify(entry)}\n`);
  };
  const sendJson = (res, status, obj, headers = {}) => {
    res.writeHead(status, { "content-type": "application/json", ...headers });
    res.end(JSON.stringify(obj));
  };
  const takeFault = (kind, prefix, query) => {
    const oneShot = query.get("fail") ?? prefix;
    if (oneShot) return oneShot;
    const f = faults[kind];
    if (!f || f.left <= 0) return null;
    f.left -= 1;
    return f.what;
  };

  const server = http.createServer(async (req, res) => {
    const url = new URL(req.url, "http://loopback");
    // A base URL such as http://127.0.0.1:PORT/fail-429/v1 makes every call under it fail.
    const m = /^\/fail-([a-z0-9]+)(\/.*)$/.exec(url.pathname);
    const pathname = m ? m[2] : url.pathname;
    const chunks = [];
    for await (const c of req) chunks.push(c);
    const raw = Buffer.concat(chunks).toString("utf8");
    let body = {};
    try {
      body = raw ? JSON.parse(raw) : {};
    } catch {
      return sendJson(res, 400, { error: { message: "invalid JSON", type: "invalid_request_error" } });
    }

    if (pathname === "/__health") return sendJson(res, 200, { ok: true, requests: records.length });
    if (pathname === "/__log") return sendJson(res, 200, records);
    if (pathname === "/__reset") {
      records.length = 0;
      for (const r of cfg.rules) delete r.used;
      return sendJson(res, 200, { ok: true });
    }
    if (pathname === "/__control") {
      if (Array.isArray(body.rules)) cfg.rules = body.rules;
      // Another model answers under the same name.
      if ("swapped" in body) cfg.swapped = body.swapped === true;
      if ("failEmbeddings" in body) faults.embeddings = parseFault(body.failEmbeddings);
      if ("failChat" in body) faults.chat = parseFault(body.failChat);
      if ("delayEmbeddingsMs" in body) delays.embeddings = Number(body.delayEmbeddingsMs);
      if ("delayChatMs" in body) delays.chat = Number(body.delayChatMs);
      return sendJson(res, 200, { ok: true });
    }

    const kind = kindOf(pathname);
    const id = ++seq;
    const entry = {
      n: id,
      ts: new Date().toISOString(),
      method: req.method,
      path: pathname,
      authorization: req.headers.authorization ?? null,
      googleKey: req.headers["x-goog-api-key"] ?? null,
      body,
    };
    const wait = Number(url.searchParams.get("delay") ?? delays[kind] ?? 0);
    if (wait > 0) await new Promise((r) => setTimeout(r, wait));

    const fault = takeFault(kind, m?.[1], url.searchParams);
    if (fault) {
      record({ ...entry, fault });
      if (fault === "timeout") return; // never answer; the client must give up
      if (fault === "drop") return res.destroy();
      const status = Number(fault) || 500;
      return sendJson(
        res,
        status,
        {
          error: {
            message: `fake provider fault ${status}`,
            type: status === 429 ? "rate_limit_error" : "server_error",
            code: status === 429 ? "rate_limit_exceeded" : "fake_fault",
          },
        },
        status === 429 ? { "retry-after": "1" } : {},
      );
    }

    if (req.method === "GET" && pathname.endsWith("/models")) {
      record(entry);
      const ids = ["fake-chat", "fake-embed", "text-embedding-3-small"];
      return sendJson(res, 200, { object: "list", data: ids.map((x) => ({ id: x, object: "model", created: 0, owned_by: "fake" })) });
    }
    if (kind === "embeddings") {
      record({ ...entry, inputs: inputsOf(body).length });
      const reply = embeddingsReply(body, cfg);
      // Gemini and Ollama have shapes of their own.
      if (body.requests) return sendJson(res, 200, { embeddings: reply.data.map((row) => ({ values: row.embedding })) });
      return sendJson(res, 200, pathname.endsWith("/embed") ? { embeddings: reply.data.map((row) => row.embedding) } : reply);
    }
    if (kind === "chat") {
      const wire = pathname.endsWith("/responses") ? "responses" : "chat";
      const picked = pickRule(cfg.rules, turnsOf(wire, body), toolNames(body));
      record({ ...entry, rule: picked.rule?.match ?? null, reply: picked.reply ?? null, toolCall: picked.toolCall ?? null });
      if (picked.rule?.delayMs) await new Promise((r) => setTimeout(r, picked.rule.delayMs));
      if (picked.rule?.status) return sendJson(res, picked.rule.status, { error: { message: "scripted failure", type: "server_error" } });
      const out = wire === "responses" ? responsesReply(body, picked, id) : chatReply(body, picked, id);
      if (out.json) return sendJson(res, 200, out.json);
      res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache", connection: "keep-alive" });
      for (const e of out.sse)
        res.write(`${e.event ? `event: ${e.event}\n` : ""}data: ${typeof e.data === "string" ? e.data : JSON.stringify(e.data)}\n\n`);
      return res.end();
    }
    record({ ...entry, unknown: true });
    sendJson(res, 404, { error: { message: `no route for ${pathname}`, type: "invalid_request_error" } });
  });
  return { server, records };
}

function main(argv) {
  const opt = (name, dflt) => {
    const i = argv.indexOf(`--${name}`);
    return i >= 0 ? argv[i + 1] : dflt;
  };
  const rulesFile = opt("rules", process.env.FAKE_RULES);
  const { server } = createFakeProvider({
    dims: Number(opt("dims", process.env.FAKE_DIMS ?? 256)),
    log: opt("log", process.env.FAKE_LOG ?? null),
    rules: rulesFile ? JSON.parse(fs.readFileSync(rulesFile, "utf8")) : [],
    env: process.env,
  });
  server.listen(Number(opt("port", process.env.FAKE_PORT ?? 0)), "127.0.0.1", () => {
    const { port } = server.address();
    const portFile = opt("port-file", process.env.FAKE_PORT_FILE);
    if (portFile) {
      fs.writeFileSync(`${portFile}.tmp`, String(port));
      fs.renameSync(`${portFile}.tmp`, portFile); // readers never see a half-written file
    }
    console.log(`fake-provider listening on http://127.0.0.1:${port}/v1`);
  });
  for (const sig of ["SIGINT", "SIGTERM"])
    process.on(sig, () => {
      server.closeAllConnections();
      server.close(() => process.exit(0));
    });
}

if (process.argv[1] && import.meta.url === pathToFileURL(path.resolve(process.argv[1])).href) main(process.argv.slice(2));
