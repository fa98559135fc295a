import { useEffect, useId, useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { JsonObject } from "../../model/json";
import { isObject } from "../../model/json";
import { say, useBuilder } from "../../store";
import { renameFact } from "../rename";
import type { Spot } from "../spot";
import { problemsAt } from "../spot";
import { Faults, Tool } from "./Frame";
import { Unlabelled } from "./AnyValue";
import type { ControlProps } from "./simple";

interface Row {
  id: number;
  key: string;
}

/** A name that the server writes anew wherever it is read. */
interface Moved {
  from: string;
  to: string;
}

const FACTS = /^nodes\/([^/]+)\/params\/facts$/;

/** The order of rows is the page's own: the server keeps none. A new name does not move its row. */
function useRows(value: JsonObject, moved: Moved | null): [Row[], (rows: Row[]) => void, () => number] {
  const next = useRef(0);
  const made = (keys: string[]) => keys.map((key) => ({ id: next.current++, key }));
  const [rows, setRows] = useState<Row[]>(() => made(Object.keys(value)));
  const isMoved = moved !== null && !(moved.from in value) && moved.to in value;
  const called = rows.map((row) => (isMoved && row.key === moved.from ? { ...row, key: moved.to } : row));
  const known = called.filter((row) => row.key === "" || row.key in value);
  const missing = Object.keys(value).filter((key) => !called.some((row) => row.key === key));
  const isStale = known.length !== rows.length || missing.length > 0 || called.some((row, at) => row !== rows[at]);
  const true_ = isStale ? [...known, ...made(missing)] : rows;
  useEffect(() => {
    if (isStale) setRows(true_);
  });
  return [true_, setRows, () => next.current++];
}

/** Names with their values: headers, facts, what a step sets. */
export function PairsControl({ spot, shape, ids }: ControlProps) {
  const value = isObject(spot.value) ? spot.value : {};
  const [moved, setMoved] = useState<Moved | null>(null);
  const [rows, setRows, fresh] = useRows(value, moved);
  const [wanted, setWanted] = useState<number | null>(null);
  const onlyTexts = isObject(shape.schema.additionalProperties) && shape.schema.additionalProperties.type === "string";
  const add = () => {
    const empty = rows.find((row) => row.key === "");
    const id = empty?.id ?? fresh();
    if (!empty) setRows([...rows, { id, key: "" }]);
    setWanted(id);
  };
  const rename = (row: Row, key: string) => {
    if (key === row.key) return;
    const had = row.key in value;
    const step = FACTS.exec(spot.key)?.[1];
    if (had && step !== undefined && key) {
      setMoved({ from: row.key, to: key });
      void renameFact(step, row.key, key).then((why) => why !== null && say(why, "bad"));
      return;
    }
    setRows(rows.map((each) => (each.id === row.id ? { ...each, key } : each)));
    // The entries keep their order: one value for the draft.
    if (had)
      spot.set(Object.fromEntries(Object.entries(value).map(([name, each]) => [name === row.key ? key : name, each])));
    else spot.at(key).set("");
  };
  const remove = (row: Row) => {
    setRows(rows.filter((each) => each.id !== row.id));
    if (!(row.key in value)) return;
    if (Object.keys(value).length === 1) spot.set(undefined);
    else spot.at(row.key).set(undefined);
  };
  return (
    <div className="insp-pairs" id={ids.id}>
      {rows.map((row) => (
        <Pair
          key={row.id}
          row={row}
          spot={spot}
          title={shape.title}
          onlyTexts={onlyTexts}
          autoFocus={wanted === row.id}
          onRename={(key) => rename(row, key)}
          onRemove={() => remove(row)}
        />
      ))}
      <button type="button" className="button ghost small" onClick={add}>
        <Icon name="plus" />
        Add {rows.length ? "another" : "one"}
        <span className="sr-only"> to {shape.title}</span>
      </button>
    </div>
  );
}

/** What a name is given: Enter goes on there. */
const VALUE = ".any-value :is(.cm-content, textarea, input, select)";

interface PairProps {
  row: Row;
  spot: Spot;
  title: string;
  onlyTexts: boolean;
  autoFocus: boolean;
  onRename: (key: string) => void;
  onRemove: () => void;
}

function Pair({ row, spot, title, onlyTexts, autoFocus, onRename, onRemove }: PairProps) {
  const value = isObject(spot.value) ? spot.value : {};
  const [name, setName] = useState(row.key);
  const problems = useBuilder((now) => now.problems);
  const faultsId = useId();
  useEffect(() => setName(row.key), [row.key]);
  const own = spot.at(row.key);
  const isTaken = name !== row.key && name in value;
  const isKept = row.key in value;
  const found = problemsAt(problems, own.field, true);
  const fault = isTaken ? `${name} already exists.` : !name && isKept ? "Enter a name." : "";
  const said = fault
    ? [{ code: "name", severity: "error" as const, node: null, field: "", message: fault }, ...found]
    : found;
  const commit = () => {
    if (!isTaken && name !== row.key) onRename(name);
  };
  const entered = (field: HTMLElement) => {
    commit();
    if (name && !isTaken) field.closest(".insp-pair")?.querySelector<HTMLElement>(VALUE)?.focus();
  };
  return (
    <div className="insp-pair">
      <div className="pair-head">
        <input
          type="text"
          className="pair-name"
          aria-label={`${title}: name`}
          placeholder="Name"
          autoFocus={autoFocus}
          autoComplete="off"
          value={name}
          aria-invalid={fault ? true : undefined}
          aria-describedby={said.length ? faultsId : undefined}
          onChange={(event) => setName(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            // Else the value, which has the focus by then, would begin with a new line.
            event.preventDefault();
            entered(event.currentTarget);
          }}
        />
      </div>
      <Unlabelled
        spot={own}
        title={name || "value"}
        onlyTexts={onlyTexts}
        describedBy={said.length ? faultsId : undefined}
        isInvalid={said.some((each) => each.severity === "error")}
      />
      <Tool icon="x" label={`Remove ${name || "it"}`} onClick={onRemove} />
      <Faults id={faultsId} problems={said} />
    </div>
  );
}
