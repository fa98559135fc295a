import { useContext, useEffect, useRef, useState } from "react";
import { Icon } from "../../Icon";
import { type JsonObject, isObject } from "../../model/json";
import { type Table, blankRow, headOf, isCondition, moved, tableOf, withColumn, without } from "../../model/tables";
import { useBuilder } from "../../store";
import { Expression } from "../expression/Expression";
import { Faults, Frame, Tool } from "../fields/Frame";
import { Reads } from "../fields/reads";
import { type Spot, problemsAt } from "../spot";
import { Cases } from "./Cases";
import { Exchange } from "./Exchange";
import { Grid } from "./Grid";
import type { Place, ToolProps } from "./tools";

const HITS: [string, string][] = [
  ["first", "The first row that matches"],
  ["unique", "The only row that matches"],
  ["collect", "All rows that match"],
];

/** A decision table: its rows, how they count, and its test cases. */
export function TableForm({ spot }: { spot: Spot }) {
  const [isLarge, setIsLarge] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isLarge) dialog.current?.showModal();
  }, [isLarge]);
  if (!isLarge) return <Parts spot={spot} onSize={() => setIsLarge(true)} isLarge={false} />;
  return (
    <dialog ref={dialog} className="table-dialog" aria-label="Decision table" onClose={() => setIsLarge(false)}>
      <Parts spot={spot} onSize={() => dialog.current?.close()} isLarge />
    </dialog>
  );
}

function Parts({ spot, onSize, isLarge }: { spot: Spot; onSize: () => void; isLarge: boolean }) {
  const problems = useBuilder((now) => now.problems);
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 });
  const table = tableOf(spot.value);
  const params = isObject(spot.value) ? spot.value : {};
  const put = (next: Partial<Table>, typing?: boolean) =>
    spot.set({ ...params, columns: table.columns, rows: table.rows, ...(next as JsonObject) }, typing);
  const own = [
    ...problemsAt(problems, `${spot.field}.rows`, true),
    ...problemsAt(problems, `${spot.field}.columns`, true),
  ];
  const tools = { table, place, setPlace, put };
  return (
    <div className="table-form">
      <div className="table-bar">
        <label>
          Takes{" "}
          <select aria-label="Rows that count" value={table.hit} onChange={(event) => put({ hit: event.target.value })}>
            {HITS.map(([hit, text]) => (
              <option key={hit} value={hit}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <Exchange table={table} params={params} onImport={(next) => put(next)} />
        <button type="button" className="button ghost small" onClick={onSize}>
          <Icon name={isLarge ? "x" : "table"} />
          {isLarge ? "Close" : "Enlarge"}
        </button>
      </div>
      <Grid {...tools} problems={own} field={spot.field} />
      <RowTools {...tools} />
      <ColumnTools {...tools} />
      <ColumnFields {...tools} spot={spot} />
      <Faults id={`faults of ${spot.key}/rows`} problems={own} />
      <Cases table={table} params={params} put={put} />
    </div>
  );
}

function RowTools({ table, place, setPlace, put }: ToolProps) {
  const { rows, columns } = table;
  const row = Math.min(place.row, rows.length - 1);
  const name = `row ${row + 1}`;
  const go = (to: number, next: Table["rows"]) => {
    put({ rows: next });
    setPlace({ ...place, row: Math.max(0, to), moves: true });
  };
  const insert = (at: number, cells: Table["rows"][number]) => go(at, [...rows.slice(0, at), cells, ...rows.slice(at)]);
  return (
    <div className="table-tools" role="group" aria-label="Rows">
      <button type="button" className="button ghost small" onClick={() => insert(row + 1, blankRow(columns))}>
        <Icon name="plus" />
        Add row
      </button>
      {row >= 0 && (
        <>
          <Tool icon="copy" label={`Duplicate ${name}`} onClick={() => insert(row + 1, [...rows[row]])} />
          <Tool
            icon="arrow-up"
            label={`Move ${name} up`}
            disabled={row === 0}
            onClick={() => go(row - 1, moved(rows, row, row - 1))}
          />
          <Tool
            icon="arrow-down"
            label={`Move ${name} down`}
            disabled={row === rows.length - 1}
            onClick={() => go(row + 1, moved(rows, row, row + 1))}
          />
          <Tool icon="trash-2" label={`Remove ${name}`} onClick={() => go(row - 1, without(rows, row))} />
        </>
      )}
    </div>
  );
}

function ColumnTools({ table, place, setPlace, put }: ToolProps) {
  const { columns, rows } = table;
  const at = Math.min(place.column, columns.length - 1);
  const name = at < 0 ? "" : headOf(columns[at]) || `column ${at + 1}`;
  const move = (to: number) => {
    put({ columns: moved(columns, at, to), rows: rows.map((row) => moved(row, at, to)) });
    setPlace({ ...place, column: to });
  };
  const add = (isResult: boolean) => {
    const next = withColumn(table, isResult);
    put({ columns: next.columns, rows: next.rows });
    setPlace({ ...place, column: isResult ? columns.length : columns.filter(isCondition).length });
  };
  return (
    <div className="table-tools" role="group" aria-label="Columns">
      <button type="button" className="button ghost small" onClick={() => add(false)}>
        <Icon name="plus" />
        Add condition
      </button>
      <button type="button" className="button ghost small" onClick={() => add(true)}>
        <Icon name="plus" />
        Add result
      </button>
      {at >= 0 && (
        <>
          <Tool icon="arrow-left" label={`Move ${name} left`} disabled={at === 0} onClick={() => move(at - 1)} />
          <Tool
            icon="arrow-right"
            label={`Move ${name} right`}
            disabled={at === columns.length - 1}
            onClick={() => move(at + 1)}
          />
          <Tool
            icon="trash-2"
            label={`Remove ${name}`}
            onClick={() => put({ columns: without(columns, at), rows: rows.map((row) => without(row, at)) })}
          />
        </>
      )}
    </div>
  );
}

/** What the column of the cell in which one is compares, or sets. */
function ColumnFields({ table, place, put, spot }: ToolProps & { spot: Spot }) {
  const reads = useContext(Reads);
  const at = Math.min(place.column, table.columns.length - 1);
  const column = table.columns[at];
  if (!column) return null;
  const change = (next: JsonObject) =>
    put({ columns: table.columns.map((each, other) => (other === at ? { ...each, ...next } : each)) }, true);
  const key = isCondition(column) ? "title" : "set";
  return (
    <div className="table-column" role="group" aria-label={`Column ${at + 1}`}>
      <Frame title={isCondition(column) ? `Title of column ${at + 1}` : `Name of the result in column ${at + 1}`}>
        {(ids) => (
          <input
            type="text"
            id={ids.id}
            autoComplete="off"
            value={String(column[key] ?? "")}
            onChange={(event) => change({ [key]: event.target.value })}
          />
        )}
      </Frame>
      {isCondition(column) && reads && (
        <Frame title="Compares" isGroup>
          {(ids) => (
            <Expression
              key={at}
              mode="cel"
              value={String(column.when ?? "")}
              onChange={(text) => change({ when: text })}
              label={`Value of ${headOf(column)}`}
              ids={ids}
              place={{ ...reads, field: `${spot.field}.columns[${at}].when` }}
            />
          )}
        </Frame>
      )}
    </div>
  );
}
