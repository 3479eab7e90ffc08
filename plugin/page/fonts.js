// Letters for pictures. One font comes along, for most alphabets; what it has not is drawn with fonts of this machine, where
// there are any. Which letters a font has is read of its `cmap` table, as OpenType describes it.

import { open, readdir, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { processEnv } from "../../lib/env.js";

/** Fonts of the machine for one picture, and the most bytes of one: those of East Asia have some 20 MB. */
const MOST_FONTS = 8;
const MOST_BYTES = 64 << 20;
/** Bytes of a table of letters. */
const MOST_TABLE = 4 << 20;

/** @typedef {(letter: number) => boolean} Letters Whether a font has a letter. */

/** Where systems keep their fonts. @returns {string[]} */
function fontFolders() {
  const home = os.homedir();
  if (process.platform === "darwin") return ["/System/Library/Fonts", "/Library/Fonts", path.join(home, "Library/Fonts")];
  if (process.platform === "win32") {
    const { WINDIR = "C:\\Windows", LOCALAPPDATA = "" } = processEnv();
    return [path.join(WINDIR, "Fonts"), path.join(LOCALAPPDATA, "Microsoft/Windows/Fonts")];
  }
  return ["/usr/share/fonts", "/usr/local/share/fonts", path.join(home, ".local/share/fonts"), path.join(home, ".fonts")];
}

/**
 * The fonts that some texts need, and whether a text can be drawn with them.
 * @param {Buffer} own The font that comes along.
 * @param {string[]} texts
 * @param {string[]} [folders]
 * @returns {Promise<{fonts: Buffer[], isDrawable: (text: string) => boolean}>}
 */
export async function fontsFor(own, texts, folders = fontFolders()) {
  const fonts = [own];
  const all = [lettersOf(await readTable(async (at, length) => own.subarray(at, at + length)))];
  const missing = new Set(texts.flatMap(lettersIn).filter((letter) => !all[0](letter)));
  const others = missing.size > 0 ? await candidates(folders) : [];
  while (missing.size > 0 && fonts.length <= MOST_FONTS) {
    const counted = others.map((font) => ({ font, has: [...missing].filter(font.letters).length }));
    const best = counted.reduce((most, one) => (one.has > most.has ? one : most), { font: others[0], has: 0 });
    if (best.has === 0) break;
    fonts.push(await readFile(best.font.file));
    all.push(best.font.letters);
    for (const letter of missing) if (best.font.letters(letter)) missing.delete(letter);
  }
  return { fonts, isDrawable: (text) => lettersIn(text).every((letter) => all.some((has) => has(letter))) };
}

/** Letters that take a glyph. @param {string} text */
const lettersIn = (text) => [...text.replace(/[\p{C}\p{Z}]/gu, "")].map((char) => Number(char.codePointAt(0)));

/** @param {string[]} folders @returns {Promise<{file: string, letters: Letters}[]>} */
async function candidates(folders) {
  const found = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile() && /\.(?:ttf|otf|ttc|otc)$/i.test(entry.name));
    for (const { parentPath, name } of files) {
      const file = path.join(parentPath, name);
      // Another's font may be broken: the next one may have the letters too.
      const letters = await lettersOfFile(file).catch(() => null);
      if (letters) found.push({ file, letters });
    }
  }
  return found;
}

/** @param {string} file @returns {Promise<Letters | null>} */
async function lettersOfFile(file) {
  const handle = await open(file, "r");
  try {
    if ((await handle.stat()).size > MOST_BYTES) return null;
    const read = async (/** @type {number} */ at, /** @type {number} */ length) => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
      return buffer.subarray(0, bytesRead);
    };
    return lettersOf(await readTable(read));
  } finally {
    await handle.close();
  }
}

/**
 * The table of letters of a font, or of the first of a collection.
 * @param {(at: number, length: number) => Promise<Buffer>} read
 */
async function readTable(read) {
  const head = await read(0, 16);
  const start = head.toString("latin1", 0, 4) === "ttcf" ? head.readUInt32BE(12) : 0;
  const tables = (await read(start + 4, 2)).readUInt16BE(0);
  const directory = await read(start + 12, 16 * tables);
  for (let at = 0; at < directory.length; at += 16) {
    if (directory.toString("latin1", at, at + 4) !== "cmap") continue;
    return await read(directory.readUInt32BE(at + 8), Math.min(MOST_TABLE, directory.readUInt32BE(at + 12)));
  }
  throw new Error("a font without letters");
}

/**
 * Unicode's letters of a table: all of them (format 12), else those of its first plane (format 4).
 * @param {Buffer} table
 * @returns {Letters}
 */
function lettersOf(table) {
  const parts = Array.from({ length: table.readUInt16BE(2) }, (_, n) => {
    const [platform, encoding, at] = [table.readUInt16BE(4 + 8 * n), table.readUInt16BE(6 + 8 * n), table.readUInt32BE(8 + 8 * n)];
    const isUnicode = platform === 0 || (platform === 3 && (encoding === 1 || encoding === 10));
    return { at, format: isUnicode ? table.readUInt16BE(at) : 0 };
  });
  const whole = parts.find(({ format }) => format === 12);
  if (whole) return inGroups(table.subarray(whole.at));
  const plane = parts.find(({ format }) => format === 4);
  return plane ? inSegments(table.subarray(plane.at)) : () => false;
}

/** Groups of a first and a last letter and a first glyph. @param {Buffer} part @returns {Letters} */
function inGroups(part) {
  const groups = Array.from({ length: part.readUInt32BE(12) }, (_, n) => [part.readUInt32BE(16 + 12 * n), part.readUInt32BE(20 + 12 * n)]);
  return (letter) => groups.some(([first, last]) => first <= letter && letter <= last);
}

/** Segments: their last letters, a gap, their first ones, and how a glyph is found, which may be that there is none. @param {Buffer} part @returns {Letters} */
function inSegments(part) {
  const bytes = part.readUInt16BE(6);
  return (letter) => {
    for (let at = 0; at < bytes; at += 2) {
      if (letter > part.readUInt16BE(14 + at)) continue;
      const first = part.readUInt16BE(16 + bytes + at);
      if (letter < first) return false;
      const delta = part.readUInt16BE(16 + 2 * bytes + at);
      const offsetAt = 16 + 3 * bytes + at;
      const offset = part.readUInt16BE(offsetAt);
      const glyph = offset === 0 ? (letter + delta) & 0xffff : part.readUInt16BE(offsetAt + offset + 2 * (letter - first));
      return glyph !== 0;
    }
    return false;
  };
}
