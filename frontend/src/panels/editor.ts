/** A CodeMirror editor for texts of definitions. Loaded when it is needed. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { allowStyles, oneWriter } from "../inspector/expression/styles";
import type { Format } from "./text";

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--wait)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "0.8125rem" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--well)", color: "var(--quiet)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--well)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-tooltip": { backgroundColor: "var(--card)", border: "1px solid var(--line)", color: "var(--ink)" },
});

export interface TextEditor {
  text: () => string;
  setText: (text: string) => void;
  setFormat: (format: Format) => void;
  mark: (faults: { line: number; message: string; severity: "error" | "warning" }[]) => void;
  goTo: (line: number) => void;
  end: () => void;
}

/** An editor in `parent`; `changed` is called when a person types. */
export function openEditor(
  parent: HTMLElement,
  text: string,
  format: Format,
  readOnly: boolean,
  changed: () => void,
): TextEditor {
  const language = new Compartment();
  const languageOf = (of: Format) => (of === "json" ? json() : yaml());
  let isOurs = false;
  allowStyles();
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        oneWriter(false),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        syntaxHighlighting(COLOURS),
        LOOK,
        language.of(languageOf(format)),
        EditorState.readOnly.of(readOnly),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "The definition as text", tabindex: "0" }),
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOurs) changed();
        }),
      ],
    }),
  });
  const lineAt = (line: number) => view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
  return {
    text: () => view.state.doc.toString(),
    setText: (next) => {
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isOurs = false;
    },
    setFormat: (next) => view.dispatch({ effects: language.reconfigure(languageOf(next)) }),
    mark: (faults) => {
      const found: Diagnostic[] = faults.map(({ line, message, severity }) => ({
        from: lineAt(line).from,
        to: lineAt(line).to,
        message,
        severity,
      }));
      view.dispatch(setDiagnostics(view.state, found));
    },
    goTo: (line) => {
      view.dispatch({
        selection: { anchor: lineAt(line).from },
        effects: EditorView.scrollIntoView(lineAt(line).from, { y: "center" }),
      });
      view.focus();
    },
    end: () => view.destroy(),
  };
}
