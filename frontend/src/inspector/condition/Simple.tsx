import { useState } from "react";
import { Icon } from "../../Icon";
import { Pick } from "../expression/Pick";
import { type ScopePlace, useScope } from "../expression/scope";
import { Tool } from "../fields/Frame";
import { ALONE, type Clause, type Condition, OPERATORS, type Operator, quoted, unquoted, written } from "./clauses";

interface Props {
  condition: Condition;
  place: ScopePlace;
  describedBy?: string;
  isInvalid: boolean;
  onChange: (text: string, typing: boolean) => void;
}

/** A condition without writing it: a value, what is asked of it, and with what it is compared. */
export function Simple({ condition, place, describedBy, isInvalid, onChange }: Props) {
  const [picking, setPicking] = useState<number | null>(null);
  const scope = useScope(place, true);
  const { clauses, all } = condition;
  const typeOf = (path: string) => scope?.entries.find((entry) => entry.path === path)?.type;
  const put = (at: number, changed: Partial<Clause>, typing = false) => {
    const next = clauses.map((clause, each) => (each === at ? { ...clause, ...changed } : clause));
    onChange(written({ clauses: next, all }), typing);
  };
  const picked = (path: string) => {
    const at = picking as number;
    setPicking(null);
    if (at < clauses.length) return put(at, { path });
    const type = typeOf(path) ?? "";
    const operator: Operator = type === "boolean" ? "true" : /integer|number/.test(type) ? ">" : "==";
    return onChange(
      written({ clauses: [...clauses, { path, operator, value: /integer|number/.test(type) ? "0" : '""' }], all }),
      false,
    );
  };
  return (
    <div className="clauses">
      {clauses.map((clause, at) => (
        <div className="clause" key={at} role="group" aria-label={`Condition ${at + 1}`}>
          {at > 0 && (
            <select
              aria-label="Combine conditions with"
              className="joint"
              value={all ? "and" : "or"}
              onChange={(event) => onChange(written({ clauses, all: event.target.value === "and" }), false)}
            >
              <option value="and">and</option>
              <option value="or">or</option>
            </select>
          )}
          <div className="clause-path">
            <button
              type="button"
              className="button plain small"
              aria-haspopup="dialog"
              title={clause.path}
              onClick={() => setPicking(at)}
            >
              <span className="sr-only">Value: </span>
              <code>{clause.path}</code>
              <Icon name="chevron-down" />
            </button>
            <Tool
              icon="x"
              label={`Remove condition ${at + 1}`}
              onClick={() => onChange(written({ clauses: clauses.filter((_, each) => each !== at), all }), false)}
            />
          </div>
          <div className="clause-rest">
            <select
              aria-label="Operator"
              value={clause.operator}
              onChange={(event) =>
                put(at, {
                  operator: event.target.value as Operator,
                  value: clause.value || (ALONE.has(event.target.value as Operator) ? "" : '""'),
                })
              }
            >
              {OPERATORS.map(([operator, words]) => (
                <option key={operator} value={operator}>
                  {words}
                </option>
              ))}
            </select>
            {!ALONE.has(clause.operator) && (
              <Compared
                clause={clause}
                type={typeOf(clause.path)}
                describedBy={describedBy}
                isInvalid={isInvalid}
                onChange={(value) => put(at, { value }, true)}
              />
            )}
          </div>
        </div>
      ))}
      <button
        type="button"
        className="button plain small"
        aria-haspopup="dialog"
        data-starts={clauses.length === 0 || undefined}
        onClick={() => setPicking(clauses.length)}
      >
        <Icon name="plus" />
        {clauses.length ? "Another condition" : "Choose a value"}
      </button>
      {picking !== null && (
        <Pick place={place} title="Choose a value" onPick={picked} onClose={() => setPicking(null)} />
      )}
    </div>
  );
}

interface ComparedProps {
  clause: Clause;
  type: string | undefined;
  describedBy?: string;
  isInvalid: boolean;
  onChange: (value: string) => void;
}

/** With what it is compared: as people write it, without quotes. */
function Compared({ clause, type, describedBy, isInvalid, onChange }: ComparedProps) {
  const [text, setText] = useState(() => unquoted(clause.value));
  const isText = ["contains", "startsWith", "endsWith"].includes(clause.operator);
  const [seen, setSeen] = useState(clause.value);
  if (seen !== clause.value) {
    setSeen(clause.value);
    if (write(text) !== clause.value) setText(unquoted(clause.value));
  }
  function write(typed: string): string {
    return isText ? JSON.stringify(typed) : quoted(typed, type);
  }
  return (
    <input
      type="text"
      aria-label="Value to compare with"
      aria-describedby={describedBy}
      aria-invalid={isInvalid || undefined}
      autoComplete="off"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(write(event.target.value));
      }}
    />
  );
}
