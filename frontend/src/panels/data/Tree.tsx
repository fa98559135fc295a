import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Icon } from "../../Icon";
import { carry, insertInto, useField } from "../../inspector/expression/target";
import {
  type Key,
  MOST_ROWS,
  type More,
  PAGE,
  type Row,
  found,
  isContainer,
  reference,
  rowsOf,
} from "../../model/data";
import type { Json } from "../../model/json";
import { useBuilder } from "../../store";
import { copied, plain } from "./Bar";
import type { Root } from "./Value";

interface Props {
  label: string;
  value: Json;
  search: string;
  root: Root | null;
  choose: (keys: Key[], value: Json) => void;
}

const isRow = (each: Row | More): each is Row => "keys" in each;

/** A value as a tree: arrows go through it, open and close; Enter puts a value into the field that was left last. */
export function Tree({ label, value, search, root, choose }: Props) {
  const id = useId();
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const [open, setOpen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const [at, setAt] = useState("");
  const tree = useRef<HTMLDivElement>(null);
  const hits = useMemo(() => (search ? found(value, search) : undefined), [value, search]);
  const { rows, isCut } = useMemo(() => rowsOf(value, { open, pages }, hits), [value, open, pages, hits]);
  const place = Math.max(
    0,
    rows.findIndex((row) => row.id === at),
  );
  const wantsFocus = useRef(false);
  useEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    tree.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  });
  const go = (next: Row | More | undefined) => {
    if (!next) return;
    wantsFocus.current = true;
    setAt(next.id);
    if (isRow(next)) choose(next.keys, next.value);
  };
  const flip = (row: Row, isOpen = !row.isOpen) => row.isOpen !== null && setOpen(new Map(open).set(row.id, isOpen));
  const more = (row: More) => {
    wantsFocus.current = true;
    setPages(new Map(pages).set(row.parent, row.shown + PAGE));
  };
  const parentOf = (row: Row | More) => rows.slice(0, place).findLast((each) => each.depth < row.depth);
  const enter = (row: Row) => {
    const { field } = useField.getState();
    if (row.isOpen !== null) flip(row);
    else if (root && field && mayWrite) insertInto(field, { ...root, path: reference(root.path, row.keys) });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[place];
    if (!row || event.altKey || event.shiftKey) return;
    const isCopy = (event.ctrlKey || event.metaKey) && event.key === "c";
    if ((event.ctrlKey || event.metaKey) && !isCopy) return;
    const does: Record<string, () => void> = {
      ArrowDown: () => go(rows[place + 1]),
      ArrowUp: () => go(rows[place - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows.at(-1)),
      ArrowRight: () => {
        if (!isRow(row)) more(row);
        else if (row.isOpen === false) flip(row, true);
        else if (row.isOpen) go(rows[place + 1]);
      },
      ArrowLeft: () => (isRow(row) && row.isOpen ? flip(row, false) : go(parentOf(row))),
      Enter: () => (isRow(row) ? enter(row) : more(row)),
      " ": () => (isRow(row) ? flip(row) : more(row)),
    };
    const run = isCopy ? () => isRow(row) && void copied(plain(row.value), "the value") : does[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  if (rows.length === 0) return <p className="data-none">Nothing matches this search.</p>;
  return (
    <>
      <div ref={tree} role="tree" aria-label={label} className="data-tree" onKeyDown={onKeyDown}>
        {rows.map((row, each) => (
          <div
            key={row.id}
            id={`${id}-${each}`}
            role="treeitem"
            className="data-row"
            data-depth={Math.min(row.depth, 8)}
            data-kind={isRow(row) ? row.kind : "more"}
            data-hit={(isRow(row) && hits?.hits.has(row.id)) || undefined}
            aria-level={row.depth}
            aria-expanded={isRow(row) && row.isOpen !== null ? row.isOpen : undefined}
            aria-selected={each === place && row.id === at}
            aria-posinset={isRow(row) ? row.at : undefined}
            aria-setsize={isRow(row) ? row.of : undefined}
            tabIndex={each === place ? 0 : -1}
            draggable={isRow(row) && root !== null && mayWrite}
            onDragStart={(event) => {
              if (!isRow(row) || !root) return;
              carry(event.dataTransfer, { ...root, path: reference(root.path, row.keys) });
              document.body.classList.add("drags-value");
            }}
            onDragEnd={() => document.body.classList.remove("drags-value")}
            onClick={() => {
              if (!isRow(row)) return more(row);
              go(row);
              return flip(row);
            }}
          >
            {isRow(row) ? (
              <>
                <span className="data-fold">
                  {row.isOpen !== null && <Icon name={row.isOpen ? "chevron-down" : "chevron-right"} />}
                </span>
                <span className="data-name">{row.name}</span>
                <span className={isContainer(row.value) ? "data-size" : "data-value"}>{row.said}</span>
              </>
            ) : (
              <span className="data-more">
                Show {Math.min(PAGE, row.left)} more of {row.left.toLocaleString("en")}
              </span>
            )}
          </div>
        ))}
      </div>
      {(isCut || hits?.isCut) && (
        <p className="data-none">
          {hits
            ? "There are more matches: make the search longer."
            : `These are ${MOST_ROWS} rows: close some, or search.`}
        </p>
      )}
    </>
  );
}
