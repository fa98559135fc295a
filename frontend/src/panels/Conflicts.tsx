import { useEffect, useRef } from "react";
import { Icon } from "../Icon";
import { isOfDeleted } from "../meeting";
import type { Change } from "../model/changes";
import { at, isMove } from "../model/changes";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { type Conflict, set, state, useBuilder, wantFocus } from "../store";
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

function heading(conflicts: Conflict[]): string {
  const refused = conflicts.filter((conflict) => conflict.refused).length;
  const { doc } = state();
  const deleted = conflicts.filter((conflict) => !conflict.refused && isOfDeleted(doc, conflict)).length;
  const both = conflicts.length - refused - deleted;
  const said = [];
  if (both) said.push(`${both === 1 ? "One field was" : `${both} fields were`} also changed by someone else`);
  if (deleted) {
    const changes = deleted === 1 ? "One change is" : `${deleted} changes are`;
    said.push(`${changes} of a step that someone else deleted`);
  }
  if (refused) said.push(`${refused === 1 ? "One change" : `${refused} changes`} can't be saved`);
  return said.join("; ");
}

/** Fields that two people set at the same time, beside the canvas: both values, and a choice for each or for all. */
export function Conflicts() {
  const conflicts = useBuilder((now) => now.conflicts);
  const isShown = useBuilder((now) => now.showsConflicts);
  const focus = useBuilder((now) => now.focus);
  const pane = useRef<HTMLElement>(null);
  const both = conflicts.filter((conflict) => !conflict.refused);
  useEffect(() => {
    if (focus?.what === "conflicts") pane.current?.querySelector<HTMLElement>("li button")?.focus();
  }, [focus]);
  if (conflicts.length === 0 || !isShown) return null;
  const end = (some: Conflict[], choice: "mine" | "theirs") => {
    resolve(some, choice);
    // The button that was pressed is gone: on with the next one, or back to the steps.
    wantFocus(state().conflicts.length ? "conflicts" : "outline");
  };
  const close = () => {
    set({ showsConflicts: false });
    document.querySelector<HTMLElement>("[data-conflicts]")?.focus();
  };
  return (
    <aside
      className="conflicts"
      ref={pane}
      aria-label="Not saved yet"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
    >
      <header>
        <h2>
          <Icon name="git-merge" /> {heading(conflicts)}
        </h2>
        <button type="button" className="button plain small icon-only" aria-label="Close the list" onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      {both.length > 1 && (
        <div className="conflicts-all" role="group" aria-label="All at once">
          <button type="button" className="button plain small" onClick={() => end(both, "mine")}>
            Keep all mine
          </button>
          <button type="button" className="button plain small" onClick={() => end(both, "theirs")}>
            Take all theirs
          </button>
        </div>
      )}
      <ul>
        {conflicts.map((conflict) => (
          <li key={`${conflict.group} ${conflict.path.join(".")}`}>
            {conflict.refused ? (
              <Refused conflict={conflict} discard={() => end([conflict], "theirs")} />
            ) : (
              <Choice conflict={conflict} choose={(choice) => end([conflict], choice)} />
            )}
          </li>
        ))}
      </ul>
    </aside>
  );
}

/** One field, and the two values that it could have. */
function Choice({ conflict, choose }: { conflict: Conflict; choose: (choice: "mine" | "theirs") => void }) {
  const place = where(conflict.path);
  const theirs = isOfDeleted(state().doc, conflict) ? "(the step is deleted)" : shown(conflict.theirs);
  return (
    <div role="group" aria-label={place}>
      <strong>{place}</strong>
      <div className="both">
        <div>
          <small>Mine</small>
          <pre tabIndex={0}>{shown(conflict.yours)}</pre>
          <button type="button" className="button small" onClick={() => choose("mine")}>
            Keep mine
          </button>
        </div>
        <div>
          <small>{conflict.by ? `Theirs (${conflict.by})` : "Theirs"}</small>
          <pre tabIndex={0}>{theirs}</pre>
          <button type="button" className="button plain small" onClick={() => choose("theirs")}>
            Take theirs
          </button>
        </div>
      </div>
    </div>
  );
}

/** What the server takes from nobody: all that was done in one go, so that none of it is lost. */
function Refused({ conflict, discard }: { conflict: Conflict; discard: () => void }) {
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
        <button type="button" className="button plain small" onClick={discard}>
          Discard mine
        </button>
      </div>
    </>
  );
}
