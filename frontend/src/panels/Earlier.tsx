import { useRef, useState } from "react";
import { momentOf } from "../reader";
import { useBuilder } from "../store";
import { hasEnded, showEarlier } from "./trial";

/** The last test runs of this tab: one press shows one again. */
export function Earlier() {
  const runs = useBuilder((now) => now.earlier);
  const trial = useBuilder((now) => now.trial);
  const [isOpen, setIsOpen] = useState(false);
  const list = useRef<HTMLDetailsElement>(null);
  if (!runs.length) return null;
  const show = (id: string) => {
    if (list.current) list.current.open = false;
    void showEarlier(id);
  };
  return (
    <details className="earlier" ref={list} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Earlier test runs ({runs.length})</summary>
      {isOpen && (
        <ol>
          {runs.map((run) => (
            <li key={run.id}>
              <button
                type="button"
                className="earlier-run"
                aria-current={run.id === trial?.id}
                onClick={() => show(run.id)}
              >
                <span className="status" data-status={run.status}>
                  {run.status.toLowerCase().replace(/_/g, " ")}
                </span>
                <span>
                  {momentOf(run.at)}{" "}
                  <small className="quiet">{`draft ${run.revision}${run.part && `, ${run.part}`}`}</small>
                </span>
                {!hasEnded(run) && <span className="sr-only">, still open when last checked</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}
