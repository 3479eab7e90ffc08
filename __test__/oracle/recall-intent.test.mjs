// Whether a message asks for memory: wherever the bundled plugin of OpenClaw 2026.9.6 says so, we do. Its own function is
// asked, over sentences put together from what people say.

import { readdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { native } from "../../lib/native.js";
import { installHost } from "../support/install.mjs";

const VERSION = "2026.9.6";

const WHO = ["we", "you", "I"];
const DID = ["discussed", "decided", "agreed", "said", "talked about", "chose"];
const ASKED = ["what", "which one", "when", "where", "why", "how"];
const DO = ["decide", "choose", "discuss", "agree", "say", "mention", "talk", "use", "do"];
const TOPICS = ["the database", "dinner with Ana", "the flight to Porto", "my dentist", "Falcon", "the red door"];
const MONTHS = ["january", "may", "december", "2025"];
const AGO = ["yesterday", "the other day", "last week", "last month", "last year", "3 days ago", "two weeks ago", "ten years ago"];

/** @returns {string[]} */
function sentences() {
  const list = [];
  for (const topic of TOPICS) {
    for (const who of WHO) {
      for (const verb of DID) list.push(`the thing ${who} ${verb} about ${topic}`, `${who} ${verb}, was it ${topic}?`);
      for (const verb of DO)
        for (const word of ["did", "have", "had"]) {
          list.push(`${word} ${who} ${verb} ${topic}?`);
          for (const asked of ASKED.slice(0, 1)) list.push(`${asked} ${word} ${who} ${verb} about ${topic}`);
        }
      list.push(`what did ${who} want with ${topic}`);
    }
    for (const word of ["do", "can", "could", "would"]) list.push(`${word} you remember ${topic}?`, `${word} you recall ${topic}`);
    for (const word of ["when", "what", "which", "who", "where", "why", "how"]) {
      list.push(
        `I remember ${word} it was ${topic}`,
        `recall ${word} ${topic} was`,
        `remind me ${word} ${topic} is`,
        `remind us ${word} ${topic}`,
      );
    }
    for (const word of ["previously", "earlier", "last time"]) list.push(`${topic} ${word}`, `${word}, ${topic}`);
    list.push(`it used to be ${topic}`, `what do I usually do with ${topic}`, `what did I usually say of ${topic}`);
    for (const when of ["previous", "earlier", "past"])
      for (const what of ["decision", "conversation", "chat", "discussion"]) list.push(`the ${when} ${what} about ${topic}`);
    for (const ago of AGO) list.push(`${topic} ${ago}`, `it was ${ago}, ${topic}`);
    for (const month of MONTHS)
      list.push(`chats from ${month} about ${topic}`, `the conversation in ${month}`, `discussions during ${month}`);
    for (const verb of ["summarize", "review", "find", "search"])
      for (const what of ["my past conversations", "our chat", "the previous discussions", "conversations"])
        list.push(`${verb} ${what} on ${topic}`);
    list.push(
      `¿qué decidimos de ${topic}?`,
      `qué hablamos de ${topic}`,
      `¿recuerdas ${topic}?`,
      `quiero recordar ${topic}`,
      `ayer, ${topic}`,
      `la última vez con ${topic}`,
      `anteriormente ${topic}`,
    );
  }
  const subjects = ["", "我们", "我們", "我", "你", "您"];
  for (const who of subjects) {
    for (const when of ["之前", "以前", "上次", "上回", "曾经", "曾經"])
      for (const verb of ["聊", "说", "說", "谈", "談", "讨论", "討論", "提"])
        for (const end of ["过什么？", "過的", "了什么", "的那个", "过"])
          list.push(`${when}${who}${verb}${end}`, `明天按${when}${who}${verb}${end}做`);
    list.push(
      `${who}还记得吗`,
      `${who}還記得那個？`,
      `${who}记得那家店吗`,
      `${who}記得嗎？`,
      `以前${who}决定了什么`,
      `上次${who}记录过的`,
      `之前的聊天记录`,
      `以前的對話記錄`,
      `上次的资料`,
      `昨天${who}说的之前聊过的，明天用`,
    );
  }
  for (const when of ["前回", "この前", "この間", "以前"])
    for (const verb of ["話した", "話していた", "話してた", "言った", "伝えた", "相談した", "決めた"])
      list.push(
        `${when}、旅行について${verb}こと`,
        `${when}${verb}内容は？`,
        `明日までに${when}${verb}ことを`,
        `${when}より${verb}`,
        `${when}${verb}いく`,
      );
  list.push(
    "覚えてる？",
    "覚えてますか",
    "覚えていますか",
    "まだ覚えている？",
    "明日まで覚えているように",
    "覚えていることに",
    "先週以前話したことを明日",
  );
  for (const end of ["", "요", "지", "지요", "죠", "ㅋㅋ"]) list.push(`그거 기억나${end}?`, `내일도 기억나${end}`);
  for (const when of ["지난번", "지난 번", "저번", "예전"])
    for (const verb of ["논의했", "이야기했", "얘기했", "대화했", "말했", "언급했", "결정했"])
      list.push(`${when}에 여행을 ${verb}던 거`, `${when}에 ${verb}어?`, `내일 ${when}에 ${verb}던 대로`);
  return [...new Set(list)];
}

/** @type {(message: string) => boolean} */
let hostSays;

beforeAll(async () => {
  const dist = path.join(await installHost(VERSION), "node_modules", "openclaw", "dist");
  const file = (await readdir(dist)).find((name) => /^escalation-[\w-]+\.mjs$/.test(name));
  const module = await import(pathToFileURL(path.join(dist, String(file))).href);
  hostSays = Object.values(module).find((value) => typeof value === "function" && value.name === "hasRecallIntent");
});

test("wherever the host's own plugin sees a question to memory, we do", () => {
  const asked = sentences().filter((sentence) => hostSays(sentence));
  expect(asked.length).toBeGreaterThan(1500);
  expect(asked.filter((sentence) => native().recallIntent(sentence) === null)).toEqual([]);
});
