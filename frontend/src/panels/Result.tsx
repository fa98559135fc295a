import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Icon } from "../Icon";
import { Tool } from "../inspector/fields/Frame";
import { outputOf } from "../model/data";
import { titleOf } from "../model/graph";
import { own, same } from "../model/json";
import { goTo, theOne, useBuilder } from "../store";
import { PinDialog } from "./PinDialog";
import { StepList } from "./StepList";
import type { Part } from "./Test";
import { type Trial, type TrialStep, madeUpBefore } from "./asked";
import { Value } from "./data/Value";
import { type InnerStep, countsInWords, forItem, partFor, placeInWords } from "./inner";
import { forgetTrial, hasEnded, pin, pinWhatItGave, whole } from "./trial";

/** What is shown beside the list: what is asked for, the output of the run, or a step by its place. */
export type Shown = "settings" | "output" | number;

interface Props {
  trial: Trial;
  /** What starts another one. */
  bar: ReactNode;
  settings: ReactNode;
  /** Starts another test run of a part; null while one is being started. */
  run: ((part: Part) => void) | null;
}

/** What came of a test run: its steps, and what the chosen one took and gave. */
export function Result({ trial, bar, settings, run }: Props) {
  const doc = useBuilder((now) => now.doc);
  const urls = useBuilder((now) => now.boot.urls);
  const one = useBuilder(theOne);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const madeUp = madeUpBefore(doc, trial);
  const [asks, setAsks] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Shown>("output");
  const pins = doc.layout.pins ?? {};
  const at = one === null ? -1 : trial.steps.findIndex((step) => step.node === one && step.status !== "PENDING");
  useEffect(() => {
    // What is selected in the draft is shown; who chooses another step here goes on with the form that is open.
    if (at >= 0) setChosen(at);
  }, [one, at, trial.id]);
  const step = typeof chosen === "number" ? trial.steps[chosen] : undefined;
  return (
    <section className="test-result" aria-labelledby="trial-title" aria-busy={!hasEnded(trial)}>
      <h2 id="trial-title" className="sr-only">
        Test result
      </h2>
      <header className="test-head">
        {bar}
        <span className="status" data-status={trial.status}>
          {trial.status.toLowerCase().replace(/_/g, " ")}
        </span>
        <span className="test-links">
          <a href={`${urls.runs}${trial.id}`} target="_blank" rel="noopener">
            Open the run
          </a>
          <button type="button" className="link" onClick={forgetTrial}>
            Clear
          </button>
        </span>
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
        <StepList trial={trial} chosen={step || typeof chosen !== "number" ? chosen : "output"} choose={setChosen} />
        {step ? (
          <StepValues run={trial.id} step={step} ask={() => setAsks(step.node)} again={run} />
        ) : chosen === "settings" ? (
          settings
        ) : (
          <div className="test-values">
            <div className="test-data">
              <Value title="Output of the run" value={trial.output} of={trial.id} root={null} />
            </div>
          </div>
        )}
      </div>
      {asks !== null && (
        <PinDialog
          title={titleOf(doc, asks)}
          value={own(pins, asks) ?? trial.steps.find((each) => each.node === asks)?.output ?? {}}
          pin={(value) => pin(asks, value)}
          done={() => setAsks(null)}
        />
      )}
    </section>
  );
}

interface ItemsProps {
  inner: InnerStep;
  shown: "first" | "failed";
  show: (sort: "first" | "failed") => void;
}

/** Of which item the values are that stand below, and how the step stands over all of them. */
function OfItems({ inner, shown, show }: ItemsProps) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const of = (sort: "first" | "failed") => {
    const example = inner[sort];
    if (!example) return "";
    const place = placeInWords(doc, catalogue, inner.container, example.places);
    return sort === "failed" ? `${place}, failed` : place;
  };
  const [first, failed] = [of("first"), of("failed")];
  const only = first || failed;
  return (
    <>
      {first && failed ? (
        <span className="switch" role="group" aria-label="Which item is shown">
          {(["first", "failed"] as const).map((sort) => (
            <button key={sort} type="button" aria-pressed={shown === sort} onClick={() => show(sort)}>
              {of(sort)}
            </button>
          ))}
        </span>
      ) : (
        only && <span className="quiet small">{only}</span>
      )}
      <span className="quiet small">{countsInWords(inner)}</span>
    </>
  );
}

interface StepProps {
  run: string;
  step: TrialStep;
  ask: () => void;
  again: Props["run"];
}

function StepValues({ run, step: listed, ask, again }: StepProps) {
  const doc = useBuilder((now) => now.doc);
  const [sort, setSort] = useState<"first" | "failed">("first");
  const example = listed.inner?.[sort];
  const told = useMemo(() => (example ? forItem(listed, example) : listed), [listed, example]);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const pinned = own(doc.layout.pins, told.node);
  const [fetched, setFetched] = useState<{ told: TrialStep; step: TrialStep } | null>(null);
  const step = fetched?.told === told ? fetched.step : told;
  useEffect(() => {
    let isOld = false;
    const show = (found: TrialStep) => {
      if (!isOld) setFetched({ told, step: found });
    };
    // What was left out because it is large is fetched for who looks at it.
    if (told.truncated) whole(run, told).then(show, () => undefined);
    return () => {
      isOld = true;
    };
  }, [run, told]);
  const isThere = Object.hasOwn(doc.nodes, step.node);
  const isDone = step.status === "COMPLETED";
  const of = `${step.run_id ?? run} ${step.node} ${step.index ?? ""}`;
  const from = partFor(doc, step.node);
  return (
    <div className="test-values">
      <div className="test-step-head">
        <strong>{titleOf(doc, step.node)}</strong>
        {step.inner && <OfItems inner={step.inner} shown={sort} show={setSort} />}
        <span className="test-verbs">
          {isThere && (
            <>
              <button
                type="button"
                className="button ghost small"
                disabled={again === null}
                title="The steps before it keep their last outputs"
                onClick={() => again?.({ from })}
              >
                <Icon name="skip-forward" />
                {from === step.node ? "Run from here" : `Run from ${titleOf(doc, from)}`}
              </button>
              <Tool icon="square-pen" label="Edit the step" onClick={() => goTo(step.node)} />
            </>
          )}
          {mayWrite && isThere && pinned !== undefined && (
            <button type="button" className="button ghost small" onClick={() => pin(step.node, undefined)}>
              <Icon name="pin-off" />
              Unpin the output
            </button>
          )}
          {mayWrite && isThere && isDone && (pinned === undefined || !same(pinned, step.output)) && (
            <button type="button" className="button ghost small" onClick={() => void pinWhatItGave(run, step)}>
              <Icon name="pin" />
              {pinned === undefined ? "Pin this output" : "Pin this output instead"}
            </button>
          )}
          {mayWrite && isThere && (
            <Tool
              icon="pencil"
              label={pinned === undefined ? "Pin another output…" : "Change the pinned output…"}
              onClick={ask}
            />
          )}
        </span>
      </div>
      {step.error?.message && <p className="bad-words">{step.error.message}</p>}
      <div className="test-data">
        <Value
          title="Input"
          value={step.input}
          of={of}
          bytes={step.truncated?.input}
          root={{ path: "prev", step: step.node, isInput: true }}
        />
        <Value
          title="Output"
          value={step.output}
          of={of}
          bytes={step.truncated?.output}
          pinned={isDone ? pinned : undefined}
          root={{ path: outputOf(step.node), step: step.node, isInput: false }}
        />
      </div>
    </div>
  );
}
