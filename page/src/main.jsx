// The page: who is asked for, and which view is shown.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Activity } from "./activity.jsx";
import { ask, isFrame, isSignedIn, Refusal, report, signIn } from "./ask.js";
import { Health } from "./health.jsx";
import { Kept } from "./kept.jsx";
import { MapView } from "./map.jsx";
import { Note } from "./note.jsx";
import { Problem, time, Waiting } from "./parts.jsx";
import { Search } from "./search.jsx";
import { Timeline } from "./timeline.jsx";

/** A report has nobody who could search. */
const VIEWS = /** @type {[string, string][]} */ ([
  ["search", "Search"],
  ["timeline", "Timeline"],
  ["map", "Map"],
  ["did", "What it did"],
  ["kept", "What it keeps"],
  ["health", "Health"],
]).filter(([name]) => !report || name !== "search");

const viewOfAddress = () => (VIEWS.find(([name]) => `#${name}` === location.hash) ?? VIEWS[0])[0];

function App() {
  const [isKnown, setKnown] = useState(isSignedIn());
  const [start, setStart] = useState(/** @type {{result?: any, mayChange?: boolean, error?: any}} */ ({}));
  useEffect(() => {
    if (!isKnown) return;
    ask("overview", {}).then(setStart, (error) => {
      setStart({ error });
      if (error instanceof Refusal && error.kind === "unauthorized" && !isFrame) {
        signIn("");
        setKnown(false);
      }
    });
  }, [isKnown]);
  if (!isKnown) return <SignIn error={start.error} done={() => setKnown(true)} />;
  if (start.error) return <Problem error={start.error} />;
  return start.result ? <Views overview={start.result} mayChange={start.mayChange === true} /> : <Waiting />;
}

/** @param {{overview: any, mayChange: boolean}} props */
function Views({ overview, mayChange }) {
  const [view, setView] = useState(viewOfAddress);
  const [agentId, setAgent] = useState(overview.agentId);
  const [place, setPlace] = useState(/** @type {import("./note.jsx").Place | null} */ (null));
  useEffect(() => {
    const follow = () => setView(viewOfAddress());
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const about = { agentId, mayChange, open: report ? null : setPlace };
  return (
    <>
      <header class="top">
        <h1>Memory</h1>
        <nav aria-label="Views">
          {VIEWS.map(([name, label]) => (
            <a key={name} href={`#${name}`} aria-current={view === name ? "page" : undefined}>
              {label}
            </a>
          ))}
        </nav>
        {overview.agents.length > 1 ? (
          <label class="agent">
            <span class="hidden">Agent</span>
            <select value={agentId} onChange={(event) => setAgent(event.currentTarget.value)}>
              {overview.agents.map((/** @type {string} */ id) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
        ) : null}
        {mayChange ? null : <span class="badge">{report ? `report of ${time(report.madeAt)}` : "read only"}</span>}
      </header>
      <main>
        {view === "search" ? <Search agentId={agentId} open={setPlace} /> : null}
        {view === "timeline" ? <Timeline key={agentId} {...about} /> : null}
        {view === "map" ? <MapView key={agentId} {...about} /> : null}
        {view === "did" ? <Activity key={agentId} {...about} /> : null}
        {view === "kept" ? <Kept key={agentId} {...about} /> : null}
        {view === "health" ? <Health key={agentId} {...about} /> : null}
      </main>
      {isFrame && !report ? (
        <p class="quiet foot">
          To change something, open <code>/memory-core-rs/page/</code> of this gateway in a window of its own.
        </p>
      ) : null}
      {place ? (
        <Note key={`${place.path}:${place.startLine}`} place={place} close={() => setPlace(null)} agentId={agentId} mayChange={mayChange} />
      ) : null}
    </>
  );
}

/** @param {{error: unknown, done: () => void}} props */
function SignIn({ error, done }) {
  const [token, setToken] = useState("");
  return (
    <main class="sign-in">
      <h1>Memory</h1>
      <p>Sign in with the token or the password of your gateway. It stays in this tab until you close it.</p>
      {error ? <Problem error={error} /> : null}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!token.trim()) return;
          signIn(token.trim());
          done();
        }}
      >
        <label>
          Gateway token
          <input type="password" value={token} onInput={(event) => setToken(event.currentTarget.value)} autocomplete="off" />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}

const root = document.getElementById("app");
if (root) render(<App />, root);
