// The passages of the notes by meaning: what is near on the map is alike.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Nothing, Problem, useAnswer, Waiting, Where } from "./parts.jsx";
import { draw } from "./plane.js";
import { decoded, legend, nearest, WHOLE } from "./points.js";
import { counted } from "./words.js";

/**
 * @typedef {import("./points.js").View} View
 * @typedef {import("./points.js").Colour} Colour
 */

const COLOURS = /** @type {const} */ ([
  ["age", "By age"],
  ["file", "By note"],
  ["origin", "By origin"],
]);

/** What the colours say. @type {Record<Colour, string>} */
const MEANING = {
  age: "the stronger the colour, the newer the note",
  file: "each note has a colour",
  origin: "the colour says whose words a note holds",
};

/** Passages that a click shows, and how far from it they may lie, in pixels. */
const SHOWN = 5;
const REACH = 12;
/** A passage of 100,000 has room to itself then. */
const MOST_ZOOM = 30;
/** Regions that are listed. */
const LISTED = 24;

/** @param {View} view @param {number} x @param {number} y @param {number} by A view that shows the same place there, nearer or farther. */
function zoomed(view, x, y, by) {
  const zoom = Math.min(MOST_ZOOM, Math.max(1, view.zoom * by));
  const [atX, atY] = [view.x + (x - 0.5) / view.zoom, view.y + (y - 0.5) / view.zoom];
  return kept({ zoom, x: atX - (x - 0.5) / zoom, y: atY - (y - 0.5) / zoom });
}

/** Its middle stays on the map. @param {View} view */
const kept = ({ x, y, zoom }) => ({ zoom, x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) });

/** @param {{agentId: string, open: ((place: import("./note.jsx").Place) => void) | null}} props */
export function MapView({ agentId, open }) {
  const [colour, setColour] = useState(/** @type {Colour} */ ("age"));
  // Whose words a note holds is looked up when somebody wants to see it; the map stays what it is meanwhile.
  const [origins, setOrigins] = useState(false);
  const { result, error } = useAnswer("map", { agentId, origins });
  const points = useMemo(() => (result ? decoded(result) : null), [result]);
  if (error) return <Problem error={error} />;
  if (!result || !points) return <Waiting />;
  if (points.count === 0) {
    return <Nothing>There is nothing to draw: no note has a vector yet. Search by meaning may be off, or still at work.</Nothing>;
  }
  const paint = (/** @type {Colour} */ wanted) => {
    setColour(wanted);
    if (wanted === "origin") setOrigins(true);
  };
  return <Drawn map={result} points={points} colour={colour} paint={paint} open={open} />;
}

/**
 * @param {{map: any, points: import("./points.js").Points, colour: Colour, paint: (colour: Colour) => void,
 *   open: ((place: import("./note.jsx").Place) => void) | null}} props
 */
function Drawn({ map, points, colour, paint, open }) {
  const [view, setView] = useState(WHOLE);
  const [chosen, choose] = useState(/** @type {number[]} */ ([]));
  const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  useDrawn(canvas, (element) => draw(element, points, map.regions, view, colour, chosen), [points, map, view, colour, chosen]);
  useGestures(canvas, setView, (x, y) => {
    const { width } = /** @type {HTMLCanvasElement} */ (canvas.current).getBoundingClientRect();
    choose(nearest(points, view, x, y, REACH / width, SHOWN));
  });
  const move = (/** @type {number} */ x, /** @type {number} */ y) =>
    setView((now) => kept({ ...now, x: now.x + x / now.zoom, y: now.y + y / now.zoom }));
  const near = (/** @type {number} */ by) => setView((now) => zoomed(now, 0.5, 0.5, by));
  const keys = /** @type {Record<string, () => void>} */ ({
    ArrowLeft: () => move(-0.1, 0),
    ArrowRight: () => move(0.1, 0),
    ArrowUp: () => move(0, -0.1),
    ArrowDown: () => move(0, 0.1),
    "+": () => near(1.5),
    "=": () => near(1.5),
    "-": () => near(1 / 1.5),
    0: () => setView(WHOLE),
  });
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">Colours</legend>
        {COLOURS.map(([name, label]) => (
          <button type="button" key={name} aria-pressed={colour === name} onClick={() => paint(name)}>
            {label}
          </button>
        ))}
        <button type="button" onClick={() => near(1.5)} aria-label="Nearer">
          +
        </button>
        <button type="button" onClick={() => near(1 / 1.5)} aria-label="Farther">
          −
        </button>
        <button type="button" onClick={() => setView(WHOLE)}>
          Whole map
        </button>
      </fieldset>
      <canvas
        ref={canvas}
        class="map"
        tabIndex={0}
        role="img"
        aria-label={`Map of ${counted(points.count, "passage")}: what is near is alike. Arrows move, plus and minus zoom; the regions are listed below.`}
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
          if (!act) return;
          event.preventDefault();
          act();
        }}
      />
      <p class="quiet">
        {map.total > points.count
          ? `${points.count.toLocaleString()} of ${counted(map.total, "passage")}`
          : counted(points.count, "passage")}{" "}
        of notes; {MEANING[colour]}. Conversations are not on the map.
      </p>
      {colour === "file" ? null : (
        <ul class="legend" aria-label="Colours on the map">
          {legend(points, colour).map((one) => (
            <li key={one.name}>
              <span class="swatch" style={{ background: one.colour }} />
              {one.name} <span class="count">{one.count.toLocaleString()}</span>
            </li>
          ))}
        </ul>
      )}
      {chosen.length > 0 ? (
        <ul class="rows" aria-label="Passages there">
          {chosen.map((at) => (
            <li class="row" key={at}>
              <Where path={points.paths[points.file[at]]} line={points.line[at]} open={open} />
            </li>
          ))}
        </ul>
      ) : null}
      <section>
        <h2>What lies where</h2>
        <ol class="regions">
          {map.regions.slice(0, LISTED).map((/** @type {any} */ one) => (
            <li key={`${one.x} ${one.y}`}>
              <button type="button" class="small" onClick={() => setView({ x: one.x / 65535, y: one.y / 65535, zoom: 6 })}>
                <span dir="auto">{one.name}</span> <span class="count">{one.count}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

/**
 * Draws a picture anew when something of it, its size or the light of the page has changed, once a frame at most.
 * @param {{current: HTMLCanvasElement | null}} picture
 * @param {(element: HTMLCanvasElement) => void} paint
 * @param {unknown[]} parts What it is made of.
 */
function useDrawn(picture, paint, parts) {
  const latest = useRef(paint);
  latest.current = paint;
  const frame = useRef(0);
  const soon = useRef(() => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      if (picture.current) latest.current(picture.current);
    });
  }).current;
  useLayoutEffect(soon, parts);
  useEffect(() => {
    const size = new ResizeObserver(soon);
    if (picture.current) size.observe(picture.current);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", soon);
    return () => {
      cancelAnimationFrame(frame.current);
      size.disconnect();
      dark.removeEventListener("change", soon);
    };
  }, []);
}

/**
 * Wheel, dragging, two fingers and clicks on a picture. Places are shares of its width and height.
 * @param {{current: HTMLCanvasElement | null}} picture
 * @param {(change: (view: View) => View) => void} setView
 * @param {(x: number, y: number) => void} click
 */
function useGestures(picture, setView, click) {
  const onClick = useRef(click);
  onClick.current = click;
  useEffect(() => {
    const element = picture.current;
    if (!element) return;
    /** Where each finger is. @type {Map<number, [number, number]>} */
    const fingers = new Map();
    let moved = 0;
    const place = (/** @type {MouseEvent} */ event) => {
      const box = element.getBoundingClientRect();
      return /** @type {[number, number]} */ ([(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height]);
    };
    const span = () => {
      const [a, b] = [...fingers.values()];
      return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
    };
    const on = {
      wheel: (/** @type {WheelEvent} */ event) => {
        event.preventDefault();
        const [x, y] = place(event);
        setView((view) => zoomed(view, x, y, Math.exp(-event.deltaY / 300)));
      },
      pointerdown: (/** @type {PointerEvent} */ event) => {
        if (fingers.size === 0) moved = 0;
        fingers.set(event.pointerId, place(event));
        element.setPointerCapture(event.pointerId);
      },
      pointermove: (/** @type {PointerEvent} */ event) => {
        const before = fingers.get(event.pointerId);
        if (!before) return;
        const [x, y] = place(event);
        const apart = span();
        fingers.set(event.pointerId, [x, y]);
        const by = apart > 0 ? span() / apart : 1;
        const share = 1 / fingers.size;
        moved += Math.hypot(x - before[0], y - before[1]);
        setView((view) => {
          const { x: atX, y: atY, zoom } = zoomed(view, x, y, by);
          return kept({ zoom, x: atX - (share * (x - before[0])) / zoom, y: atY - (share * (y - before[1])) / zoom });
        });
      },
      pointerup: (/** @type {PointerEvent} */ event) => {
        const isClick = fingers.size === 1 && moved < 0.01;
        fingers.delete(event.pointerId);
        if (isClick) onClick.current(...place(event));
      },
      pointercancel: (/** @type {PointerEvent} */ event) => fingers.delete(event.pointerId),
    };
    for (const [name, handler] of Object.entries(on)) {
      // Not passive: a wheel over the map must not move the page.
      element.addEventListener(name, /** @type {EventListener} */ (handler), { passive: false });
    }
    return () => {
      for (const [name, handler] of Object.entries(on)) element.removeEventListener(name, /** @type {EventListener} */ (handler));
    };
  }, []);
}
