import { useEffect, useRef, useState } from "react";
import { Here } from "./Here";
import { Icon } from "./Icon";
import { type Side, togglePanel } from "./frame/sizes";
import { goToConflicts } from "./keys";
import { timeOf } from "./reader";
import { redo, set, undo, useBuilder } from "./store";

/** What is saved and what is not, as it is. */
function SaveState() {
  const save = useBuilder((now) => now.save);
  const waiting = useBuilder((now) => now.pending.length);
  const isKept = useBuilder((now) => now.isKept);
  const conflicts = useBuilder((now) => now.conflicts.filter((each) => !each.refused).length);
  const refused = useBuilder((now) => now.conflicts.length) - conflicts;
  const isListed = useBuilder((now) => now.showsConflicts);
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    setIsSlow(false);
    if (save.kind !== "saving") return undefined;
    const timer = window.setTimeout(() => setIsSlow(true), 400);
    return () => window.clearTimeout(timer);
  }, [save.kind]);
  const count = `${waiting} change${waiting === 1 ? "" : "s"}`;
  const said =
    save.kind === "offline"
      ? waiting && !isKept
        ? `Not saved: ${count} in this tab only. The browser's storage is full; keep the tab open.`
        : save.why || `Offline. ${waiting ? count : "Your edits are"} kept in this browser`
      : save.kind === "refused"
        ? `Not saved: ${save.why}`
        : save.kind === "saving"
          ? "Saving…"
          : `Saved ${timeOf(save.at)}`;
  return (
    <span
      className="save-state"
      data-state={save.kind}
      data-waiting={waiting}
      data-slow={isSlow || undefined}
      role="status"
    >
      <Icon name={save.kind === "saved" ? "cloud-check" : save.kind === "saving" ? "refresh-cw" : "cloud-off"} />
      <span>{said}</span>
      {conflicts + refused > 0 && (
        <button
          type="button"
          className="link save-conflict"
          data-conflicts
          aria-expanded={isListed}
          title="Show unsaved changes (Shift+C)"
          onClick={isListed ? () => set({ showsConflicts: false }) : goToConflicts}
        >
          {[
            conflicts > 0 && `Conflict in ${conflicts === 1 ? "1 field" : `${conflicts} fields`}`,
            refused > 0 && `${refused === 1 ? "1 change" : `${refused} changes`} can't be saved`,
          ]
            .filter(Boolean)
            .join("; ")}
        </button>
      )}
    </span>
  );
}

/** To where a run of the latest version is started; on a phone it stands among the rest. */
function Start({ className }: { className: string }) {
  const { urls, latest } = useBuilder((now) => now.boot);
  return (
    <a className={className} href={`${urls.workflow}#start`} data-command={`Start version ${latest}`}>
      <Icon name="play" />
      <span>Start version {latest}</span>
    </a>
  );
}

/** Ways out of the builder, and what is asked for now and then. */
function More() {
  const { urls, latest, may_start: mayStart } = useBuilder((now) => now.boot);
  const view = useBuilder((now) => now.view);
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      if (
        menu.current?.open &&
        (event.type === "keydown"
          ? (event as KeyboardEvent).key === "Escape"
          : !menu.current.contains(event.target as Node))
      )
        menu.current.open = false;
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close, true);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close, true);
    };
  }, []);
  return (
    <details className="more" ref={menu}>
      <summary className="button plain small icon-only" aria-label="More" title="More">
        <Icon name="ellipsis" />
      </summary>
      <div className="more-list">
        <button
          type="button"
          onClick={() => {
            if (menu.current) menu.current.open = false;
            set({ view: view === "code" ? "canvas" : "code" });
          }}
        >
          <Icon name={view === "code" ? "workflow" : "file-json"} />
          {view === "code" ? "As a graph" : "As text"}
        </button>
        {mayStart && latest !== null && <Start className="only-narrow" />}
        {urls.pipeline && (
          <a href={urls.pipeline}>
            <Icon name="list" />
            Simple form
          </a>
        )}
        <a href={urls.versions}>
          <Icon name="history" />
          Versions
        </a>
        <a href={urls.definition}>
          <Icon name="download" />
          Export
        </a>
        <a href="/workflows/import">
          <Icon name="upload" />
          Import
        </a>
        <button
          type="button"
          onClick={() => {
            if (menu.current) menu.current.open = false;
            set({ showsKeys: true });
          }}
        >
          <Icon name="keyboard" />
          Keyboard shortcuts
        </button>
      </div>
    </details>
  );
}

/** Closes a panel beside the canvas, or opens it. */
function PanelSwitch({ side, name, hint, icon }: { side: Side; name: string; hint: string; icon: string }) {
  const isOpen = useBuilder((now) => !now.panels[side].isClosed);
  const title = `${isOpen ? "Close" : "Open"} the ${name.toLowerCase()} (${hint})`;
  return (
    <button
      type="button"
      className="button plain small icon-only"
      aria-label={`${name} panel`}
      aria-expanded={isOpen}
      title={title}
      onClick={() => togglePanel(side)}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The head of the builder: where we are, what is saved, and what comes of it. */
export function Header() {
  const {
    urls,
    name,
    latest,
    may_write: mayWrite,
    may_publish: mayPublish,
    may_start: mayStart,
    archived,
  } = useBuilder((now) => now.boot);
  const title = useBuilder((now) => now.doc.settings.title);
  const view = useBuilder((now) => now.view);
  const cannot = useBuilder((now) => now.cannot);
  const undoes = useBuilder((now) => now.undo.at(-1)?.label);
  const redoes = useBuilder((now) => now.redo.at(-1)?.label);
  const errors = useBuilder((now) => now.problems.filter((problem) => problem.severity === "error").length);
  return (
    <header className="builder-head">
      <a
        className="button plain small icon-only"
        href={urls.workflow}
        aria-label="Back to the workflow"
        title="Back to the workflow"
      >
        <Icon name="arrow-left" />
      </a>
      <div className="builder-title">
        <h1>{typeof title === "string" && title ? title : name}</h1>
        <span className="version">{latest === null ? "not published yet" : `draft, version ${latest} is live`}</span>
      </div>
      {mayWrite ? <SaveState /> : <span className="save-state">{archived ? "Archived: read-only" : "View only"}</span>}
      <div className="builder-tools">
        <Here />
        {mayWrite && (
          <>
            <button
              type="button"
              className="button plain small icon-only"
              disabled={!undoes}
              aria-label={undoes ? `Undo: ${undoes}` : "Undo"}
              title={undoes ? `Undo: ${undoes} (Ctrl+Z)` : "Nothing to undo"}
              onClick={undo}
            >
              <Icon name="undo-2" />
            </button>
            <button
              type="button"
              className="button plain small icon-only"
              disabled={!redoes}
              aria-label={redoes ? `Redo: ${redoes}` : "Redo"}
              title={redoes ? `Redo: ${redoes} (Ctrl+Shift+Z)` : "Nothing to redo"}
              onClick={redo}
            >
              <Icon name="redo-2" />
            </button>
          </>
        )}
        <div className="switch" role="group" aria-label="View">
          <button
            type="button"
            aria-pressed={view === "canvas"}
            disabled={cannot !== null}
            onClick={() => set({ view: "canvas" })}
          >
            <Icon name="workflow" />
            <span>Canvas</span>
          </button>
          <button type="button" aria-pressed={view === "code"} onClick={() => set({ view: "code" })}>
            <Icon name="file-json" />
            <span>Text</span>
          </button>
        </div>
        {view === "canvas" && (
          <div className="not-narrow panel-switches" role="group" aria-label="Panels">
            <PanelSwitch side="left" name="Steps" hint="[" icon="list-tree" />
            <PanelSwitch side="right" name="Form" hint="]" icon="square-pen" />
          </div>
        )}
        <button
          type="button"
          className="button plain small head-test"
          title="Test (T)"
          onClick={() => set({ panel: "test" })}
        >
          <Icon name="flask-conical" />
          <span>Test</span>
        </button>
        <More />
        {mayStart && latest !== null && <Start className="button plain small not-narrow" />}
        {mayPublish && (
          <button
            type="button"
            className="button small"
            title={errors ? `Fix ${errors} ${errors === 1 ? "error" : "errors"} first` : "Publish (Shift+P)"}
            onClick={() => set({ publishing: true })}
          >
            <Icon name="check" />
            <span>Publish</span>
          </button>
        )}
      </div>
    </header>
  );
}
