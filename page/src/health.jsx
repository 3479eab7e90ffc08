// How the index stands, what is skipped and why, what acts by itself, and what it costs.

import { Entry, Nothing, Problem, size, useAnswer, Waiting } from "./parts.jsx";
import { Plot } from "./plot.jsx";
import { Usage } from "./usage.jsx";
import { counted } from "./words.js";

/** @param {{agentId: string, mayChange: boolean}} props */
export function Health({ agentId, mayChange }) {
  const { result, error, again } = useAnswer("health", { agentId });
  if (error) return <Problem error={error} />;
  if (!result) return <Waiting />;
  if (result.status === "disabled") return <Nothing>Memory search is switched off for this agent.</Nothing>;
  if (result.status === "unreadable") {
    return (
      <>
        <Problem error={`The index cannot be read: ${result.problem}`} />
        <ByItself of={result} />
        <Times times={result.times} />
      </>
    );
  }
  const { status, scan, costs, disk } = result;
  const custom = /** @type {Record<string, any>} */ (status.custom ?? {});
  const index = (custom.sizes?.database ?? 0) + (custom.sizes?.log ?? 0);
  const pending = custom.pendingEmbeddings ?? 0;
  return (
    <>
      <div class="figures">
        <Figure label="Files" value={(status.files ?? 0).toLocaleString()} />
        <Figure label="Passages" value={(status.chunks ?? 0).toLocaleString()} />
        <Figure label="On the disk" value={size(index + disk.records + disk.otherIndexes)} />
        <Figure label="Meaning" value={pending > 0 ? `${pending.toLocaleString()} to go` : "up to date"} />
      </div>
      {status.lastSyncError ? <Problem error={status.lastSyncError} /> : null}
      <section>
        <h2>Index</h2>
        <dl class="table">
          {custom.health ? <Entry name="State" value={[custom.health.state, custom.health.reason].filter(Boolean).join(": ")} /> : null}
          <Entry name="Embeddings" value={`${status.provider}${status.model ? `, ${status.model}` : ""}`} />
          {(status.sourceCounts ?? []).map((/** @type {any} */ one) => (
            <Entry
              key={one.source}
              name={one.source === "sessions" ? "Conversations" : "Notes"}
              value={`${counted(one.files, "file")}, ${counted(one.chunks, "passage")}`}
            />
          ))}
          <Entry name="The index itself" value={size(index)} />
          <Entry name="Of it vectors" value={size(custom.sizes?.cache)} />
          <Entry name="Of it free" value={size(custom.sizes?.free)} />
          <Entry name="Records of automatic memory" value={size(disk.records)} />
          <Entry name="Other indexes" value={size(disk.otherIndexes)} />
          {status.fallback ? <Entry name="Without meaning" value={status.fallback.reason ?? status.fallback.from} /> : null}
        </dl>
      </section>
      <ByItself of={result} />
      <Usage costs={costs} mayChange={mayChange} again={again} />
      <Times times={result.times} />
      <section>
        <h2>
          Left out <span class="count">{scan.skipped.length + scan.moreSkipped}</span>
        </h2>
        {scan.skipped.length === 0 ? <Nothing>Every file is in memory.</Nothing> : null}
        <ul class="rows">
          {scan.skipped.map((/** @type {{path: string, reason: string}} */ one) => (
            <li class="row" key={one.path}>
              <p class="place">{one.path}</p>
              <p class="quiet">{one.reason}</p>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** @type {Record<string, string>} */
const NAMES = {
  recall: "Recall",
  capture: "Capture",
  captureOnCompaction: "Capture before compaction",
  shortTerm: "Short-term records",
  sessionNotes: "Session notes",
  storedFacts: "Stored facts",
  activeMemory: "Active memory",
  older: "Not as the configuration file says, until the gateway is restarted",
  error: "Wrong setting",
};

/** What a part is. @param {unknown} value */
function stateOf(value) {
  if (Array.isArray(value)) return value.join(", ");
  if (value instanceof Object && "message" in value) return String(value.message);
  return value === true ? "on" : value === false ? "off" : String(value);
}

/** @param {{of: {automatic: import("../../lib/page.d.ts").PageAutomatic, consolidation?: any}}} props */
const ByItself = ({ of: { automatic, consolidation } }) => (
  <section>
    <h2>What acts by itself</h2>
    <dl class="table">
      {Object.entries(automatic).map(([name, value]) => (
        <Entry key={name} name={NAMES[name] ?? name} value={stateOf(value)} />
      ))}
      <Entry name="Consolidation" value={consolidation?.settings?.mode ?? "off"} />
    </dl>
  </section>
);

/** @param {{label: string, value: string}} props */
const Figure = ({ label, value }) => (
  <div class="figure">
    <span class="value">{value}</span>
    <span class="label">{label}</span>
  </div>
);

/** @param {{times: {recalls: import("./plot.jsx").Timed[], searches: import("./plot.jsx").Timed[]}}} props */
function Times({ times: { recalls, searches } }) {
  if (recalls.length + searches.length === 0) return null;
  return (
    <section>
      <h2>How long it took since the gateway started</h2>
      <Plot name="Recalls" times={recalls} />
      <Plot name="Searches of the assistant" times={searches} />
    </section>
  );
}
