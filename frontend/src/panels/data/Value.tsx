import { useDeferredValue, useId, useMemo, useState } from "react";
import { Icon } from "../../Icon";
import type { TestValue } from "../../inspector/expression/target";
import { type Key, difference, isContainer, reference, said, sizeWords, tablesIn } from "../../model/data";
import type { Json } from "../../model/json";
import { isSecretName, masked } from "../../model/masking";
import { Bar } from "./Bar";
import { Differences } from "./Differences";
import { Table } from "./Table";
import { Text } from "./Text";
import { Tree } from "./Tree";

type View = "tree" | "table" | "json" | "changes";

/** What expressions call a whole value, and whose it is. */
export type Root = TestValue;

interface Props {
  title: string;
  value: Json | undefined;
  /** Whose value it is: another one begins with everything as it is at first. */
  of: string;
  /** What expressions call it; null where none can read it. */
  root: Root | null;
  /** The output that is pinned, to compare with. */
  pinned?: Json;
  /** So large it is, where it is not there yet. */
  bytes?: number;
}

const VIEWS: [View, string, string][] = [
  ["tree", "As a tree", "list-tree"],
  ["table", "As a table", "table"],
  ["json", "As JSON", "braces"],
];

/** Differences of which it is told that secrets are other ones, and not which. */
function unseen({ changes, isCut }: ReturnType<typeof difference>): ReturnType<typeof difference> {
  const side = (value: Json | undefined, keys: Key[]) =>
    value === undefined ? undefined : masked(value, keys.map(String).some(isSecretName));
  return {
    changes: changes.map((each) => ({ ...each, was: side(each.was, each.keys), now: side(each.now, each.keys) })),
    isCut,
  };
}

/** A value to read: as a tree, as tables or as JSON, with a search, and what differs from the pinned one. */
export function Value({ title, value: whole, of, root, pinned, bytes }: Props) {
  const id = useId();
  const [picked, setPicked] = useState<View>("tree");
  const [search, setSearch] = useState("");
  const [active, setActive] = useState<{ of: string; keys: Key[]; value: Json } | null>(null);
  const wanted = useDeferredValue(search);
  const value = useMemo(() => (whole === undefined ? undefined : masked(whole)), [whole]);
  const tables = useMemo(() => (value === undefined ? [] : tablesIn(value)), [value]);
  const changed = useMemo(() => (pinned === undefined ? null : unseen(difference(pinned, whole))), [pinned, whole]);
  const offered = VIEWS.filter(([view]) => view !== "table" || tables.length > 0);
  const isThere = (view: View) => (view === "changes" ? changed !== null : offered.some(([each]) => each === view));
  const view = isThere(picked) ? picked : "tree";
  const chosen = active?.of === of ? active : null;
  const size = value === undefined || bytes ? "" : isContainer(value) ? sizeWords(value) : "";
  const choose = (keys: Key[], each: Json) => setActive({ of, keys, value: each });
  const count = changed ? `${changed.changes.length}${changed.isCut ? "+" : ""}` : "";
  return (
    <section className="data" aria-labelledby={`${id}-title`}>
      <div className="data-head">
        <h3 id={`${id}-title`}>{title}</h3>
        <small className="quiet">{size}</small>
        <div className="switch" role="group" aria-label={`How the ${title.toLowerCase()} is shown`}>
          {offered.map(([each, name, icon]) => (
            <button
              key={each}
              type="button"
              aria-pressed={view === each}
              aria-label={name}
              title={name}
              onClick={() => setPicked(each)}
            >
              <Icon name={icon} />
            </button>
          ))}
          {changed && (
            <button
              type="button"
              aria-pressed={view === "changes"}
              title="Differences from the pinned output"
              onClick={() => setPicked("changes")}
            >
              <Icon name="git-compare" />
              {count} <span className="sr-only">changes from the pinned output</span>
            </button>
          )}
        </div>
      </div>
      {bytes ? (
        <p className="data-none">({Math.ceil(bytes / 1024)} KiB, loading…)</p>
      ) : value === undefined || value === null || (isContainer(value) && Object.keys(value).length === 0) ? (
        <p className="data-none">
          {value === undefined || value === null ? "(nothing)" : `(empty: ${sizeWords(value)})`}
        </p>
      ) : (
        <>
          {view !== "changes" && isContainer(value) && (
            <label className="side-search data-search">
              <Icon name="search" />
              <input
                type="search"
                placeholder={`Search the ${title.toLowerCase()}`}
                aria-label={`Search the ${title.toLowerCase()}`}
                value={search}
                onChange={(event) => setSearch(event.target.value)}
              />
            </label>
          )}
          <div className="data-body" data-view={view}>
            {view === "changes" && changed ? (
              <Differences found={changed} />
            ) : view === "table" ? (
              <Table key={of} tables={tables} search={wanted} root={root} choose={choose} />
            ) : view === "json" || !isContainer(value) ? (
              <Text key={of} label={title} value={value} search={wanted} />
            ) : (
              <Tree key={of} label={title} value={value} search={wanted} root={root} choose={choose} />
            )}
          </div>
          {view !== "changes" && (
            <Bar
              root={root}
              path={
                root ? reference(root.path, chosen?.keys ?? []) : reference("", chosen?.keys ?? []).replace(/^\./, "")
              }
              value={chosen ? chosen.value : value}
              said={chosen ? said(chosen.value, 60) : "everything"}
            />
          )}
        </>
      )}
    </section>
  );
}
