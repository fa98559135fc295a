import { useEffect, useState } from "react";
import { Icon } from "../Icon";
import { Refused, ask } from "../api";
import { AskDialog, CodeField } from "../frame/AskDialog";
import type { Json, JsonObject } from "../model/json";
import { Unknown, masked, restored } from "../model/masking";
import { definition, say, set, state, useBuilder } from "../store";
import { type CaseResult, caseOf } from "./asked";
import { hasEnded } from "./trial";

interface Case {
  id: number;
  name: string;
  input: Json;
  stubs: JsonObject;
  expect: JsonObject;
  revision: number;
}

/** Test cases: kept with the workflow, run in memory at once, and before each publishing. */
export function Cases() {
  const boot = useBuilder((now) => now.boot);
  const trial = useBuilder((now) => now.trial);
  const [cases, setCases] = useState<Case[] | null>(null);
  const [results, setResults] = useState(() => byId(state().failing));
  const [error, setError] = useState("");
  const [name, setName] = useState("");
  const [edited, setEdited] = useState<Case | null>(null);
  const [gone, setGone] = useState<Case | null>(null);
  const url = `${boot.urls.api}/test-cases`;
  const tried = async (does: () => Promise<void>) => {
    setError("");
    try {
      await does();
    } catch (why) {
      setError(why instanceof Refused ? why.message : "The server is not responding.");
    }
  };
  const load = () => tried(async () => setCases((await ask<{ results: Case[] }>(`${url}?limit=200`)).results));
  useEffect(() => {
    set({ failing: [] });
    void load();
    // A result is of the draft as it was: of another one it says nothing.
    return useBuilder.subscribe(({ doc: now }, { doc: was }) => {
      if (
        now.nodes !== was.nodes ||
        now.edges !== was.edges ||
        now.settings !== was.settings ||
        now.layout.pins !== was.layout.pins
      )
        setResults(new Map());
    });
  }, []);
  const run = (ids?: number[]) =>
    tried(async () => {
      const body: JsonObject = { definition: definition(), ...(ids ? { ids } : {}) };
      const found = await ask<{ results: CaseResult[] }>(`${url}/run`, { method: "POST", body });
      setResults((before) => new Map([...before, ...byId(found.results)]));
      const failed = found.results.filter((each) => !each.passed).length;
      say(
        failed
          ? `${failed} of ${found.results.length} test cases failed.`
          : `${found.results.length} test case${found.results.length === 1 ? "" : "s"} passed.`,
        failed ? "bad" : "info",
      );
    });
  const record = () =>
    tried(async () => {
      if (!trial) return;
      const made = await ask<Case>(`${url}/record`, { method: "POST", body: { run_id: trial.id, name: name.trim() } });
      setName("");
      await load();
      say(`${made.name} was saved as a test case.`);
    });
  const remove = (each: Case) =>
    tried(async () => {
      await ask(`${url}/${each.id}`, { method: "DELETE" });
      setGone(each);
      await load();
    });
  const bringBack = ({ name, input, stubs, expect }: Case) =>
    tried(async () => {
      await ask(url, { method: "POST", body: { name, input, stubs, expect } });
      setGone(null);
      await load();
    });
  return (
    <div className="cases">
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
      {gone && (
        <p role="status">
          {gone.name} was deleted.{" "}
          <button type="button" className="link" onClick={() => void bringBack(gone)}>
            Restore
          </button>
        </p>
      )}
      {boot.may_write && trial && hasEnded(trial) && (
        <form
          className="case-new"
          onSubmit={(event) => {
            event.preventDefault();
            void record();
          }}
        >
          <label className="field">
            <span className="label">Save the last test run as a test case</span>
            <input
              required
              maxLength={200}
              value={name}
              placeholder="An order above the limit"
              onChange={(event) => setName(event.target.value)}
            />
          </label>
          <button type="submit" className="button small">
            <Icon name="plus" />
            Save test case
          </button>
        </form>
      )}
      {cases?.length === 0 && (
        <p className="quiet small">
          No test cases yet. Run a test; if the result is right, save it here. Publishing runs all test cases.
        </p>
      )}
      {cases && cases.length > 0 && (
        <button type="button" className="button small" onClick={() => void run()}>
          <Icon name="play" />
          Run all {cases.length}
        </button>
      )}
      <ul>
        {cases?.map((each) => {
          const result = results.get(each.id);
          return (
            <li key={each.id}>
              <span className="case-name">
                {result && (
                  <Icon
                    name={result.passed ? "circle-check" : "circle-x"}
                    className={result.passed ? "is-good" : "is-bad"}
                  />
                )}
                <strong>{each.name}</strong>
                {result && <span className="sr-only">{result.passed ? "passed" : "failed"}</span>}
                {result?.differences.map((difference) => (
                  <small key={difference.what} className="bad-words">
                    {difference.what}: expected {seen(difference.expected)}, got {seen(difference.got)}
                  </small>
                ))}
              </span>
              <button type="button" className="button plain small" onClick={() => void run([each.id])}>
                Run
              </button>
              {boot.may_write && (
                <>
                  <button type="button" className="button plain small" onClick={() => setEdited(each)}>
                    Edit
                  </button>
                  <button
                    type="button"
                    className="button plain small icon-only"
                    aria-label={`Delete ${each.name}`}
                    onClick={() => void remove(each)}
                  >
                    <Icon name="trash-2" />
                  </button>
                </>
              )}
            </li>
          );
        })}
      </ul>
      {edited && (
        <Edit
          of={edited}
          url={url}
          done={() => {
            setEdited(null);
            setResults(new Map());
            void load();
          }}
        />
      )}
    </div>
  );
}

function byId(results: CaseResult[]): Map<number, CaseResult> {
  return new Map(results.map((each) => [each.id, each]));
}

/** A value that differs, without what is secret in it. */
function seen(value: Json): string {
  return JSON.stringify(masked(value));
}

/** The server's words, with the field that they are about where they don't say it. */
function wordsOf(why: Refused): string {
  return why.status === 400 && why.field ? `${why.field}: ${why.message}` : why.message;
}

/** A case as JSON: what goes in, what stands in for the outside, what is expected. */
function Edit({ of, url, done }: { of: Case; url: string; done: () => void }) {
  const { name: oldName, input, stubs, expect } = of;
  const [name, setName] = useState(oldName);
  const was = { input, stubs, expect };
  const [text, setText] = useState(JSON.stringify(masked(was), null, 2));
  const [error, setError] = useState("");
  const save = async (close: () => void) => {
    try {
      const value = restored(caseOf(text), was) as JsonObject;
      await ask(`${url}/${of.id}`, { method: "PATCH", body: { ...value, name, revision: of.revision } });
      close();
    } catch (why) {
      setError(
        why instanceof Refused
          ? wordsOf(why)
          : why instanceof SyntaxError
            ? `This is not a valid test case: ${why.message}`
            : why instanceof Unknown
              ? why.message
              : "The server is not responding.",
      );
    }
  };
  return (
    <AskDialog
      title="Edit the test case"
      error={error}
      onClose={done}
      foot={(close) => (
        <button type="button" className="button" onClick={() => void save(close)}>
          Save
        </button>
      )}
    >
      <label className="field">
        <span className="label">Name</span>
        <input value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </label>
      <CodeField
        label="Input, stubs (outputs or errors of steps) and expected result"
        rows={14}
        value={text}
        onChange={setText}
      />
    </AskDialog>
  );
}
