// The map's points: what they are read from, which colour each has and where it lies. Of the page, and of its picture
// (plugin/page/pictures.js): nothing here needs a browser.

/**
 * What is shown: the place in the middle (0–1 of the map) and how many times larger than the whole map.
 * @typedef {{x: number, y: number, zoom: number}} View
 * @typedef {{count: number, x: Float32Array, y: Float32Array, file: Uint32Array, line: Uint32Array, paths: string[], age: Uint8Array,
 *   origin: Uint8Array}} Points
 * @typedef {{x: number, y: number, count: number, name: string}} Region
 * @typedef {"age" | "file" | "origin"} Colour
 */

/** @type {View} */
export const WHOLE = { x: 0.5, y: 0.5, zoom: 1 };

const FULL = 65535;
/** Names on the whole map. */
export const NAMES = 16;

const MARGIN = 0.04;
const EACH = 14;
const DAY_MS = 86_400_000;
/** Days up to which a note has each colour, the newest first; what is older has the last one. */
const AGES = [7, 30, 90, 365, 1095];
/** What the ages are called. */
const AGE_NAMES = ["up to a week", "a month", "three months", "a year", "three years", "older"];
/** Notes of one colour are told apart by clicking. */
const HUES = 12;

/**
 * Whose words the notes hold, in the order of their letters in an answer, and what is not known last.
 * @type {[letter: string, name: string, colour: string][]}
 */
const ORIGINS = [
  ["o", "yours", "hsl(38, 75%, 45%)"],
  ["a", "your assistant's", "hsl(172, 60%, 38%)"],
  ["u", "somebody else's", "hsl(4, 62%, 50%)"],
  ["s", "the system's", "hsl(265, 45%, 56%)"],
  ["", "not known", "hsl(0, 0%, 55%)"],
];

/**
 * @param {{points: string, paths: string, origins?: string}} map
 * @param {number} [now]
 * @returns {Points}
 */
export function decoded({ points, paths, origins = "" }, now = Date.now()) {
  const bytes = Uint8Array.from(atob(points), (char) => char.charCodeAt(0));
  const data = new DataView(bytes.buffer);
  const count = Math.floor(bytes.length / EACH);
  const [x, y] = [new Float32Array(count), new Float32Array(count)];
  const [file, line] = [new Uint32Array(count), new Uint32Array(count)];
  const [age, origin] = [new Uint8Array(count), new Uint8Array(count)];
  const ofFile = Uint8Array.from(origins, originAt);
  for (let n = 0; n < count; n++) {
    file[n] = data.getUint32(EACH * n, true);
    line[n] = data.getUint32(EACH * n + 4, true);
    x[n] = data.getUint16(EACH * n + 8, true) / FULL;
    y[n] = data.getUint16(EACH * n + 10, true) / FULL;
    const days = now / DAY_MS - data.getUint16(EACH * n + 12, true);
    const at = AGES.findIndex((most) => days <= most);
    age[n] = at < 0 ? AGES.length : at;
    origin[n] = ofFile[file[n]] ?? ORIGINS.length - 1;
  }
  return { count, x, y, file, line, age, origin, paths: paths.split("\0") };
}

/** @param {string} letter */
function originAt(letter) {
  const at = ORIGINS.findIndex(([known]) => known === letter);
  return at < 0 ? ORIGINS.length - 1 : at;
}

/** Where a place of the map is on the picture, as a share of its width. @param {number} at @param {number} middle @param {number} zoom */
export const shown = (at, middle, zoom) => MARGIN + (1 - 2 * MARGIN) * ((at - middle) * zoom + 0.5);

/** How wide a point is on a picture of 1,000 pixels or so. @param {number} count @param {number} zoom */
export const width = (count, zoom) => Math.max(1.5, Math.min(5, (180 / Math.sqrt(count)) * Math.sqrt(zoom)));

/** What was sorted before. @type {WeakMap<Points, Partial<Record<Colour, number[][]>>>} */
const sorted = new WeakMap();

/** Points by their colours: changing the colour is what takes time. @param {Points} points @param {Colour} colour */
export function grouped(points, colour) {
  const known = sorted.get(points) ?? {};
  sorted.set(points, known);
  if (known[colour]) return known[colour];
  const of = colour === "file" ? (/** @type {number} */ n) => points.file[n] % HUES : (/** @type {number} */ n) => points[colour][n];
  /** @type {number[][]} */
  const groups = Array.from({ length: Math.max(AGES.length + 1, HUES, ORIGINS.length) }, () => []);
  for (let n = 0; n < points.count; n++) groups[of(n)].push(n);
  known[colour] = groups;
  return groups;
}

/** The colour of a group. @param {Colour} colour @param {number} group */
export function hue(colour, group) {
  if (colour === "age") return `hsl(${172 + 10 * group}, ${80 - 10 * group}%, ${38 + 4 * group}%)`;
  return colour === "file" ? `hsl(${(360 * group) / HUES}, 55%, 52%)` : ORIGINS[group][2];
}

/**
 * What the colours mean, of the groups that have a point; nothing for notes, which are too many to name.
 * @param {Points} points
 * @param {Colour} colour
 * @returns {{name: string, colour: string, count: number}[]}
 */
export function legend(points, colour) {
  if (colour === "file") return [];
  const name = (/** @type {number} */ group) => (colour === "age" ? AGE_NAMES[group] : ORIGINS[group][1]);
  return grouped(points, colour).flatMap((members, group) =>
    members.length > 0 ? [{ name: name(group), colour: hue(colour, group), count: members.length }] : [],
  );
}

/**
 * The largest regions whose names have room, each with the box of its name.
 * @param {Region[]} regions
 * @param {{place: (at: {x: number, y: number}) => number[], widthOf: (name: string) => number, half: number, width: number,
 *   height: number, most: number}} how `half`: half of the height of a name.
 */
export function named(regions, { place, widthOf, half, width, height, most }) {
  /** @type {{name: string, x: number, y: number, box: number[]}[]} */
  const taken = [];
  for (const region of regions) {
    if (taken.length >= most) break;
    const [x, y] = place({ x: region.x / FULL, y: region.y / FULL });
    const wide = widthOf(region.name) / 2;
    const box = [x - wide, y - half, x + wide, y + half];
    if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
    if (taken.some(({ box: other }) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
    taken.push({ name: region.name, x, y, box });
  }
  return taken;
}

/**
 * The passages nearest to a place of the picture, the nearest first.
 * @param {Points} points
 * @param {View} view
 * @param {number} x Share of its width.
 * @param {number} y Share of its height.
 * @param {number} reach Most distance, as a share of its width.
 * @param {number} most
 */
export function nearest(points, view, x, y, reach, most) {
  /** @type {[number, number][]} */
  const found = [];
  for (let n = 0; n < points.count; n++) {
    const apart = Math.hypot(shown(points.x[n], view.x, view.zoom) - x, shown(points.y[n], view.y, view.zoom) - y);
    if (apart <= reach) found.push([apart, n]);
  }
  return found
    .toSorted((a, b) => a[0] - b[0])
    .slice(0, most)
    .map(([, n]) => n);
}
