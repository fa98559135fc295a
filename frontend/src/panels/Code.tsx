import { useEffect, useRef, useState } from "react";
import { Icon } from "../Icon";
import { unplaced, beside, withPlacesOf } from "../canvas/places";
import { applyWhatFits, at, diff } from "../model/changes";
import type { Doc } from "../model/document";
import { NotDrawable, definitionOf, keyed } from "../model/document";
import type { Json, JsonObject } from "../model/json";
import { same } from "../model/json";
import { keepText, keptText } from "../kept";
import { act, definition, say, set, state, useBuilder, uuid } from "../store";
import type { TextEditor } from "./editor";
import type { Format } from "./text";

const QUIET_MS = 350;
const KEY = "handoff-text-format";

/** The draft as text. What is typed is the draft as soon as it can be read; each stretch of typing is one act. */
export function Code() {
  const boot = useBuilder((now) => now.boot);
  const doc = useBuilder((now) => now.doc);
  const problems = useBuilder((now) => now.problems);
  const cannot = useBuilder((now) => now.cannot);
  const [format, setFormat] = useState<Format>(localStorage.getItem(KEY) === "yaml" ? "yaml" : "json");
  const [fault, setFault] = useState<string | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<TextEditor | null>(null);
  const reader = useRef<typeof import("./text") | null>(null);
  const timer = useRef<number | undefined>(undefined);
  const isTyped = useRef(false);
  /** What the text was written from: what others do meanwhile is not taken back by it. */
  const base = useRef<Doc>(doc);

  useEffect(() => {
    let isGone = false;
    void Promise.all([import("./text"), import("./editor")]).then(([text, { openEditor }]) => {
      if (isGone || !place.current) return;
      reader.current = text;
      editor.current = openEditor(
        place.current,
        text.written(definition(), format),
        format,
        !boot.may_write || cannot !== null,
        () => {
          isTyped.current = true;
          window.clearTimeout(timer.current);
          timer.current = window.setTimeout(take, QUIET_MS);
        },
      );
      marked();
      base.current = state().doc;
      const left = keptText(boot.kept_as);
      if (left === null || cannot !== null || !boot.may_write) return;
      // What could not be read when the view was left.
      base.current = left.base;
      editor.current.setText(left.text);
      take();
    });
    const leave = () =>
      keepText(
        boot.kept_as,
        isTyped.current && editor.current ? { text: editor.current.text(), base: base.current } : null,
      );
    window.addEventListener("pagehide", leave);
    return () => {
      isGone = true;
      window.removeEventListener("pagehide", leave);
      window.clearTimeout(timer.current);
      if (isTyped.current) take();
      leave();
      if (isTyped.current) say("The text has errors, so the draft was not changed. Your text is kept.", "bad");
      editor.current?.end();
    };
  }, []);

  useEffect(() => set({ unread: fault !== null }), [fault]);

  // What others do, or an undo, is shown; but never under somebody's hands.
  useEffect(() => {
    const text = reader.current;
    if (!text || !editor.current || isTyped.current) return;
    refreshed();
  }, [doc]);

  /** Shows the draft as it is now, where it says something else. */
  const refreshed = () => {
    const [text, open] = [reader.current, editor.current];
    if (!text || !open) return;
    const { doc: now } = state();
    base.current = now;
    const found = text.read(open.text());
    if (!("definition" in found) || !same(found.definition, definitionOf(now)))
      open.setText(text.written(definitionOf(now), format));
  };

  const marked = () => {
    const [text, open] = [reader.current, editor.current];
    if (!text || !open) return;
    const source = open.text();
    open.mark(
      state().problems.map((problem) => ({
        line: text.lineOf(source, problem.field),
        message: problem.message,
        severity: problem.severity,
      })),
    );
  };
  useEffect(marked, [problems]);

  const take = () => {
    const [text, open] = [reader.current, editor.current];
    if (!text || !open) return;
    isTyped.current = false;
    const found = text.read(open.text());
    if ("fault" in found) {
      setFault(`Line ${found.fault.line}: ${found.fault.message}. The draft stays unchanged until this is fixed.`);
      open.mark([{ line: found.fault.line, message: found.fault.message, severity: "error" }]);
      isTyped.current = true;
      return;
    }
    const why = toDraft(found.definition, base.current, text);
    setFault(why);
    isTyped.current = why !== null;
    if (why === null) refreshed();
  };
  const choose = (next: Format) => {
    const [text, open] = [reader.current, editor.current];
    if (!text || !open || next === format || fault) return;
    localStorage.setItem(KEY, next);
    setFormat(next);
    open.setFormat(next);
    open.setText(text.written(definition(), next));
  };
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([editor.current?.text() ?? ""], { type: "text/plain" }));
    link.download = `${boot.name.replace(/:/g, "_")}.${format}`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div className="builder-middle code-view">
      <div className="code-head">
        <div className="switch" role="group" aria-label="Format">
          {(["json", "yaml"] as Format[]).map((each) => (
            <button key={each} type="button" aria-pressed={format === each} onClick={() => choose(each)}>
              {each.toUpperCase()}
            </button>
          ))}
        </div>
        <button
          type="button"
          className="button plain small"
          onClick={() => void navigator.clipboard?.writeText(editor.current?.text() ?? "")}
        >
          <Icon name="copy" />
          Copy
        </button>
        <button type="button" className="button plain small" onClick={download}>
          <Icon name="download" />
          Download
        </button>
        <p className={fault || cannot ? "bad-words" : "quiet small"} role="status">
          {cannot
            ? `This draft can't be shown as a graph: ${cannot}`
            : (fault ?? "The same draft as on the canvas. Valid changes are saved automatically.")}
        </p>
        {cannot && (
          <a className="button small" href={boot.urls.definition}>
            Fix it
          </a>
        )}
      </div>
      <div className="code-body" ref={place} />
    </div>
  );
}

/** Makes of the draft what was typed, from what it was written from; or says why it can't be. */
function toDraft(definition: JsonObject, base: Doc, reader: typeof import("./text")): string | null {
  const { doc, boot } = state();
  if (definition.name !== undefined && definition.name !== boot.name)
    return `The name is ${boot.name} and can't be changed here.`;
  const key = reader.foreign(definition);
  if (key !== null)
    return `\`${key}\` belongs to another workflow format. Import (under More) converts it and shows what would change first.`;
  try {
    const next = keyed(definition, base.layout as unknown as { [key: string]: Json });
    const changes = diff(base, unplaced(next).length ? withPlacesOf(next, beside(next)) : next);
    const { made } = applyWhatFits(doc, changes);
    act("Edit as text", made, { merge: "text" });
    const left = changes.filter((change) => !made.includes(change));
    const conflicts = left.map((change) => ({
      group: uuid(),
      label: "Edit as text",
      path: change.path,
      yours: change.to,
      theirs: at(doc, change.path),
      by: null,
      at: null,
      changes: [change],
    }));
    if (left.length) set({ conflicts: [...state().conflicts, ...conflicts] });
    return null;
  } catch (why) {
    if (why instanceof NotDrawable) return why.message;
    throw why;
  }
}
