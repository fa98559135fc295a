import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef } from "react";
import type { Json, JsonObject } from "../../model/json";
import { asResult, blankRow, cellText, headOf, isCondition, pasted, withPasted } from "../../model/tables";
import type { Problem } from "../../store";
import { useTyped } from "../fields/simple";
import type { ToolProps } from "./tools";

interface Props extends ToolProps {
  problems: Problem[];
  field: string;
}

/** The cells, edited as in a spreadsheet: Enter goes down, Tab on, arrows around, and what is pasted fills them. */
export function Grid({ table, place, setPlace, put, problems, field }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { columns, rows } = table;
  useEffect(() => {
    if (!place.moves) return;
    const input = body.current?.rows[place.row]?.querySelectorAll("input")[place.column];
    input?.focus();
    input?.select();
    setPlace({ row: place.row, column: place.column });
  }, [place, setPlace]);
  const go = (row: number, column: number) => {
    if (row < 0 || column < 0 || column >= columns.length) return false;
    if (row >= rows.length) return false;
    setPlace({ row, column, moves: true });
    return true;
  };
  const press = (event: KeyboardEvent<HTMLInputElement>, row: number, column: number) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const isStart = selectionStart === 0 && selectionEnd === 0;
    const isEnd = selectionStart === value.length;
    const isAll = selectionStart === 0 && selectionEnd === value.length;
    let isDone = false;
    if (event.key === "Enter" && !event.shiftKey && row === rows.length - 1) {
      put({ rows: [...rows, blankRow(columns)] });
      setPlace({ row: row + 1, column, moves: true });
      isDone = true;
    } else if (event.key === "Enter") isDone = go(row + (event.shiftKey ? -1 : 1), column);
    else if (event.key === "ArrowUp") isDone = go(row - 1, column);
    else if (event.key === "ArrowDown") isDone = go(row + 1, column);
    else if (event.key === "ArrowLeft" && (isStart || isAll)) isDone = go(row, column - 1);
    else if (event.key === "ArrowRight" && (isEnd || isAll)) isDone = go(row, column + 1);
    if (isDone || event.key === "Enter") event.preventDefault();
  };
  const paste = (event: ClipboardEvent<HTMLInputElement>, row: number, column: number) => {
    const cells = pasted(event.clipboardData.getData("text/plain"));
    if (!cells) return;
    event.preventDefault();
    put({ rows: withPasted(table, cells, row, column) });
  };
  const change = (row: number, column: number, value: Json) =>
    put(
      { rows: rows.map((each, at) => (at === row ? each.map((cell, to) => (to === column ? value : cell)) : each)) },
      true,
    );
  return (
    <section className="table-scroll" aria-label="Rows of the table" tabIndex={0}>
      <table className="decision-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Row</span>
            </th>
            {columns.map((column, at) => (
              <th key={at} scope="col" data-result={!isCondition(column) || undefined}>
                <button
                  type="button"
                  aria-pressed={place.column === at}
                  onClick={() => setPlace({ row: place.row, column: at })}
                >
                  {headOf(column) || `Column ${at + 1}`}
                  <small>{isCondition(column) ? String(column.when ?? "") : "result"}</small>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, at) => (
            <tr key={at} aria-current={place.row === at || undefined}>
              <th scope="row">{at + 1}</th>
              {columns.map((column, to) => (
                <td key={to}>
                  <CellInput
                    column={column}
                    value={row[to]}
                    label={`${headOf(column) || `Column ${to + 1}`}, row ${at + 1}`}
                    fault={problems.find((one) => one.field === `${field}.rows[${at}][${to}]`)}
                    onFocus={() => {
                      if (place.row !== at || place.column !== to) setPlace({ row: at, column: to });
                    }}
                    onChange={(value) => change(at, to, value)}
                    onKeyDown={(event) => press(event, at, to)}
                    onPaste={(event) => paste(event, at, to)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p className="quiet small">No rows yet.</p>}
    </section>
  );
}

interface CellProps {
  column: JsonObject;
  value: Json | undefined;
  label: string;
  fault: Problem | undefined;
  onFocus: () => void;
  onChange: (value: Json) => void;
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
  onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
}

function CellInput({ column, value, label, fault, onFocus, onChange, onKeyDown, onPaste }: CellProps) {
  const read = (text: string): Json => (isCondition(column) ? text : asResult(text));
  const [text, setText] = useTyped(value, (now) => cellText(column, now), read);
  return (
    <input
      type="text"
      autoComplete="off"
      spellCheck={false}
      aria-label={label}
      aria-invalid={fault !== undefined || undefined}
      title={fault?.message}
      value={text}
      onFocus={onFocus}
      onChange={(event) => {
        setText(event.target.value);
        onChange(read(event.target.value));
      }}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  );
}
