import { useState } from "react";
import { carry } from "../../inspector/expression/target";
import { type Key, type Table as TableOf, reference, said } from "../../model/data";
import type { Json } from "../../model/json";
import type { Root } from "./Value";

interface Props {
  tables: TableOf[];
  search: string;
  root: Root | null;
  choose: (keys: Key[], value: Json) => void;
}

/** So many cells are shown at once. */
const CELLS = 240;

/** Lists of objects as tables: a row for each object, a column for each field that one of them has. */
export function Table({ tables, search, root, choose }: Props) {
  const [which, setWhich] = useState(0);
  const [from, setFrom] = useState(0);
  const { keys, rows, columns, more } = tables[Math.min(which, tables.length - 1)];
  const page = Math.max(10, Math.floor(CELLS / (columns.length + 1)));
  const wanted = search.toLowerCase();
  const fits = rows.flatMap((row, at) =>
    !wanted || columns.some((name) => Object.hasOwn(row, name) && said(row[name]).toLowerCase().includes(wanted))
      ? [{ row, at }]
      : [],
  );
  const start = from < fits.length ? from : 0;
  const name = (each: TableOf) => reference("", each.keys).replace(/^\./, "") || "the list";
  return (
    <>
      {tables.length > 1 && (
        <select
          aria-label="Which list"
          value={which}
          onChange={(event) => {
            setWhich(Number(event.target.value));
            setFrom(0);
          }}
        >
          {tables.map((each, at) => (
            <option key={name(each)} value={at}>
              {name(each)} ({each.rows.length.toLocaleString("en")})
            </option>
          ))}
        </select>
      )}
      <div className="data-scroll" role="region" aria-label={name({ keys, rows, columns, more })} tabIndex={0}>
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">#</th>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fits.slice(start, start + page).map(({ row, at }) => (
              <tr key={at}>
                <th scope="row">{at}</th>
                {columns.map((column) => (
                  <td
                    key={column}
                    draggable={root !== null && Object.hasOwn(row, column)}
                    onDragStart={(event) => {
                      if (!root) return;
                      carry(event.dataTransfer, { ...root, path: reference(root.path, [...keys, at, column]) });
                      document.body.classList.add("drags-value");
                    }}
                    onDragEnd={() => document.body.classList.remove("drags-value")}
                    onClick={() => Object.hasOwn(row, column) && choose([...keys, at, column], row[column])}
                  >
                    {Object.hasOwn(row, column) ? said(row[column], 80) : ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {fits.length === 0 && <p className="data-none">Nothing matches this search.</p>}
      {fits.length > page && (
        <div className="data-pages">
          <button type="button" className="link" disabled={start === 0} onClick={() => setFrom(start - page)}>
            Previous
          </button>
          <span>
            {start + 1}–{Math.min(fits.length, start + page)} of {fits.length.toLocaleString("en")}
          </span>
          <button
            type="button"
            className="link"
            disabled={start + page >= fits.length}
            onClick={() => setFrom(start + page)}
          >
            Next
          </button>
        </div>
      )}
      {more > 0 && <p className="data-none">{more} more columns are in the tree.</p>}
    </>
  );
}
