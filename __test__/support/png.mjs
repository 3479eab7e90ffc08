// PNG as our pictures are: eight bits of red, green, blue and alpha, in lines that are told apart from their neighbours.

import { inflateSync } from "node:zlib";

const [SIGNATURE, EACH] = ["89504e470d0a1a0a", 4];

/** @param {number} left @param {number} up @param {number} corner */
function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/**
 * The size of a picture, and how many pixels have each colour, written as `#rrggbb`.
 * @param {Buffer} png
 */
export function readPng(png) {
  if (png.toString("hex", 0, 8) !== SIGNATURE) throw new Error("no PNG");
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png.toString("hex", 24, 29) !== "0806000000") throw new Error("not the kind of PNG that we make");
  const parts = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const data = inflateSync(Buffer.concat(parts));
  const bytes = EACH * width;
  /** @type {Map<string, number>} */
  const colours = new Map();
  let above = Buffer.alloc(bytes);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (bytes + 1)];
    const line = Buffer.from(data.subarray(row * (bytes + 1) + 1, (row + 1) * (bytes + 1)));
    for (let at = 0; at < bytes; at++) {
      const left = at < EACH ? 0 : line[at - EACH];
      const guess = [0, left, above[at], (left + above[at]) >> 1, paeth(left, above[at], at < EACH ? 0 : above[at - EACH])][filter];
      line[at] = (line[at] + guess) & 0xff;
    }
    for (let at = 0; at < bytes; at += EACH) {
      const colour = `#${line.toString("hex", at, at + 3)}`;
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
    above = line;
  }
  return { width, height, colours };
}
