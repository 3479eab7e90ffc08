// What would be forgotten with some lines of a note, and forgetting them.

import { useState } from "preact/hooks";
import { change } from "./ask.js";
import { Confirmed, Problem } from "./parts.jsx";
import { counted } from "./words.js";

/** @param {{path: string, lines: string, agentId: string}} props `lines` as `7-9`. */
export function Forget({ path, lines, agentId }) {
  const [plan, setPlan] = useState(/** @type {any} */ (null));
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState(/** @type {unknown} */ (null));
  const preview = () => change("planForget", { agentId, path, lines }).then(setPlan, setError);
  if (isDone)
    return (
      <p role="status">
        Forgotten, and kept out from now on. “What it did” takes it back.
        {plan.shared ? " Other gateways that share this memory follow with their next update, as far as docs/fleet.md says." : ""}
      </p>
    );
  return (
    <>
      {error ? <Problem error={error} /> : null}
      {plan ? (
        <>
          <p>
            Would take {counted(plan.chunks, "passage")} out of memory
            {plan.lines.length > 0 ? `, and ${counted(plan.lines.length, "line")} that memory wrote itself out of your notes` : ""}. Your
            own lines stay in your files, and it can be put back for seven days
            {plan.prompts > 0 ? `; what was put into prompts so far (${counted(plan.prompts, "block")}) goes for good` : ""}.
          </p>
          <Confirmed
            label="Forget"
            question="Forget this?"
            run={async () => {
              await change("applyForget", { agentId, id: plan.id });
              setDone(true);
            }}
          />
        </>
      ) : (
        <button type="button" class="small" onClick={preview}>
          What would be forgotten…
        </button>
      )}
    </>
  );
}
