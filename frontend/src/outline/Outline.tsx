import { useEffect, useMemo, useRef, useState } from "react";
import { At } from "../Avatar";
import { Icon } from "../Icon";
import { fold } from "../folds";
import { duplicate, openAdd, removeSelected } from "../keys";
import { lasting } from "../inspector/rename";
import { homeOf } from "../model/bodies";
import { faceOf } from "../model/catalogue";
import { reorder } from "../model/commands";
import { countIn, foldable, stepsInWords } from "../model/folding";
import { inOrder, neighbours, titleOf } from "../model/graph";
import { atCovers, coverOf, isCollapsed } from "../model/levels";
import { endsInWords } from "../model/outcomes";
import { isSearched } from "./searched";
import { type Person, byStep } from "../model/people";
import { worstOf } from "../model/said";
import { commentsInWords, openCounts } from "../model/talk";
import { wayWords } from "../model/words";
import type { Doc } from "../model/document";
import { act, goTo, say, seen, select, set, state, useBuilder, wantFocus } from "../store";

/** How a step is reached, in words. */
function reached(doc: Doc, id: string): string {
  const into = neighbours(doc).into.get(id) ?? [];
  if (into.length === 0) return "";
  const said = into.map((arrow) => {
    const words = wayWords(doc, arrow);
    return into.length === 1 ? words : `${titleOf(doc, arrow.from)}${words ? ` (${words})` : ""}`;
  });
  const more = said.length > 2 ? [...said.slice(0, 2), `${said.length - 2} more`] : said;
  return into.length === 1 ? said[0] : `after ${more.join(", ")}`;
}

/** The ways out that lead to a step which stands elsewhere in the outline, as others lead there, too. */
function branchesOf(doc: Doc, id: string): string[] {
  const { into, out } = neighbours(doc);
  const ways = out.get(id) ?? [];
  if (ways.length < 2) return [];
  return ways
    .filter(({ to }) => (into.get(to) ?? []).length > 1)
    .map((arrow) => `${wayWords(doc, arrow) || "always"} → ${titleOf(doc, arrow.to)}`);
}

/** The same graph as a tree: everything that the canvas can do, without seeing or pointing. */
export function Outline() {
  const doc = useBuilder(seen);
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const selected = useBuilder((now) => now.selected.nodes);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const focus = useBuilder((now) => now.focus);
  const [search, setSearch] = useState("");
  const all = useMemo(() => inOrder(doc), [doc.nodes, doc.edges]);
  // A search finds what is collapsed, too.
  const rows = useMemo(
    () => all.filter(({ id }) => (search ? isSearched(doc, catalogue, id, search) : coverOf(doc, id) === id)),
    [all, doc.nodes, doc.layout.collapsed, catalogue, search],
  );
  const people = useBuilder((now) => now.people);
  const comments = useBuilder((now) => now.comments);
  // What is said of steps that are out of sight stands at what they are in.
  const sight = [doc.nodes, doc.layout.collapsed, search];
  const here = useMemo(
    () => (search ? byStep(people) : atCovers(doc, byStep(people), (some, others) => [...some, ...others])),
    [people, ...sight],
  );
  const talk = useMemo(
    () => (search ? openCounts(comments) : atCovers(doc, openCounts(comments), (some, others) => some + others)),
    [comments, ...sight],
  );
  const bad = useMemo(
    () =>
      search ? worstOf(problems) : atCovers(doc, worstOf(problems), (one, other) => (one === "error" ? one : other)),
    [problems, ...sight],
  );
  const tree = useRef<HTMLUListElement>(null);
  const last = useRef<string | undefined>(undefined);
  // Where nothing is selected, or an edge is, the tree stays where it was.
  const current = [selected[0], last.current].find((id) => rows.some((row) => row.id === id)) ?? rows[0]?.id;

  useEffect(() => {
    last.current = current;
  }, [current]);

  useEffect(() => {
    if (focus?.what !== "outline") return;
    focusTree(tree.current);
  }, [focus]);
  // Asked before what has the focus is taken away, by an undo for example.
  const hadFocus = document.activeElement?.closest(".outline, .outline-empty") !== null;
  useEffect(() => {
    // The tree keeps the focus while what is selected moves under it, or what had it is gone.
    const isLost = hadFocus && document.activeElement === document.body;
    if (isLost || tree.current?.contains(document.activeElement)) focusTree(tree.current);
  }, [current, rows]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const at = rows.findIndex((row) => row.id === current);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      moved(current, event.key === "ArrowDown" ? 1 : -1);
      return;
    }
    const isSideways = event.key === "ArrowRight" || event.key === "ArrowLeft";
    if (isSideways && current && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      sideways(current, event.key === "ArrowRight");
      return;
    }
    if (to === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))];
    if (!row) return;
    if (event.shiftKey) select({ nodes: [row.id, ...selected.filter((id) => id !== row.id)] });
    else goTo(row.id);
  };
  if (all.length === 0) {
    return (
      <div className="outline-empty">
        <p>
          <strong>No step yet.</strong>
        </p>
        <p className="quiet small">Start with a first step: choose one, or drag one onto the canvas.</p>
        {mayWrite && (
          <button type="button" className="button" data-first-step onClick={() => openAdd({})}>
            <Icon name="plus" />
            Add the first step
          </button>
        )}
      </div>
    );
  }
  return (
    <div className="outline">
      <label className="side-search outline-filter">
        <Icon name="search" />
        <input
          type="search"
          value={search}
          placeholder="Filter by title, id or kind"
          aria-label="Filter the steps"
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "ArrowDown") focusTree(tree.current);
            else if (event.key === "Escape" && search) setSearch("");
            else return;
            event.preventDefault();
          }}
        />
        <span className="sr-only" role="status">
          {search && `${rows.length} of ${all.length} steps`}
        </span>
      </label>
      {rows.length === 0 && <p className="quiet small outline-none">No matching steps.</p>}
      <ul ref={tree} role="tree" aria-label="Steps in order" aria-multiselectable="true" onKeyDown={onKeyDown}>
        {rows.map(({ id, depth }, at) => {
          const how = reached(doc, id);
          const face = faceOf(catalogue, doc.nodes[id].type);
          const worst = bad.get(id);
          const ends = endsInWords(doc, catalogue, id);
          return (
            <li
              key={lasting(id)}
              role="treeitem"
              aria-level={depth + 1}
              aria-setsize={rows.length}
              aria-posinset={at + 1}
              aria-selected={selected.includes(id)}
              aria-expanded={folds(doc, id) ? !isCollapsed(doc, id) : undefined}
              tabIndex={id === current ? 0 : -1}
              className={`outline-row ${worst === "error" ? "has-errors" : worst ? "has-warnings" : ""}`}
              data-depth={Math.min(depth, 6)}
              data-node={id}
              onClick={(event) => (event.ctrlKey || event.metaKey || event.shiftKey ? toggled(id) : goTo(id))}
              onFocus={(event) => event.target === event.currentTarget && !selected.includes(id) && goTo(id)}
              onDoubleClick={() => wantFocus("inspector")}
            >
              <span className="step-icon" data-group={face.group}>
                <Icon name={face.icon} />
              </span>
              <span className="outline-words">
                {how && <small className="outline-way">{how}</small>}
                <span>{titleOf(doc, id)}</span>
                {branchesOf(doc, id).map((words, at) => (
                  <small key={at} className="outline-branch">
                    {words}
                  </small>
                ))}
                {ends && <small className="quiet">{ends}</small>}
                {isCollapsed(doc, id) && <small className="quiet">{stepsInWords(countIn(doc, id))}</small>}
                {worst && <span className="sr-only">, has {worst === "error" ? "errors" : "warnings"}</span>}
              </span>
              <Marks people={here.get(id) ?? []} comments={talk.get(id) ?? 0} />
              {folds(doc, id) && (
                <button
                  type="button"
                  className="fold"
                  tabIndex={-1}
                  aria-label={`${isCollapsed(doc, id) ? "Open" : "Collapse"} ${titleOf(doc, id)}`}
                  onClick={(event) => {
                    event.stopPropagation();
                    fold(id);
                  }}
                >
                  <Icon name={isCollapsed(doc, id) ? "chevron-right" : "chevron-down"} />
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {mayWrite && current && <RowActions id={current} />}
    </div>
  );
}

/** Whether there are steps in it that can be out of sight. */
function folds(doc: Doc, id: string): boolean {
  return foldable(doc, id) === id;
}

/** To the right: into what a step holds, which is opened first; to the left: out of it, which collapses it first. */
function sideways(id: string, isIn: boolean): void {
  const doc = seen();
  const home = homeOf(doc, id);
  if (!folds(doc, id)) {
    if (!isIn && home !== null) goTo(home);
  } else if (isCollapsed(doc, id) === isIn) fold(id);
  else if (isIn) goTo(inOrder(doc).filter((row) => homeOf(doc, row.id) === id)[0].id);
  else if (home !== null) goTo(home);
}

/** Who else is at a step, and how many comments on it are open. */
function Marks({ people, comments }: { people: Person[]; comments: number }) {
  if (!people.length && !comments) return null;
  return (
    <span className="outline-marks">
      {comments > 0 && (
        <span className="outline-comments" title={commentsInWords(comments)}>
          <Icon name="message-square" />
          <span aria-hidden="true">{comments}</span>
          <span className="sr-only">, {commentsInWords(comments)}</span>
        </span>
      )}
      <At people={people} />
    </span>
  );
}

/** The focus to the selected step, or to the button for the first one. */
function focusTree(tree: HTMLElement | null): void {
  const item =
    tree?.querySelector<HTMLElement>('[tabindex="0"]') ?? document.querySelector<HTMLElement>("[data-first-step]");
  item?.focus();
}

function toggled(id: string): void {
  const { nodes } = state().selected;
  select({ nodes: nodes.includes(id) ? nodes.filter((each) => each !== id) : [...nodes, id] });
}

function moved(id: string | undefined, by: -1 | 1): void {
  if (!id) return;
  const { doc } = state();
  const into = neighbours(doc).into.get(id) ?? [];
  const edge = into.length === 1 && into[0].timer === undefined ? into[0].key : null;
  const changes = edge ? reorder(doc, "edges", edge, by) : [];
  const all = changes.length ? changes : reorder(doc, "nodes", id, by);
  if (!act(`Move ${titleOf(doc, id)} ${by < 0 ? "up" : "down"}`, all)) say("It can't move any further.");
}

/** What can be done with the selected step, for who has no canvas. */
function RowActions({ id }: { id: string }) {
  return (
    <div className="outline-actions" role="toolbar" aria-label="The selected step">
      <button type="button" className="button small" onClick={() => openAdd({ after: id })}>
        <Icon name="plus" />
        Add after
      </button>
      <button type="button" className="button plain small" onClick={() => set({ connecting: id })}>
        <Icon name="spline" />
        Connect
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Move up"
        title="Move up (Alt+↑)"
        onClick={() => moved(id, -1)}
      >
        <Icon name="arrow-up" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Move down"
        title="Move down (Alt+↓)"
        onClick={() => moved(id, 1)}
      >
        <Icon name="arrow-down" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Duplicate"
        title="Duplicate (Ctrl+D)"
        onClick={duplicate}
      >
        <Icon name="copy" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Delete"
        title="Delete (Del)"
        onClick={() => removeSelected()}
      >
        <Icon name="trash-2" />
      </button>
    </div>
  );
}
