// A workspace for the oracle: every script and shape that ranking treats in a way of its own. Deterministic.
import fs from "node:fs";
import path from "node:path";

/** "Now" of every run: 2026-06-01T12:00:00Z. */
export const NOW = Date.UTC(2026, 5, 1, 12);

/**
 * Numbers below n, the same in every run (xorshift).
 * @param {number} seed
 * @returns {(n: number) => number}
 */
export function random(seed) {
  let state = seed | 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

/** Words that queries ask for: shapes that tokenizers cut in their own way, and plain ones. */
const ASKED = `router switch firewall deploy rollback index memory garden tomato basil invoice meeting budget lisbon porto tokyo
  guitar dentist api_key ERR_1234 fooBar a.b_c v2.1 naïve café straße übung 会议记录 部署方案 东京的会议室 デプロイの設定
  昨日の打ち合わせ 서버에서 배포를 회의록을 数据库索引 预算讨论`.split(/\s+/);

const SYLLABLES = "ka lo mi ter san ve ri no bu del fa gor hin jes kun lam".split(" ");
const EMOJI = ["🎉", "👩‍🚀", "🇧🇷", "🧪"];

/**
 * Lines that differ from all others. Asked words are so rare that what a query finds fits in its pool of candidates:
 * where equal scores straddle the edge of a pool, it is chance which of them the host takes.
 * @param {(n: number) => number} next
 * @param {number} lines
 */
function paragraph(next, lines) {
  const word = () => {
    if (next(12) === 0) return ASKED[next(ASKED.length)];
    if (next(60) === 0) return EMOJI[next(EMOJI.length)];
    return Array.from({ length: 3 }, () => SYLLABLES[next(SYLLABLES.length)]).join("");
  };
  return Array.from({ length: lines }, () => Array.from({ length: 3 + next(14) }, word).join(next(9) === 0 ? ", " : " "));
}

/**
 * Writes the workspace; gives the folder of extra files beside it.
 * @param {string} root
 */
export function writeWorkspace(root) {
  const next = random(20260412);
  const workspace = path.join(root, "workspace");
  const write = (/** @type {string} */ name, /** @type {string} */ text, ageDays = 3) => {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
    const time = new Date(NOW - ageDays * 86_400_000);
    fs.utimesSync(file, time, time);
  };
  write("workspace/MEMORY.md", `# Memory\n\n${paragraph(next, 20).join("\n")}\n`);
  for (let i = 0; i < 24; i += 1) {
    const day = new Date(NOW - (i * 5 + 1) * 86_400_000).toISOString().slice(0, 10);
    const end = i % 5 === 0 ? "\r\n" : "\n";
    write(`workspace/memory/${day}.md`, [`# ${day}`, ...paragraph(next, 1 + next(24))].join(end));
  }
  write("workspace/memory/2026-02-31.md", paragraph(next, 9).join("\n"), 45);
  write("workspace/memory/2026-05-05-standup.md", paragraph(next, 9).join("\n"), 70);
  write("workspace/memory/people/router.md", paragraph(next, 12).join("\n"), 400);
  write("workspace/memory/日本語/会议.md", "会议 は 月曜日\n東京 で 打ち合わせ\n日 程");
  write("workspace/memory/long.md", `intro router\n${paragraph(next, 40).join(" ")}\n\n\ntail 😀${"漢字".repeat(700)}`);
  write("workspace/memory/blank.md", " \n\n\t\n");
  // A word in more chunks than a pool holds, each of another length and so of another score.
  for (let i = 0; i < 40; i += 1) {
    const filler = Array.from({ length: i }, (_, j) => `${SYLLABLES[j % 16]}${SYLLABLES[i % 16]}${i}`).join(" ");
    write(`workspace/memory/harvest/${String(i).padStart(2, "0")}.md`, `harvest ${filler}`);
  }
  write("extra/notes/handbook.md", paragraph(next, 20).join("\n"), 90);
  write("extra/notes/deep/guide.md", paragraph(next, 12).join("\n"), 10);
  return { workspace, extra: path.join(root, "extra/notes") };
}

/** Questions of every kind: some find all words, some only some of them, some nothing. */
export function queries() {
  const next = random(7);
  const fixed = [
    "harvest",
    "router",
    "Router firewall",
    "what did we say about the deploy rollback",
    "ERR_1234",
    "a.b_c",
    "fooBar api_key",
    "naïve café",
    "naive cafe",
    "会议",
    "会议室",
    "东京",
    "部署方案",
    "部署 会议记录",
    "デプロイ",
    "デプロイの設定はどこ",
    "昨日 打ち合わせ",
    "서버에서 배포",
    "회의록",
    "数据库 index",
    "100% sure_thing \\ ",
    "standup",
    "handbook guide",
    "the and of",
    "xyzzy",
    "🎉 budget",
    '"quoted" (router)',
    "que es el invoice",
    "tokyo 2026",
    "v2.1",
    "straße",
    "ab",
    "日",
    "router router router",
  ];
  const made = Array.from({ length: 12 }, () => Array.from({ length: 1 + next(3) }, () => ASKED[next(ASKED.length)]).join(" "));
  return [...fixed, ...made];
}
