import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Header } from "./Header";
import { Icon } from "./Icon";
import { KeysDialog } from "./KeysDialog";
import { PublishDialog } from "./PublishDialog";
import { AddDialog, offerTypes } from "./add/AddDialog";
import { Palette } from "./add/Palette";
import { Canvas } from "./canvas/Canvas";
import { show } from "./canvas/view";
import { Divider } from "./frame/Divider";
import { showPanels } from "./frame/sizes";
import { Inspector } from "./inspector/Inspector";
import { groupSelected, listen, noteHere, openAdd, tidySelected } from "./keys";
import { ConnectDialog } from "./outline/ConnectDialog";
import { ConnectToDialog } from "./publish/ConnectToDialog";
import { FindDialog, offerSteps } from "./outline/FindDialog";
import { Outline } from "./outline/Outline";
import { Code } from "./panels/Code";
import { Conflicts } from "./panels/Conflicts";
import { History } from "./panels/History";
import { Comments } from "./talk/Comments";
import { Problems } from "./panels/Problems";
import { Test } from "./panels/Test";
import { tally } from "./model/talk";
import { type Focus, type Panel, set, useBuilder } from "./store";
import { goToAddressed, offerComments } from "./comments";
import { counted } from "./model/words";

const PANELS: [Panel, string, string][] = [
  ["problems", "Problems", "circle-alert"],
  ["test", "Test", "flask-conical"],
  ["comments", "Comments", "message-square"],
  ["history", "History", "history"],
];
type Pane = "outline" | "canvas" | "inspector";

/** Where the focus is wanted, if it is in one of the panes. */
function paneOf(focus: Focus | null): Pane | null {
  if (!focus || focus.what === "conflicts") return null;
  return focus.what === "title" || focus.what === "comments" || focus.what === "empty" ? "inspector" : focus.what;
}

/** The builder. */
export function App() {
  const view = useBuilder((now) => now.view);
  const look = useBuilder((now) => now.look);
  const focus = useBuilder((now) => now.focus);
  const [pane, setPane] = useState<Pane>("outline");
  const isNarrow = useMedia("(width < 56rem)");
  const root = useRef<HTMLDivElement>(null);
  // As soon as they change: what is opened takes the focus next, and a pulled line draws nothing else again.
  useLayoutEffect(() => {
    if (root.current) showPanels(root.current);
    return useBuilder.subscribe((next, was) => {
      if (!root.current) return;
      if (next.panels !== was.panels) showPanels(root.current);
      if (next.focus !== was.focus) root.current.dataset.pane = paneOf(next.focus) ?? root.current.dataset.pane;
    });
  }, []);
  // A canvas without a size can't be laid out.
  const isSeen = !isNarrow || pane === "canvas";
  // Before anything is seen: a key that is pressed at once is not lost.
  useLayoutEffect(listen, []);
  useEffect(offerSteps, []);
  useEffect(offerTypes, []);
  useEffect(offerComments, []);
  useEffect(goToAddressed, []);
  useEffect(() => {
    if (look) show(look.node);
  }, [look]);
  useEffect(() => {
    // On a phone one pane is seen at a time.
    const wanted = paneOf(focus);
    if (wanted) setPane(wanted);
  }, [focus]);
  return (
    <div className="builder" ref={root} data-pane={pane} data-view={view}>
      <Header />
      {view === "code" ? (
        <Code />
      ) : (
        <>
          <Left />
          <Divider side="left" />
          <div className="builder-middle">
            {isSeen && (
              <>
                <CanvasTools />
                <Canvas />
              </>
            )}
          </div>
          <Divider side="right" />
          <aside className="builder-right" aria-label="Selection">
            <Inspector />
          </aside>
        </>
      )}
      <Conflicts />
      <Bottom />
      <nav className="pane-switch" aria-label="Builder panes">
        {(["outline", "canvas", "inspector"] as Pane[]).map((each) => (
          <button key={each} type="button" aria-pressed={pane === each} onClick={() => setPane(each)}>
            {{ outline: "Steps", canvas: "Canvas", inspector: "Edit" }[each]}
          </button>
        ))}
      </nav>
      <AddDialog />
      <ConnectDialog />
      <ConnectToDialog />
      <FindDialog />
      <PublishDialog />
      <KeysDialog />
      <Announcement />
    </div>
  );
}

/** Whether a media query holds, as it changes. */
function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const media = window.matchMedia(query);
    const look = () => setHolds(media.matches);
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, [query]);
  return holds;
}

function Left() {
  const [tab, setTab] = useState<"outline" | "add">("outline");
  const focus = useBuilder((now) => now.focus);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  useEffect(() => {
    if (focus?.what === "outline") setTab("outline");
  }, [focus]);
  return (
    <aside className="builder-left" aria-label="Steps">
      <div className="side-tabs" role="tablist" aria-label="Steps">
        <button
          type="button"
          role="tab"
          id="tab-outline"
          aria-controls="side-outline"
          aria-selected={tab === "outline"}
          onClick={() => setTab("outline")}
        >
          Outline
        </button>
        {mayWrite && (
          <button
            type="button"
            role="tab"
            id="tab-add"
            aria-controls="side-add"
            aria-selected={tab === "add"}
            onClick={() => setTab("add")}
          >
            Add a step
          </button>
        )}
      </div>
      <div className="side-body" role="tabpanel" id={`side-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === "outline" ? <Outline /> : <Palette />}
      </div>
    </aside>
  );
}

function CanvasTools() {
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const many = useBuilder((now) => now.selected.nodes.length);
  if (!mayWrite) return null;
  return (
    <div className="canvas-tools" role="toolbar" aria-label="Canvas">
      <button type="button" className="button small" title="Add a step (A)" onClick={() => openAdd()}>
        <Icon name="plus" />
        Add a step
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Add a note"
        title="Add a note (N)"
        onClick={noteHere}
      >
        <Icon name="sticky-note" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Group the selected steps"
        title="Group the selected steps (G)"
        disabled={!many}
        onClick={groupSelected}
      >
        <Icon name="group" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Tidy"
        title="Tidy the canvas, or what is selected (L)"
        onClick={() => void tidySelected()}
      >
        <Icon name="layout-dashboard" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => set({ showsKeys: true })}
      >
        <Icon name="keyboard" />
      </button>
    </div>
  );
}

function Bottom() {
  const panel = useBuilder((now) => now.panel);
  const problems = useBuilder((now) => now.problems);
  const comments = useBuilder((now) => tally(now.comments).open);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  return (
    <section className="builder-bottom" data-open={panel !== null} aria-label="Problems, test, comments and history">
      <div className="bottom-tabs" role="tablist" aria-label="Below the canvas">
        {PANELS.map(([name, title, icon]) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={panel === name}
            aria-controls={panel === name ? "bottom-panel" : undefined}
            onClick={() => set({ panel: panel === name ? null : name })}
          >
            <Icon name={icon} />
            {title}
            {name === "problems" && (
              <span
                className="count"
                data-bad={errors > 0 || undefined}
                aria-label={`${counted(errors, "error")}, ${counted(problems.length - errors, "warning")}`}
              >
                {problems.length}
              </span>
            )}
            {name === "comments" && comments > 0 && (
              <span className="count" aria-label={`${comments} open`}>
                {comments}
              </span>
            )}
          </button>
        ))}
      </div>
      {panel && <Divider side="bottom" />}
      {panel && (
        <div id="bottom-panel" className="bottom-panel" role="tabpanel" aria-label={panel} tabIndex={0}>
          {{ problems: <Problems />, test: <Test />, comments: <Comments />, history: <History /> }[panel]}
        </div>
      )}
    </section>
  );
}

/** Says things aloud, and shows them for a while. */
function Announcement() {
  const said = useBuilder((now) => now.said);
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    if (!said.count) return undefined;
    setIsShown(true);
    const timer = window.setTimeout(() => setIsShown(false), 6000);
    return () => window.clearTimeout(timer);
  }, [said]);
  return (
    <div className="said" role="status" aria-live="polite">
      {isShown && said.text && <p className={`toast ${said.kind === "bad" ? "error" : "info"}`}>{said.text}</p>}
    </div>
  );
}
