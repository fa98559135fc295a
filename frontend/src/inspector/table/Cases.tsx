import { useEffect, useState } from "react";
import { Icon } from "../../Icon";
import { ask } from "../../api";
import { type Json, type JsonObject, isObject } from "../../model/json";
import { type Table, asResult, headOf, isCondition, resultText, without } from "../../model/tables";
import { Tool } from "../fields/Frame";
import { useTyped } from "../fields/simple";
import { routeOf } from "./Exchange";

interface Tried {
  passed: boolean;
  rows: number[];
  message: string;
}

interface Props {
  table: Table;
  params: JsonObject;
  put: (next: Partial<Table>, typing?: boolean) => void;
}

/** What each test case gives, a moment after the table was changed; null while nobody knows. */
function useTried(params: JsonObject, count: number): Tried[] | null {
  const [tried, setTried] = useState<Tried[] | null>(null);
  const asked = JSON.stringify(params);
  useEffect(() => {
    if (count === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = { params: JSON.parse(asked) as JsonObject };
      ask<{ results: Tried[] }>(routeOf("test"), { method: "POST", body, signal: stop.signal })
        .then(({ results }) => setTried(results))
        .catch(() => setTried(null));
    }, 300);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, count]);
  return count === 0 ? null : tried;
}

/** Values with the results that the table must give, run at once. */
export function Cases({ table, params, put }: Props) {
  const { tests, columns, hit } = table;
  const tried = useTried(params, tests.length);
  const conditions = columns.filter(isCondition).map(headOf);
  const results = columns.filter((column) => !isCondition(column)).map((column) => String(column.set));
  const change = (place: number, next: JsonObject) =>
    put({ tests: tests.map((test, at) => (at === place ? { ...test, ...next } : test)) }, true);
  const add = () => put({ tests: [...tests, { given: {}, expect: hit === "collect" ? [] : {} }] });
  return (
    <div className="table-cases" role="group" aria-label="Test cases">
      <h4>Test cases</h4>
      <ul className="insp-rows">
        {tests.map((test, at) => (
          <li key={at}>
            <div className="table-case">
              {conditions.map((title) => (
                <CaseField
                  key={title}
                  label={title}
                  name={`${title}, case ${at + 1}`}
                  value={isObject(test.given) ? test.given[title] : undefined}
                  onChange={(value) =>
                    change(at, { given: { ...(isObject(test.given) ? test.given : {}), [title]: value } })
                  }
                />
              ))}
              <Icon name="arrow-right" />
              <Expected test={test} at={at} results={results} hit={hit} onChange={(expect) => change(at, { expect })} />
            </div>
            <div className="row-foot">
              <Verdict tried={tried?.[at]} />
              <span className="row-tools">
                <Tool
                  icon="trash-2"
                  label={`Remove case ${at + 1}`}
                  onClick={() => put({ tests: without(tests, at) })}
                />
              </span>
            </div>
          </li>
        ))}
      </ul>
      <button type="button" className="button ghost small" onClick={add}>
        <Icon name="plus" />
        Add a test case
      </button>
    </div>
  );
}

function Verdict({ tried }: { tried: Tried | undefined }) {
  if (!tried) return <span className="quiet small">Not run: the table has errors, or was just changed.</span>;
  return (
    <span className="table-verdict small" data-passed={tried.passed}>
      <Icon name={tried.passed ? "circle-check" : "circle-x"} />
      {tried.passed ? "Passed. " : "Failed. "}
      {tried.message}
    </span>
  );
}

interface ExpectedProps {
  test: JsonObject;
  at: number;
  results: string[];
  hit: string;
  onChange: (expect: Json) => void;
}

function Expected({ test, at, results, hit, onChange }: ExpectedProps) {
  const { expect } = test;
  if (hit === "collect")
    return <JsonField name={`Expected rows, case ${at + 1}`} value={expect ?? []} onChange={onChange} />;
  const values = isObject(expect) ? expect : {};
  return (
    <>
      {expect !== null &&
        results.map((name) => (
          <CaseField
            key={name}
            label={name}
            name={`${name} expected, case ${at + 1}`}
            value={values[name]}
            onChange={(value) => onChange({ ...values, [name]: value })}
          />
        ))}
      <label className="check">
        <input
          type="checkbox"
          checked={expect === null}
          onChange={(event) => onChange(event.target.checked ? null : {})}
        />
        No row
      </label>
    </>
  );
}

interface FieldProps {
  label: string;
  name: string;
  value: Json | undefined;
  onChange: (value: Json) => void;
}

function CaseField({ label, name, value, onChange }: FieldProps) {
  const [text, setText] = useTyped(value, resultText, asResult);
  return (
    <label>
      <span className="small quiet">{label}</span>
      <input
        type="text"
        autoComplete="off"
        aria-label={name}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange(asResult(event.target.value));
        }}
      />
    </label>
  );
}

function JsonField({ name, value, onChange }: Omit<FieldProps, "label">) {
  const [text, setText] = useState(() => JSON.stringify(value ?? []));
  const set = (typed: string) => {
    setText(typed);
    try {
      onChange(JSON.parse(typed) as Json);
    } catch {
      // It is taken once it is JSON.
    }
  };
  return (
    <label>
      <span className="small quiet">Rows (JSON)</span>
      <input
        type="text"
        className="code"
        autoComplete="off"
        aria-label={name}
        value={text}
        onChange={(event) => set(event.target.value)}
      />
    </label>
  );
}
