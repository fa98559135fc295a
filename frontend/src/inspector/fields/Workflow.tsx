import { useEffect, useId, useState } from "react";
import { ask } from "../../api";
import { state } from "../../store";
import { type ControlProps, TextControl, told } from "./simple";

interface Listed {
  name: string;
  title: string | null;
}

const QUIET_MS = 250;

/** The name of a workflow, chosen among those that one may read; another can be typed, too. */
export function WorkflowControl({ spot, shape, ids }: ControlProps) {
  const listId = useId();
  const [listed, setListed] = useState<Listed[]>([]);
  const [isAsked, setIsAsked] = useState(false);
  const name = typeof spot.value === "string" ? spot.value : "";
  useEffect(() => {
    if (!isAsked) return undefined;
    const stop = new AbortController();
    const timer = window.setTimeout(() => {
      const { urls } = state().boot;
      ask<{ results: Listed[] }>(`${urls.workflows}?limit=50&q=${encodeURIComponent(name)}`, {
        automatic: true,
        signal: stop.signal,
      }).then(
        ({ results }) => setListed(results),
        // Then it is a text like any other.
        () => undefined,
      );
    }, QUIET_MS);
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [isAsked, name]);
  if (spot.value !== undefined && typeof spot.value !== "string")
    return <TextControl spot={spot} shape={shape} ids={ids} />;
  const known = listed.find((each) => each.name === name);
  return (
    <>
      <input
        type="text"
        {...told(ids, shape)}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        value={name}
        placeholder="Name of a workflow"
        onFocus={() => setIsAsked(true)}
        onChange={(event) => spot.set(event.target.value || undefined, true)}
      />
      <datalist id={listId}>
        {listed.map((each) => (
          <option key={each.name} value={each.name}>
            {each.title ?? each.name}
          </option>
        ))}
      </datalist>
      {known && (
        <p className="help">
          {known.title && known.title !== known.name ? `${known.title}. ` : ""}
          <a
            href={`${state().boot.urls.workflow.replace(/[^/]+\/?$/, "")}${known.name}`}
            target="_blank"
            rel="noreferrer"
          >
            Open it
          </a>
        </p>
      )}
    </>
  );
}
