import { useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../Icon";
import { remember } from "../kept";
import { setting } from "../model/changes";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { isObject, own } from "../model/json";
import { act, goTo, set, state, theOne, useBuilder } from "../store";
import { Cases } from "./Cases";
import { type Chosen, type Trial, type TrialStep, madeUpBefore, outcomesOf, stillThere } from "./asked";
import { forgetTrial, hasEnded, pin, pinWhatItGave, start, whole } from "./trial";

const WHY: Record<string, string> = {
  pinned: "pinned",
  side_effects: "not done: it has effects outside",
  waits: "not waited for",
  outside: "stood in for",
};

/** A step before the only one that is tested may give what it gave last, without a pin. */
function whyWords(why: string, isPinned: boolean): string {
  return why === "pinned" && !isPinned ? "as in the last test run" : WHY[why];
}

function shown(value: Json | undefined): string {
  return value === undefined || value === null ? "" : JSON.stringify(value, null, 2);
}

/** Runs of the draft with sample input, and the test cases that are kept. */
export function Test() {
  const tab = useBuilder((now) => now.tests);
  return (
    <div className="test">
      <div className="switch" role="group" aria-label="Tests">
        <button type="button" aria-pressed={tab === "run"} onClick={() => set({ tests: "run" })}>
          Test run
        </button>
        <button type="button" aria-pressed={tab === "cases"} onClick={() => set({ tests: "cases" })}>
          Test cases
        </button>
      </div>
      {tab === "run" ? <Run /> : <Cases />}
    </div>
  );
}

const keyOf = (name: string) => `handoff-test-input:${name}`;

function Run() {
  const boot = useBuilder((now) => now.boot);
  const doc = useBuilder((now) => now.doc);
  const trial = useBuilder((now) => now.trial);
  const one = useBuilder(theOne);
  const metadata = doc.settings.metadata;
  const sample = isObject(metadata) ? metadata.sample_input : undefined;
  const [text, setText] = useState(() => sessionStorage.getItem(keyOf(boot.name)) ?? shown(sample ?? {}));
  const [choices, setChoices] = useState<Chosen>({ live: [], outcomes: {} });
  const [error, setError] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => remember(keyOf(boot.name), text), [text]);
  const run = async (part: { until?: string; only?: string }) => {
    let input: Json;
    try {
      input = JSON.parse(text || "{}") as Json;
    } catch (why) {
      return setError(`The input can't be read: ${(why as Error).message}`);
    }
    setIsBusy(true);
    setError((await start({ input, ...choices, ...part })) ?? "");
    setIsBusy(false);
    return undefined;
  };
  const keepSample = () => {
    try {
      const change = setting(state().doc, ["settings", "metadata", "sample_input"], JSON.parse(text) as Json);
      if (change) act("Keep the sample input", [change]);
    } catch (why) {
      setError(`The input can't be read: ${(why as Error).message}`);
    }
  };
  if (!boot.may_start)
    return (
      <p className="quiet">
        {boot.archived
          ? "This workflow is archived: nothing of it runs, not even tests."
          : "You may not start runs, not even test runs."}
      </p>
    );
  return (
    <div className="test-run">
      <section className="test-asked" aria-label="What is tested">
        <label className="field">
          <span className="label">Sample input</span>
          <textarea
            className="code"
            rows={5}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Effects choices={stillThere(doc, choices)} choose={setChoices} />
        {error && (
          <p className="bad-words" role="alert">
            {error}
          </p>
        )}
        <div className="form-foot">
          <button type="button" className="button small" disabled={isBusy} onClick={() => void run({})}>
            <Icon name="play" />
            Run the draft
          </button>
          {one && (
            <>
              <button
                type="button"
                className="button plain small"
                disabled={isBusy}
                onClick={() => void run({ until: one })}
              >
                Up to {titleOf(doc, one)}
              </button>
              <button
                type="button"
                className="button plain small"
                disabled={isBusy}
                onClick={() => void run({ only: one })}
              >
                Only {titleOf(doc, one)}
              </button>
            </>
          )}
          {boot.may_write && (
            <button type="button" className="button plain small" onClick={keepSample}>
              Keep as the sample
            </button>
          )}
        </div>
      </section>
      {trial ? (
        <Result trial={trial} />
      ) : (
        <p className="quiet small test-none">
          Nothing is published by a test, it is in no list of runs, and what has effects outside (requests that change
          something, e-mails, jobs) is not done unless you say so. Requests that only read (GET, HEAD) are sent.
        </p>
      )}
    </div>
  );
}

interface Choices {
  choices: Chosen;
  choose: (choices: Chosen) => void;
}

/** What happens for real, and what people are taken to decide. */
function Effects({ choices, choose }: Choices) {
  const { live, outcomes } = choices;
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const outside = useMemo(
    () =>
      Object.keys(doc.nodes).filter(
        (id) => catalogue[doc.nodes[id].type]?.has_side_effects || catalogue[doc.nodes[id].type]?.waits,
      ),
    [doc.nodes, catalogue],
  );
  const pins = doc.layout.pins ?? {};
  const sent = outside.filter((id) => onlyReads(doc.nodes[id]) && !(id in pins));
  const effects = outside.filter((id) => !sent.includes(id));
  const people = effects.filter((id) => catalogue[doc.nodes[id].type]?.asks_people);
  const real = live.filter((id) => effects.includes(id)).length;
  return (
    <>
      {sent.length > 0 && (
        <p className="quiet small test-sent">
          Sent for real, since they only read: {sent.map((id) => titleOf(doc, id)).join(", ")}. Pin an output where a
          test must not ask.
        </p>
      )}
      {effects.length > 0 && (
        <details className="test-effects">
          <summary>
            {effects.length} step{effects.length === 1 ? "" : "s"} with effects outside{" "}
            {real ? `(${real} for real)` : effects.length === 1 ? "is not done" : "are not done"}
          </summary>
          <ul>
            {effects.map((id) => (
              <li key={id}>
                <label>
                  <input
                    type="checkbox"
                    checked={live.includes(id)}
                    onChange={(event) =>
                      choose({
                        live: event.target.checked ? [...live, id] : live.filter((each) => each !== id),
                        outcomes,
                      })
                    }
                  />{" "}
                  {titleOf(doc, id)} for real
                </label>
                {people.includes(id) && !live.includes(id) && (
                  <select
                    aria-label={`What is decided at ${titleOf(doc, id)}`}
                    value={outcomes[id] ?? ""}
                    onChange={(event) => choose({ live, outcomes: chosen(outcomes, id, event.target.value) })}
                  >
                    <option value="">the first outcome</option>
                    {outcomesOf(doc.nodes[id].params as Json).map((name) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** A request that asks and changes nothing: the server sends it in a test, too. */
function onlyReads(node: { type: string; params?: unknown }): boolean {
  const method = (node.params as { method?: unknown } | undefined)?.method;
  return node.type === "http.request" && typeof method === "string" && ["GET", "HEAD"].includes(method.toUpperCase());
}

function chosen(outcomes: Record<string, string>, id: string, name: string): Record<string, string> {
  const { [id]: _old, ...others } = outcomes;
  return name ? { ...others, [id]: name } : others;
}

function Result({ trial }: { trial: Trial }) {
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
        What came of it
      </h2>
      <header>
        <span className="status" data-status={trial.status}>
          {trial.status.toLowerCase().replace(/_/g, " ")}
        </span>
        <a href={`${urls.runs}${trial.id}`} target="_blank" rel="noopener">
          Open the run
        </a>
        <button type="button" className="link" onClick={forgetTrial}>
          Forget it
        </button>
      </header>
      {trial.error?.message && <p className="bad-words">{trial.error.message}</p>}
      {madeUp && mayWrite && (
        <p>
          What {titleOf(doc, madeUp)} gave was made up.{" "}
          <button type="button" className="link" onClick={() => setAsks(madeUp)}>
            Pin what it really gives…
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

/** What a step is to give in tests, written by hand: for what a test does not do, such as a job or a signal. */
function PinDialog({
  title,
  value,
  pin,
  done,
}: {
  title: string;
  value: Json;
  pin: (value: Json) => void;
  done: () => void;
}) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [error, setError] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const save = () => {
    try {
      pin(JSON.parse(text) as Json);
      dialog.current?.close();
    } catch (why) {
      setError(`This can't be read: ${(why as Error).message}`);
    }
  };
  return (
    <dialog ref={dialog} className="ask-dialog" aria-labelledby="pin-title" onClose={done}>
      <h2 id="pin-title">What {title} gives in tests</h2>
      <p className="quiet small">It is used in tests only, never by a run of a version.</p>
      <label className="field">
        <span className="label">Output as JSON</span>
        <textarea
          className="code"
          rows={8}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
      <div className="form-foot">
        <button type="button" className="button" onClick={save}>
          <Icon name="pin" />
          Pin it
        </button>
        <button type="button" className="button plain" onClick={() => dialog.current?.close()}>
          Not now
        </button>
      </div>
    </dialog>
  );
}

/** A value; `bytes` where it is not there yet because it is large. */
function Values({ title, value, bytes }: { title: string; value: Json | undefined; bytes?: number }) {
  return (
    <div>
      <h3>{title}</h3>
      <pre tabIndex={0}>{bytes ? `(${Math.ceil(bytes / 1024)} KiB, being fetched)` : shown(value) || "(nothing)"}</pre>
    </div>
  );
}
