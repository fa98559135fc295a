import { useEffect, useId, useRef, useState } from "react";
import { Icon } from "../Icon";
import { Refused } from "../api";
import { remember } from "../kept";
import type { Json } from "../model/json";
import { isObject } from "../model/json";
import { state, useBuilder } from "../store";
import { TrialFields } from "./TrialFields";
import { shown } from "./asked";
import { type Entries, type TrialForms, askForms, entriesOf, keepEntries, keptEntries, pinsWith } from "./trialForms";

const keyOf = (name: string) => `handoff-test-input:${name}`;
const modeKeyOf = (name: string) => `handoff-test-as:${name}`;
/** Who types in the inspector changes the step with each key. */
const PAUSE_MS = 400;

function isSound(text: string): boolean {
  try {
    return isObject(JSON.parse(text) as Json);
  } catch {
    return false;
  }
}

export type Sample = ReturnType<typeof useSample>;

/** The input of test runs: in fields where the workflow has a schema, as JSON for who wants it; values are kept. */
export function useSample(step: string | null) {
  const { name } = useBuilder((now) => now.boot);
  const doc = useBuilder((now) => now.doc);
  const metadata = doc.settings.metadata;
  const own = isObject(metadata) ? metadata.sample_input : undefined;
  const [text, setText] = useState(() => sessionStorage.getItem(keyOf(name)) ?? shown(own ?? {}));
  const [isJson, setIsJson] = useState(() => sessionStorage.getItem(modeKeyOf(name)) === "json");
  const [forms, setForms] = useState<TrialForms | null>(null);
  const [error, setError] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const schema = JSON.stringify(doc.settings.input_schema ?? null);
  const reads = step ? JSON.stringify([step, doc.nodes[step], doc.edges]) : "";
  const isWanted = schema !== "null" || step !== null;
  useEffect(() => remember(keyOf(name), text), [text, name]);
  useEffect(() => remember(modeKeyOf(name), isJson ? "json" : "form"), [isJson, name]);

  const typed = (): Entries => {
    const entries = form.current ? entriesOf(form.current) : [];
    const hasInput = entries.some(([key]) => key.startsWith("input"));
    return hasInput || isJson ? entries : [...(keptEntries(name) ?? []), ...entries];
  };
  const asked = useRef(0);
  const told = async (entries: Entries, more: Parameters<typeof askForms>[2]): Promise<TrialForms | null> => {
    const isBlank = !entries.some(([key]) => key.startsWith("input"));
    const sound = isSound(text) ? text : "{}";
    asked.current += 1;
    const own = asked.current;
    try {
      const answer = await askForms(entries, step, {
        ...more,
        text: sound,
        ...(isBlank && !more?.edit && { input: sound }),
      });
      // Somebody typed on, and asked again.
      if (own !== asked.current) return answer;
      setForms(answer);
      if (answer.input?.unplaced.length) setIsJson(true);
      return answer;
    } catch (why) {
      if (own === asked.current) setForms(null);
      if (more?.checked) setError(why instanceof Refused ? why.message : "The server is not responding.");
      return null;
    }
  };
  useEffect(() => {
    if (!isWanted) {
      setForms(null);
      return undefined;
    }
    let isOver = false;
    // Of another step nothing was typed yet.
    const load = () =>
      !isOver &&
      void told(
        typed().filter(([key]) => !key.startsWith("reads")),
        {},
      );
    const timer = window.setTimeout(load, forms === null ? 0 : PAUSE_MS);
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [schema, reads, isWanted]);

  const parsed = (): Json | undefined => {
    try {
      return JSON.parse(text || "{}") as Json;
    } catch (why) {
      setError(`The input is not valid JSON: ${(why as Error).message}`);
      return undefined;
    }
  };
  /** What a run is given, or null where something is wrong; `only`: a step that is tested alone. */
  const values = async (only?: string): Promise<{ input: Json; given?: Record<string, Json> } | null> => {
    setError("");
    const hasFields = forms !== null && (!isJson || forms.reads !== null);
    const answer = hasFields ? await told(typed(), { checked: true }) : null;
    if (hasFields && answer === null) return null;
    const input = answer?.input && !isJson ? answer.input : null;
    if (only ? answer?.reads?.right === false : input?.right === false) {
      setError("Correct the fields below. Nothing was started.");
      return null;
    }
    const given = input ? input.data : parsed();
    if (given === undefined) return null;
    const alone = only ? answer?.reads?.data : undefined;
    const part = isObject(alone?.input) ? alone.input : {};
    return {
      input: isObject(given) ? { ...given, ...part } : given,
      ...(alone && { given: pinsWith(alone.steps) }),
    };
  };
  const turn = async (toJson: boolean) => {
    setError("");
    if (toJson) {
      const answer = await told(typed(), {});
      if (answer?.input) setText(shown(answer.input.data));
      keepEntries(name, null);
      return setIsJson(true);
    }
    if (parsed() === undefined) return undefined;
    keepEntries(name, null);
    const answer = await told([], {});
    if (answer?.input?.unplaced.length) setError(`No field holds ${answer.input.unplaced.join(", ")}: it stays JSON.`);
    else setIsJson(false);
    return undefined;
  };
  return {
    text,
    setText,
    isJson,
    forms,
    form,
    error,
    setError,
    values,
    turn,
    edit: (edit: string) => void told(typed(), { edit }),
    /** The fields are on the page again: what was typed into them before is kept elsewhere. */
    reload: () => void (forms && told(typed(), {})),
    keep: () => keepEntries(state().boot.name, entriesOf(form.current)),
  };
}

export function SampleInput({ sample, title }: { sample: Sample; title: string }) {
  const { forms, isJson } = sample;
  const id = useId();
  const hasForm = forms?.input != null;
  const isShown = hasForm && !isJson;
  useEffect(sample.reload, []);
  return (
    <div className="test-sample">
      <div className="test-sample-head">
        {isShown ? <span className="label">Sample input</span> : <label htmlFor={id}>Sample input</label>}
        {hasForm && (
          <button type="button" className="button ghost small" onClick={() => void sample.turn(isShown)}>
            <Icon name={isShown ? "braces" : "list-checks"} />
            {isShown ? "Write it as JSON" : "Fill in the form"}
          </button>
        )}
      </div>
      {!isShown && (
        <textarea
          id={id}
          className="code"
          rows={6}
          spellCheck={false}
          value={sample.text}
          onChange={(event) => sample.setText(event.target.value)}
        />
      )}
      {forms && (isShown || forms.reads) && (
        <TrialFields
          forms={forms}
          form={sample.form}
          title={title}
          hasInput={isShown}
          edit={sample.edit}
          typed={sample.keep}
        />
      )}
    </div>
  );
}
