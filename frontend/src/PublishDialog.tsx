import { useCallback, useEffect, useState } from "react";
import { Icon } from "./Icon";
import { Refused, ask } from "./api";
import type { CaseResult } from "./panels/asked";
import { AskDialog } from "./frame/AskDialog";
import { Consequences } from "./publish/Consequences";
import { Findings } from "./publish/Findings";
import { type Mend, OLDER_RUNS, type Readiness, send, useReadiness } from "./publish/readiness";
import { hasErrors, say, set, state, useBuilder } from "./store";

interface Published {
  version: number;
  readiness?: Readiness;
}

/** A version of the draft, with a note. What is not saved yet is waited for; errors stand against it. */
export function PublishDialog() {
  const isOpen = useBuilder((now) => now.publishing);
  const [moving, setMoving] = useState<Moving | null>(null);
  if (moving) return <Moved {...moving} onClose={() => setMoving(null)} />;
  return isOpen ? <Asking onMove={setMoving} /> : null;
}

function Asking({ onMove }: { onMove: (moving: Moving) => void }) {
  const stands = useBuilder((now) => hasErrors(now));
  const waiting = useBuilder((now) => now.pending.length);
  const latest = useBuilder((now) => now.boot.latest);
  const unread = useBuilder((now) => now.unread);
  const { answer, failed, again } = useReadiness();
  const [note, setNote] = useState("");
  const [moves, setMoves] = useState(false);
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [fails, setFails] = useState(false);
  const blocked = stands || answer?.ready === false;
  const publish = async (close: () => void, anyway = false) => {
    setIsBusy(true);
    setError("");
    const { boot, revision } = state();
    try {
      const { version, readiness } = await ask<Published>(`${boot.urls.api}/publish`, {
        method: "POST",
        body: { note, revision, despite_failing_cases: anyway },
      });
      set({ boot: { ...state().boot, latest: version, published: Object.keys(state().doc.nodes) } });
      say(version === latest ? `Nothing has changed since version ${version}.` : `Published as version ${version}.`);
      const mend = moves && readiness?.findings.find(({ code }) => code === OLDER_RUNS)?.mend;
      close();
      if (mend) onMove({ version, mend });
    } catch (why) {
      const failing = why instanceof Refused && why.code === "test_cases_failed";
      setFails(failing);
      if (failing) set({ failing: why.details.results as unknown as CaseResult[] });
      setError(why instanceof Refused ? why.message : "The server is not responding. Nothing was published.");
      again();
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <AskDialog
      title={`Publish version ${answer?.version ?? (latest ?? 0) + 1}`}
      className="publish-dialog"
      error={error}
      onClose={() => set({ publishing: false })}
      foot={(close) =>
        blocked ? (
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
      {unread && (
        <p className="bad-words">
          The text has errors, so your latest changes are not in the draft and would not be published.
        </p>
      )}
      <Standing answer={answer} failed={failed} blocked={blocked} />
      {answer && (
        <Findings
          answer={answer}
          leave={() => set({ publishing: false })}
          again={again}
          moves={moves}
          setMoves={setMoves}
        />
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
            if (event.key === "Enter" && !isBusy && !waiting && !blocked) void publish(close);
          }}
        />
      </label>
    </AskDialog>
  );
}

/** Whether it is ready, in a sentence. */
function Standing({ answer, failed, blocked }: { answer: Readiness | null; failed: boolean; blocked: boolean }) {
  if (blocked)
    return (
      <p className="bad-words" role="status">
        <Icon name="circle-alert" /> Not ready: correct what blocks publishing first.
      </p>
    );
  if (answer === null)
    return (
      <p className="quiet" role="status">
        {failed ? "Whether it is ready can’t be checked now. Errors are refused when you publish." : "Checking…"}
      </p>
    );
  const isWarned = answer.findings.length > 0;
  return (
    <p className="ready-words" data-warned={isWarned || undefined} role="status">
      <Icon name={isWarned ? "triangle-alert" : "circle-check"} /> {isWarned ? "Ready, with warnings." : "Ready."} A
      published version never changes; new runs use it from now on.
    </p>
  );
}

interface Moving {
  version: number;
  mend: Mend;
}

/** Moves the open runs to the version that was just published, and says what became of that. */
function Moved({ version, mend, onClose }: Moving & { onClose: () => void }) {
  const [job, setJob] = useState<{ id: string; total: number } | null>(null);
  const [error, setError] = useState("");
  const move = useCallback(async () => {
    setError("");
    try {
      const made = await send(mend);
      setJob({ id: String(made.id), total: Number(made.total) });
    } catch (why) {
      const reason = why instanceof Refused ? why.message : "The server is not responding.";
      setError(`The runs were not moved. ${reason}`);
    }
  }, [mend]);
  useEffect(() => void move(), [move]);
  return (
    <AskDialog
      title={`Published as version ${version}`}
      className="publish-dialog"
      error={error}
      closes={job ? "Close" : "Cancel"}
      onClose={onClose}
      foot={() =>
        error ? (
          <button type="button" className="button" onClick={() => void move()}>
            Try again
          </button>
        ) : (
          job && (
            <a className="button" href={`/bulk-jobs/${job.id}`}>
              Show how it goes
            </a>
          )
        )
      }
    >
      <p role="status">
        {job
          ? `${job.total === 1 ? "1 open run is" : `${job.total} open runs are`} being moved to version ${version}. A run that does not fit stays on its version.`
          : error
            ? "The version is published."
            : "Moving the open runs…"}
      </p>
    </AskDialog>
  );
}
