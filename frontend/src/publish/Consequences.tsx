import { useEffect, useState } from "react";
import { ask } from "../api";
import { type Doc, keyed } from "../model/document";
import type { JsonObject } from "../model/json";
import { Differences, differenceWords, differences } from "../panels/Differences";
import type { Version } from "../panels/History";
import type { CaseResult } from "../panels/asked";
import { definition, state, useBuilder } from "../store";

/** What is not known yet, or couldn't be asked. */
type Answer<T> = T | "asking" | "unknown";

/** What is told to who publishes, asked once when the dialog opens. */
function useAnswerOnce<T>(fetch: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>("asking");
  useEffect(() => {
    fetch().then(setAnswer, () => setAnswer("unknown"));
  }, []);
  return answer;
}

/** What comes of publishing: what is different then, and how the test cases stand. */
export function Consequences() {
  return (
    <dl className="consequences">
      <div>
        <dt>Differences</dt>
        <dd>
          <Different />
        </dd>
      </div>
      <div>
        <dt>Test cases</dt>
        <dd>
          <CaseState />
        </dd>
      </div>
    </dl>
  );
}

async function published(): Promise<{ number: number; doc: Doc } | null> {
  const { urls, latest } = state().boot;
  if (latest === null) return null;
  const found = await ask<Version>(`${urls.api}/versions/${latest}`);
  return { number: latest, doc: keyed(found.definition ?? {}, (found.layout ?? {}) as JsonObject) };
}

function Different() {
  const doc = useBuilder((now) => now.doc);
  const cannot = useBuilder((now) => now.cannot);
  const before = useAnswerOnce(published);
  if (before === "asking") return "Comparing…";
  if (before === "unknown" || cannot !== null) return "The draft can't be compared with the published version now.";
  if (before === null) return "This is the first version.";
  const changes = differences(before.doc, doc);
  if (changes.length === 0) return `None: the draft is the same as version ${before.number}, which stays.`;
  return (
    <>
      {differenceWords(changes)} since version {before.number}.
      <details>
        <summary>Show them field by field</summary>
        <div className="differences-box" tabIndex={0} role="region" aria-label="Differences field by field">
          <Differences version={before.number} before={before.doc} doc={doc} changes={changes} />
        </div>
      </details>
    </>
  );
}

async function caseResults(): Promise<CaseResult[]> {
  const url = `${state().boot.urls.api}/test-cases`;
  const { results } = await ask<{ results: { id: number }[] }>(`${url}?limit=1`);
  if (!results.length) return [];
  const body: JsonObject = { definition: definition() };
  return (await ask<{ results: CaseResult[] }>(`${url}/run`, { method: "POST", body })).results;
}

function CaseState() {
  const results = useAnswerOnce(caseResults);
  if (results === "asking") return "Running…";
  if (results === "unknown") return "They can't be run right now; they run when you publish.";
  if (results.length === 0) return "There are none.";
  const failed = results.filter((each) => !each.passed).length;
  if (failed) return <span className="bad-words">{`${failed} of ${results.length} fail.`}</span>;
  return results.length === 1 ? "The only test case passes." : `All ${results.length} pass.`;
}
