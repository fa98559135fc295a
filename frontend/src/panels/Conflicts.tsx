import { Icon } from "../Icon";
import type { Change } from "../model/changes";
import { at } from "../model/changes";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { type Conflict, act, state, useBuilder } from "../store";
import { resolve } from "../sync";

function shown(value: Json | undefined): string {
  if (value === undefined) return "(nothing)";
  return typeof value === "string" ? value || "(empty)" : JSON.stringify(value, null, 1);
}

function where(conflict: Conflict): string {
  const [root, key, ...rest] = conflict.path;
  if (root === "nodes") return `${titleOf(state().doc, key)}${rest.length ? `: ${rest.filter((part) => part !== "params").join(", ").replace(/_/g, " ")}` : ""}`;
  return conflict.path.filter((part) => part !== "settings").join(", ").replace(/_/g, " ");
}

/** The changes again, each from what stands there now. */
function over(changes: Change[]): Change[] {
  return changes.map((change) => {
    const { from: _old, ...rest } = change;
    const from = at(state().doc, change.path);
    return from === undefined ? rest : { ...rest, from };
  });
}

function heading(conflicts: Conflict[]): string {
  const refused = conflicts.filter((conflict) => conflict.refused).length;
  const both = conflicts.length - refused;
  const said = [];
  if (both) said.push(`${both === 1 ? "One field was" : `${both} fields were`} changed by somebody else, too`);
  if (refused) said.push(`${refused === 1 ? "One change" : `${refused} changes`} can't be saved`);
  return said.join("; ");
}

/** Fields that two people set at the same time: both values, and a choice. */
export function Conflicts() {
  const conflicts = useBuilder((now) => now.conflicts);
  if (conflicts.length === 0) return null;
  return (
    <section className="conflicts" role="alert" aria-label="Not saved yet">
      <h2>
        <Icon name="git-merge" /> {heading(conflicts)}
      </h2>
      <ul>
        {conflicts.map((conflict) => (
          <li key={`${conflict.group} ${conflict.path.join(".")}`}>
            <strong>{where(conflict)}</strong>
            {conflict.refused && <p>Not saved: {conflict.refused}</p>}
            <div className="both">
              <div>
                <small>{conflict.by && !conflict.refused ? `${conflict.by} wrote` : "There is now"}</small>
                <pre>{shown(conflict.theirs)}</pre>
                <button type="button" className="button plain small" onClick={() => resolve(conflict, "theirs", () => true)}>
                  Keep that
                </button>
              </div>
              <div>
                <small>You wrote</small>
                <pre>{shown(conflict.yours)}</pre>
                {conflict.refused && <button type="button" className="button plain small" onClick={() => void navigator.clipboard?.writeText(shown(conflict.yours))}>
                  Copy
                </button>}
                {!conflict.refused && <button type="button" className="button small" onClick={() => resolve(conflict, "yours", (changes) => act(conflict.label || "Use mine", over(changes)))}>
                  Use mine
                </button>}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
