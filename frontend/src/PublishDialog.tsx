import { useState } from "react";
import { Icon } from "./Icon";
import { Refused, ask } from "./api";
import type { CaseResult } from "./panels/asked";
import { AskDialog } from "./frame/AskDialog";
import { Consequences } from "./publish/Consequences";
import { hasErrors, say, set, state, useBuilder } from "./store";

interface Published {
  version?: number;
  number?: number;
}

/** A version of the draft, with a note. What is not saved yet is waited for; errors stand against it. */
export function PublishDialog() {
  const isOpen = useBuilder((now) => now.publishing);
  return isOpen ? <Asking /> : null;
}

function Asking() {
  const problems = useBuilder((now) => now.problems);
  const waiting = useBuilder((now) => now.pending.length);
  const latest = useBuilder((now) => now.boot.latest);
  const unread = useBuilder((now) => now.unread);
  const [note, setNote] = useState("");
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [fails, setFails] = useState(false);
  const stands = problems.filter((problem) => problem.severity === "error");
  const warnings = problems.length - stands.length;
  const publish = async (close: () => void, anyway = false) => {
    setIsBusy(true);
    setError("");
    const { boot, revision } = state();
    try {
      const made = await ask<Published>(`${boot.urls.api}/publish`, {
        method: "POST",
        body: { note, revision, despite_failing_cases: anyway },
      });
      const number = made.version ?? made.number ?? boot.latest;
      set({ boot: { ...state().boot, latest: number, published: Object.keys(state().doc.nodes) } });
      say(number === latest ? `Nothing has changed since version ${number}.` : `Published as version ${number}.`);
      close();
    } catch (why) {
      const failing = why instanceof Refused && why.code === "test_cases_failed";
      setFails(failing);
      if (failing) set({ failing: why.details.results as unknown as CaseResult[] });
      setError(why instanceof Refused ? why.message : "The server is not responding. Nothing was published.");
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <AskDialog
      title={`Publish version ${(latest ?? 0) + 1}`}
      className="publish-dialog"
      error={error}
      onClose={() => set({ publishing: false })}
      foot={(close) =>
        stands.length > 0 ? (
          <button
            type="button"
            className="button"
            onClick={() => {
              close();
              set({ panel: "problems" });
            }}
          >
            Show problems
          </button>
        ) : fails ? (
          <>
            <button type="button" className="button danger" disabled={isBusy} onClick={() => void publish(close, true)}>
              Publish anyway
            </button>
            <button
              type="button"
              className="button plain"
              onClick={() => {
                close();
                set({ panel: "test", tests: "cases" });
              }}
            >
              Show test cases
            </button>
          </>
        ) : (
          <button type="button" className="button" disabled={isBusy || waiting > 0} onClick={() => void publish(close)}>
            <Icon name="check" />
            {waiting ? "Saving first…" : isBusy ? "Publishing…" : "Publish"}
          </button>
        )
      }
    >
      {stands.length > 0 ? (
        <p className="bad-words">
          <Icon name="circle-alert" /> {stands.length === 1 ? "One problem stands" : `${stands.length} problems stand`}{" "}
          against it.
        </p>
      ) : (
        <p className="quiet">
          A published version never changes. New runs use it from now on.
          {warnings > 0 && ` There ${warnings === 1 ? "is one warning" : `are ${warnings} warnings`}.`}
        </p>
      )}
      {unread && (
        <p className="bad-words">
          The text has errors, so your latest changes are not in the draft and would not be published.
        </p>
      )}
      <Consequences />
      <label className="field">
        <span className="label">What’s new? (optional)</span>
        <input
          value={note}
          maxLength={2000}
          onChange={(event) => setNote(event.target.value)}
          onKeyDown={(event) => {
            const dialog = event.currentTarget.closest("dialog");
            const close = () => dialog?.close();
            if (event.key === "Enter" && !isBusy && !waiting && !hasErrors()) void publish(close);
          }}
        />
      </label>
    </AskDialog>
  );
}
