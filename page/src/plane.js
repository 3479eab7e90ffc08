// How the map is drawn in a browser: 100,000 points within a frame.

import { grouped, hue, NAMES, named, shown, width as widthOfPoint } from "./points.js";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {import("./points.js").Points} points
 * @param {import("./points.js").Region[]} regions
 * @param {import("./points.js").View} view
 * @param {import("./points.js").Colour} colour
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
  const size = widthOfPoint(points.count, view.zoom) * scale;
  grouped(points, colour).forEach((members, group) => {
    context.fillStyle = members.length > 0 ? hue(colour, group) : "";
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
  context.font = `${12 * scale}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const widthOf = (/** @type {string} */ name) => context.measureText(name).width + 8 * scale;
  // A few for the whole map, more as one comes nearer.
  const names = named(regions, { place, widthOf, half: 9 * scale, width, height, most: NAMES * view.zoom });
  for (const { name, x, y, box } of names) {
    context.globalAlpha = 0.78;
    context.fillStyle = style.backgroundColor;
    context.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    context.globalAlpha = 1;
    context.fillStyle = style.color;
    context.fillText(name, x, y);
  }
}
