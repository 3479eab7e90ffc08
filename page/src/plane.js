// The map's points, and how they are drawn: 100,000 of them within a frame.

/**
 * What is shown: the place in the middle (0–1 of the map) and how many times larger than the whole map.
 * @typedef {{x: number, y: number, zoom: number}} View
 * @typedef {{count: number, x: Float32Array, y: Float32Array, file: Uint32Array, line: Uint32Array, paths: string[], age: Uint8Array}} Points
 * @typedef {{x: number, y: number, count: number, name: string}} Region
 */

/** @type {View} */
export const WHOLE = { x: 0.5, y: 0.5, zoom: 1 };

const MARGIN = 0.04;
const EACH = 14;
const FULL = 65535;
const DAY_MS = 86_400_000;
/** Days up to which a note has each colour, the newest first; what is older has the last one. */
const AGES = [7, 30, 90, 365, 1095];
/** Notes of one colour are told apart by clicking. */
const HUES = 12;
/** Names on the whole map. */
const NAMES = 16;

/** @param {{points: string, paths: string}} map @returns {Points} */
export function decoded({ points, paths }) {
  const bytes = Uint8Array.from(atob(points), (char) => char.charCodeAt(0));
  const data = new DataView(bytes.buffer);
  const count = Math.floor(bytes.length / EACH);
  const [x, y] = [new Float32Array(count), new Float32Array(count)];
  const [file, line, age] = [new Uint32Array(count), new Uint32Array(count), new Uint8Array(count)];
  const today = Date.now() / DAY_MS;
  for (let n = 0; n < count; n++) {
    file[n] = data.getUint32(EACH * n, true);
    line[n] = data.getUint32(EACH * n + 4, true);
    x[n] = data.getUint16(EACH * n + 8, true) / FULL;
    y[n] = data.getUint16(EACH * n + 10, true) / FULL;
    const days = today - data.getUint16(EACH * n + 12, true);
    const at = AGES.findIndex((most) => days <= most);
    age[n] = at < 0 ? AGES.length : at;
  }
  return { count, x, y, file, line, age, paths: paths.split("\0") };
}

/** Where a place of the map is on the picture, as a share of its width. @param {number} at @param {number} middle @param {number} zoom */
const shown = (at, middle, zoom) => MARGIN + (1 - 2 * MARGIN) * ((at - middle) * zoom + 0.5);

/** What was sorted before. @type {WeakMap<Points, Record<string, number[][]>>} */
const sorted = new WeakMap();

/** Points by their colours: changing the colour is what takes time. @param {Points} points @param {string} colour */
function grouped(points, colour) {
  const known = sorted.get(points) ?? {};
  sorted.set(points, known);
  if (known[colour]) return known[colour];
  const of = colour === "age" ? (/** @type {number} */ n) => points.age[n] : (/** @type {number} */ n) => points.file[n] % HUES;
  /** @type {number[][]} */
  const groups = Array.from({ length: Math.max(AGES.length + 1, HUES) }, () => []);
  for (let n = 0; n < points.count; n++) groups[of(n)].push(n);
  known[colour] = groups;
  return groups;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Points} points
 * @param {Region[]} regions
 * @param {View} view
 * @param {string} colour `age` or `file`.
 * @param {number[]} chosen
 */
export function draw(canvas, points, regions, view, colour, chosen) {
  const context = canvas.getContext("2d");
  const { width: cssWidth, height: cssHeight } = canvas.getBoundingClientRect();
  const scale = globalThis.devicePixelRatio || 1;
  const [width, height] = [Math.round(cssWidth * scale), Math.round(cssHeight * scale)];
  if (!context || width === 0) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  context.clearRect(0, 0, width, height);
  const place = (/** @type {{x: number, y: number}} */ at) => [
    shown(at.x, view.x, view.zoom) * width,
    shown(at.y, view.y, view.zoom) * height,
  ];
  const size = Math.max(1.5, Math.min(5, (180 / Math.sqrt(points.count)) * Math.sqrt(view.zoom))) * scale;
  grouped(points, colour).forEach((members, group) => {
    context.fillStyle =
      colour === "age" ? `hsl(${172 + 10 * group} ${80 - 10 * group}% ${38 + 4 * group}%)` : `hsl(${(360 * group) / HUES} 55% 52%)`;
    for (const n of members) {
      const left = shown(points.x[n], view.x, view.zoom) * width;
      const top = shown(points.y[n], view.y, view.zoom) * height;
      if (left > -size && top > -size && left < width && top < height) context.fillRect(left - size / 2, top - size / 2, size, size);
    }
  });
  const style = getComputedStyle(canvas);
  context.strokeStyle = style.color;
  context.lineWidth = 2 * scale;
  for (const n of chosen) {
    const [left, top] = place({ x: points.x[n], y: points.y[n] });
    context.strokeRect(left - size, top - size, 2 * size, 2 * size);
  }
  // A few for the whole map, more as one comes nearer.
  const most = NAMES * view.zoom;
  drawNames(context, regions, { place, scale, width, height, most, colour: style.color, back: style.backgroundColor });
}

/**
 * The names of the largest regions that have room.
 * @param {CanvasRenderingContext2D} context
 * @param {Region[]} regions
 * @param {{place: (at: {x: number, y: number}) => number[], scale: number, width: number, height: number, most: number, colour: string, back: string}} how
 */
function drawNames(context, regions, { place, scale, width, height, most, colour, back }) {
  context.font = `${12 * scale}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  /** @type {number[][]} */
  const taken = [];
  for (const { x, y, name } of regions) {
    if (taken.length >= most) return;
    const [middle, line] = place({ x: x / FULL, y: y / FULL });
    const [half, tall] = [context.measureText(name).width / 2 + 4 * scale, 9 * scale];
    const box = [middle - half, line - tall, middle + half, line + tall];
    if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
    if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) continue;
    taken.push(box);
    context.globalAlpha = 0.78;
    context.fillStyle = back;
    context.fillRect(box[0], box[1], 2 * half, 2 * tall);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.fillText(name, middle, line);
  }
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
