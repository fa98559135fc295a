import { type ReactNode, useState } from "react";
import { Icon } from "../Icon";
import { setting } from "../model/changes";
import { titleOf } from "../model/graph";
import { act, set, state, theOne, useBuilder } from "../store";
import { Cases } from "./Cases";
import { Earlier } from "./Earlier";
import { Effects } from "./Effects";
import { Result } from "./Result";
import { SampleInput, useSample } from "./Sample";
import { type Chosen, stillThere } from "./asked";
import { partFor } from "./inner";
import { start } from "./trial";

/** Runs of the draft with sample input, and the test cases that are kept. */
export function Test() {
  const tab = useBuilder((now) => now.tests);
  const tabs = (
    <div className="switch" role="group" aria-label="Tests">
      <button type="button" aria-pressed={tab === "run"} onClick={() => set({ tests: "run" })}>
        Test run
      </button>
      <button type="button" aria-pressed={tab === "cases"} onClick={() => set({ tests: "cases" })}>
        Test cases
      </button>
    </div>
  );
  if (tab === "run")
    return (
      <div className="test">
        <Run tabs={tabs} />
      </div>
    );
  return (
    <div className="test">
      {tabs}
      <Cases />
    </div>
  );
}

/** Which part of the draft a test run does. */
export interface Part {
  until?: string;
  only?: string;
  from?: string;
}

function Run({ tabs }: { tabs: ReactNode }) {
  const boot = useBuilder((now) => now.boot);
  const doc = useBuilder((now) => now.doc);
  const trial = useBuilder((now) => now.trial);
  const one = useBuilder(theOne);
  const named = one && partFor(doc, one);
  const sample = useSample(named);
  const [choices, setChoices] = useState<Chosen>({ live: [], outcomes: {} });
  const [isBusy, setIsBusy] = useState(false);
  const { error, setError } = sample;
  const run = async (part: Part) => {
    setIsBusy(true);
    const values = await sample.values(part.only);
    if (values) setError((await start({ ...values, ...choices, ...part })) ?? "");
    setIsBusy(false);
  };
  const keepSample = async () => {
    const values = await sample.values();
    const change = values && setting(state().doc, ["settings", "metadata", "sample_input"], values.input);
    if (change) act("Save the sample input", [change]);
  };
  if (!boot.may_start)
    return (
      <>
        {tabs}
        <p className="quiet">
          {boot.archived
            ? "This workflow is archived. It can't run, not even as a test."
            : "You don't have permission to start runs or test runs."}
        </p>
      </>
    );
  const part = (words: string, icon: string, wanted: Part) => (
    <button type="button" className="button plain small" disabled={isBusy} onClick={() => void run(wanted)}>
      <Icon name={icon} />
      {words}
    </button>
  );
  const settings = (
    <section className="test-asked" aria-label="Test settings">
      <SampleInput sample={sample} title={named ? titleOf(doc, named) : ""} />
      <div className="test-choices">
        {boot.may_write && (
          <button type="button" className="button ghost small" onClick={() => void keepSample()}>
            <Icon name="save" />
            Save as sample input
          </button>
        )}
        <Effects choices={stillThere(doc, choices)} choose={setChoices} />
        {!trial && (
          <p className="quiet small test-none">
            A test publishes nothing and is not listed with the runs. Steps with outside effects (requests that change
            something, e-mails, jobs) are skipped unless you choose to run them for real. Requests that only read (GET,
            HEAD) are sent.
          </p>
        )}
      </div>
    </section>
  );
  const bar = (
    <>
      {tabs}
      <div className="test-bar" role="group" aria-label="Start a test run">
        <button type="button" className="button small" disabled={isBusy} onClick={() => void run({})}>
          <Icon name="play" />
          Run the draft
        </button>
        {named && part(`Up to ${titleOf(doc, named)}`, "target", { until: named })}
        {named && part(`Only ${titleOf(doc, named)}`, "circle-play", { only: named })}
      </div>
      <Earlier />
    </>
  );
  return (
    <div className="test-run">
      {!trial && <div className="test-head">{bar}</div>}
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
      {trial ? (
        <Result trial={trial} bar={bar} settings={settings} run={isBusy ? null : (wanted) => void run(wanted)} />
      ) : (
        settings
      )}
    </div>
  );
}
