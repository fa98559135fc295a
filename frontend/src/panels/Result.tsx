import { useEffect, useState } from "react";
import { Icon } from "../Icon";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { own } from "../model/json";
import { goTo, theOne, useBuilder } from "../store";
import { PinDialog } from "./PinDialog";
import { type Trial, type TrialStep, madeUpBefore, shown } from "./asked";
import { forgetTrial, hasEnded, pin, pinWhatItGave, whole } from "./trial";

const WHY: Record<string, string> = {
  pinned: "pinned",
  side_effects: "skipped: it has outside effects",
  waits: "skipped the wait",
  outside: "stubbed",
};

/** A step before the only one that is tested may give what it gave last, without a pin. */
function whyWords(why: string, isPinned: boolean): string {
  return why === "pinned" && !isPinned ? "as in the last test run" : WHY[why];
}

/** What came of a test run: its steps, and what the selected one took and gave. */
export function Result({ trial }: { trial: Trial }) {
  const doc = useBuilder((now) => now.doc);
  const urls = useBuilder((now) => now.boot.urls);
  const one = useBuilder(theOne);
  const stubbed = new Map(trial.stubbed.map((each) => [each.node, each]));
  const steps = trial.steps.filter((step) => step.status !== "PENDING");
  const chosenStep = trial.steps.find((step) => step.node === one);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const madeUp = madeUpBefore(doc, trial);
  const [asks, setAsks] = useState<string | null>(null);
  const pins = doc.layout.pins ?? {};
  return (
    <section className="test-result" aria-labelledby="trial-title" aria-busy={!hasEnded(trial)}>
      <h2 id="trial-title" className="sr-only">
        Test result
      </h2>
      <header>
        <span className="status" data-status={trial.status}>
          {trial.status.toLowerCase().replace(/_/g, " ")}
        </span>
        <a href={`${urls.runs}${trial.id}`} target="_blank" rel="noopener">
          Open the run
        </a>
        <button type="button" className="link" onClick={forgetTrial}>
          Clear
        </button>
      </header>
      {trial.error?.message && <p className="bad-words">{trial.error.message}</p>}
      {madeUp && mayWrite && (
        <p>
          The output of {titleOf(doc, madeUp)} was made up.{" "}
          <button type="button" className="link" onClick={() => setAsks(madeUp)}>
            Pin its real output…
          </button>
        </p>
      )}
      <div className="test-both">
        <ol>
          {steps.map((step) => (
            <li key={step.node}>
              <button
                type="button"
                className="test-step"
                aria-pressed={step.node === one}
                onClick={() => goTo(step.node)}
              >
                <span className="status" data-status={step.status}>
                  {step.status.toLowerCase()}
                </span>
                {titleOf(doc, step.node)}
                {stubbed.has(step.node) && (
                  <small className="quiet">
                    {whyWords(stubbed.get(step.node)?.why ?? "", Object.hasOwn(doc.layout.pins ?? {}, step.node))}
                    {stubbed.get(step.node)?.made_up ? ", output made up" : ""}
                  </small>
                )}
              </button>
            </li>
          ))}
        </ol>
        {chosenStep ? (
          <StepValues
            key={`${trial.id} ${chosenStep.node}`}
            run={trial.id}
            step={chosenStep}
            ask={() => setAsks(chosenStep.node)}
          />
        ) : (
          <Values title="Output of the run" value={trial.output} />
        )}
      </div>
      {asks !== null && (
        <PinDialog
          title={titleOf(doc, asks)}
          value={own(pins, asks) ?? trial.steps.find((step) => step.node === asks)?.output ?? {}}
          pin={(value) => pin(asks, value)}
          done={() => setAsks(null)}
        />
      )}
    </section>
  );
}

function StepValues({ run, step: told, ask }: { run: string; step: TrialStep; ask: () => void }) {
  const doc = useBuilder((now) => now.doc);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const isPinned = Object.hasOwn(doc.layout.pins ?? {}, told.node);
  const [step, setStep] = useState(told);
  useEffect(() => {
    setStep(told);
    // What was left out because it is large is fetched for who looks at it.
    if (told.truncated) whole(run, told).then(setStep, () => undefined);
  }, [told]);
  return (
    <div className="test-values">
      {step.error?.message && <p className="bad-words">{step.error.message}</p>}
      <Values title="Input" value={step.input} bytes={step.truncated?.input} />
      <Values title="Output" value={step.output} bytes={step.truncated?.output} />
      {mayWrite && (
        <div className="form-foot">
          {isPinned ? (
            <button type="button" className="button plain small" onClick={() => pin(step.node, undefined)}>
              <Icon name="pin-off" />
              Unpin the output
            </button>
          ) : (
            step.status === "COMPLETED" && (
              <button type="button" className="button plain small" onClick={() => void pinWhatItGave(run, step)}>
                <Icon name="pin" />
                Pin this output
              </button>
            )
          )}
          <button type="button" className="button plain small" onClick={ask}>
            {isPinned ? "Change the pinned output…" : "Pin another output…"}
          </button>
        </div>
      )}
    </div>
  );
}

/** A value; `bytes` where it is not there yet because it is large. */
function Values({ title, value, bytes }: { title: string; value: Json | undefined; bytes?: number }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre tabIndex={0}>{bytes ? `(${Math.ceil(bytes / 1024)} KiB, loading…)` : shown(value) || "(nothing)"}</pre>
    </div>
  );
}
