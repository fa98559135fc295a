import { Icon } from "../Icon";
import type { Change } from "../model/changes";
import { at, isMove } from "../model/changes";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { type Conflict, act, state, useBuilder } from "../store";
import { resolve } from "../sync";

function shown(value: Json | undefined): string {
  if (value === undefined) return "(nothing)";
  return typeof value === "string" ? value || "(empty)" : JSON.stringify(value, null, 1);
}

function where(path: string[]): string {
  const { doc } = state();
  const [root, key, ...rest] = path;
  const inside = rest
    .filter((part) => part !== "params")
    .join(", ")
    .replace(/_/g, " ");
  if (root === "nodes") return `${titleOf(doc, key)}${inside ? `: ${inside}` : ""}`;
  const [from, to] = key?.split(/[>#]/) ?? [];
  if (root === "edges" && to) return `${titleOf(doc, from)} → ${titleOf(doc, to)}${inside ? `: ${inside}` : ""}`;
  return path
    .filter((part) => part !== "settings")
    .join(", ")
    .replace(/_/g, " ");
}

/** Everything that is not saved with it: what is refused is refused whole. Where steps stand is said only if nothing else is. */
function lost(conflict: Conflict): Change[] {
  const values = conflict.changes.filter((change) => change.path[0] !== "layout");
  return values.length ? values : conflict.changes;
}

/** All of it as one text, to be kept somewhere else. */
function allOf(changes: Change[]): string {
  return changes.length === 1
    ? shown(changes[0].to)
    : changes.map((change) => `${where(change.path)}\n${shown(change.to)}`).join("\n\n");
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
  if (both) said.push(`${both === 1 ? "One field was" : `${both} fields were`} also changed by someone else`);
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
            {conflict.refused ? <Refused conflict={conflict} /> : <Choice conflict={conflict} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One field, and the two values that it could have. */
function Choice({ conflict }: { conflict: Conflict }) {
  return (
    <>
      <strong>{where(conflict.path)}</strong>
      <div className="both">
        <div>
          <small>{conflict.by ? `${conflict.by} wrote` : "Current value"}</small>
          <pre>{shown(conflict.theirs)}</pre>
          <button type="button" className="button plain small" onClick={() => resolve(conflict, "theirs", () => true)}>
            Keep current
          </button>
        </div>
        <div>
          <small>You wrote</small>
          <pre>{shown(conflict.yours)}</pre>
          <button
            type="button"
            className="button small"
            onClick={() => resolve(conflict, "yours", (changes) => act(conflict.label || "Use mine", over(changes)))}
          >
            Use mine
          </button>
        </div>
      </div>
    </>
  );
}

/** What the server takes from nobody: all that was done in one go, so that none of it is lost. */
function Refused({ conflict }: { conflict: Conflict }) {
  const changes = lost(conflict);
  return (
    <>
      <strong>{conflict.label || where(conflict.path)}</strong>
      <p>Not saved: {conflict.refused}</p>
      {changes.map((change, place) => (
        <div className="both" key={`${change.path.join(".")} ${place}`} role="group" aria-label={where(change.path)}>
          <div>
            <small>{where(change.path)} is now</small>
            <pre>{shown(at(state().doc, change.path))}</pre>
          </div>
          <div>
            <small>You wrote</small>
            <pre>{isMove(change) ? "(moved in the order)" : shown(change.to)}</pre>
          </div>
        </div>
      ))}
      <div className="insp-actions">
        <button
          type="button"
          className="button plain small"
          onClick={() => void navigator.clipboard?.writeText(allOf(changes))}
        >
          Copy
        </button>
        <button type="button" className="button plain small" onClick={() => resolve(conflict, "theirs", () => true)}>
          Discard mine
        </button>
      </div>
    </>
  );
}
