import { Icon } from "../../Icon";
import type { Json } from "../../model/json";
import { type Shown, sampleWords } from "./scope";

const MOST = 600;

function said(value: Json): string {
  const text = typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value, null, 1);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}

const TYPES: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "yes or no",
  array: "list",
  object: "object",
  null: "nothing",
};

/** What an expression gives now, or why it gives nothing. */
export function Preview({ id, shown }: { id: string; shown: Shown | null }) {
  if (!shown) return <div className="preview" id={id} />;
  const { error, value, type, mismatch, cut, problems, sample } = shown;
  const isMissing = problems.filter((problem) => problem.code === "value_not_on_every_path");
  return (
    <div className="preview" id={id}>
      {error ? (
        <p className={error.code === "no_sample" ? "preview-none" : "preview-bad"}>
          <Icon name={error.code === "no_sample" ? "circle-help" : "circle-alert"} />
          <span>{error.message}</span>
        </p>
      ) : (
        <>
          <p className="preview-value">
            <code>{cut && (value === null || value === undefined) ? "(too long to show)" : said(value ?? null)}</code>
          </p>
          <p className="preview-from">
            {TYPES[type ?? ""] ?? type}
            {sampleWords(sample) && <>, {sampleWords(sample)}</>}
          </p>
          {mismatch && (
            <p className="preview-warning">
              <Icon name="triangle-alert" />
              <span>{mismatch}</span>
            </p>
          )}
        </>
      )}
      {isMissing.map((problem, at) => (
        <p className="preview-warning" key={at}>
          <Icon name="triangle-alert" />
          <span>May be missing: {problem.message}</span>
        </p>
      ))}
    </div>
  );
}
