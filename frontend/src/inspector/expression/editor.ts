/** CodeMirror, loaded when somebody edits code. Everything that knows it is here. */

import {
  acceptCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
  selectedCompletion,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, insertNewlineAndIndent } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorSelection, EditorState, type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { MOST_SHOWN, blanks, headOf, method, slashAt } from "../../model/slash";
import type { Callable, Entry, Scope } from "./scope";
import { allowStyles, oneWriter } from "./styles";
import { goOn } from "../going";
import { type TestValue, carried } from "./target";

export type Language = "json" | "template" | "cel";

export interface Wanted {
  value: string;
  /** Where the cursor is; at the end without. */
  cursor?: number;
  language: Language;
  isLong: boolean;
  isReadOnly: boolean;
  attributes: Record<string, string>;
  hint?: string;
  onChange: (text: string) => void;
  onFocus?: () => void;
  /** A value of a test run was dropped: whether it can be read here. */
  takes?: (value: TestValue) => boolean;
  /** What completion offers. */
  scope?: () => Promise<Scope | null>;
}

export interface Editor {
  set: (text: string) => void;
  attributes: (all: Record<string, string>) => void;
  /** Puts a value in at the cursor, in braces where it stands in a text. */
  insert: (path: string) => void;
  /** Opens the list where a `/` asks for it. */
  offer: () => void;
  focus: () => void;
  destroy: () => void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--wait)" },
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.variableName, color: "var(--accent)" },
  { tag: tags.meta, color: "var(--quiet)", fontWeight: "700" },
  { tag: [tags.operator, tags.punctuation], color: "var(--quiet)" },
]);

const LOOK = EditorView.theme({
  "&": {
    background: "var(--card)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--round)",
    fontSize: "var(--size-small)",
    maxHeight: "24rem",
  },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "0.35rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.6rem" },
  ".cm-placeholder": { color: "var(--quiet)" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--accent-soft)" },
  ".cm-tooltip": {
    background: "var(--card)",
    border: "1px solid var(--line)",
    borderRadius: "var(--round)",
    boxShadow: "var(--shadow)",
    color: "var(--ink)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    maxHeight: "16rem",
    maxWidth: "min(26rem, 90vw)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.25rem 0.6rem", lineHeight: "1.4" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent-soft)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal", marginLeft: "0.75rem" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > completion-section": {
    padding: "0.4rem 0.6rem 0.15rem",
    border: "0",
    color: "var(--quiet)",
    fontFamily: "var(--sans)",
    fontWeight: "600",
  },
  ".cm-snippetField": { background: "var(--accent-soft)" },
  ".cm-completionInfo": { padding: "0.5rem 0.75rem", maxWidth: "18rem", fontFamily: "var(--sans)", lineHeight: "1.4" },
});

interface Stream {
  isOpen: boolean;
}

/** Expressions, and texts with holes for them. */
function celOf(isTemplate: boolean): Extension {
  return StreamLanguage.define<Stream>({
    startState: () => ({ isOpen: !isTemplate }),
    token(stream, now) {
      if (isTemplate && !now.isOpen) {
        if (stream.match("{{")) {
          now.isOpen = true;
          return "meta";
        }
        stream.next();
        stream.eatWhile(/[^{]/);
        return null;
      }
      if (isTemplate && stream.match("}}")) {
        now.isOpen = false;
        return "meta";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
      if (stream.match(/^\d+(\.\d+)?/)) return "number";
      if (stream.match(/^(true|false|null|in)\b/)) return "keyword";
      if (stream.match(/^[A-Za-z_]\w*(?=\()/)) return "keyword";
      if (stream.match(/^[A-Za-z_]\w*/)) return "variableName";
      if (stream.match(/^[=!<>&|?:+\-*/%]+/)) return "operator";
      stream.next();
      return "punctuation";
    },
  });
}

/** Whether a place of a text is inside of a hole. */
function isInHole(text: string, at: number): boolean {
  const before = text.slice(0, at);
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

function inPlaceOf(text: string, at: number, language: Language, path: string): string {
  return language === "template" && !isInHole(text, at) ? `{{ ${path} }}` : path;
}

function sampleLine(entry: Entry): string {
  const said = entry.sample === undefined ? "" : JSON.stringify(entry.sample);
  return said.length > 120 ? `${said.slice(0, 119)}…` : said;
}

/** Where an option stands in the list, and whether a `/` before it goes when it is taken. */
interface Listed {
  language: Language;
  place: number;
  /** What stands over its group, where that is not its name. */
  head?: string;
  isSlashed: boolean;
}

function ofEntry(entry: Entry, { language, place, isSlashed, head }: Listed): Completion {
  const info = [entry.title ?? "", entry.from, entry.always ? "" : "May be missing.", sampleLine(entry)]
    .filter(Boolean)
    .join("\n");
  return {
    label: entry.path,
    detail: entry.type + (entry.always ? "" : "?"),
    info: () => lines(info),
    boost: Math.max(-90, 40 - place),
    section: { name: entry.from, rank: place, ...(head ? { header: () => headElement(head) } : {}) },
    apply: (view, _completion, from, to) => put(view, language, entry.path, from - Number(isSlashed), to),
  };
}

function headElement(text: string): HTMLElement {
  const head = document.createElement("completion-section");
  head.textContent = text;
  return head;
}

function lines(text: string): HTMLElement {
  const box = document.createElement("div");
  for (const line of text.split("\n")) box.appendChild(document.createElement("div")).textContent = line;
  return box;
}

const FUNCTIONS = { name: "Functions", rank: 10_000 };

/** A function; `of` is the value in the text that it is asked of: then it is offered as `value.contains(…)`. */
function ofFunction(
  { name, signature, help, example }: Callable,
  { language, isSlashed }: Listed,
  of: string | null,
): Completion | null {
  const rest = of === null ? null : method(signature);
  if (of !== null && rest === null) return null;
  const form = rest === null ? blanks(signature || `${name}()`) : `${of}${blanks(rest)}`;
  return {
    label: of === null ? name : `${of}.${name}`,
    displayLabel: name,
    detail: signature,
    info: () => lines([help, example].filter(Boolean).join("\n")),
    boost: -95,
    section: FUNCTIONS,
    type: "function",
    apply: (view, completion, from, to) => {
      const start = from - Number(isSlashed);
      const text = view.state.doc.toString();
      snippet(inPlaceOf(text, start, language, form) + ending(text, start, to, language))(view, completion, start, to);
    },
  };
}

/** What ends a hole that was only begun. */
function ending(text: string, from: number, to: number, language: Language): string {
  const isOpen = language === "template" && isInHole(text, from) && !/^[^{]*\}\}/.test(text.slice(to));
  return isOpen ? " }}" : "";
}

function put(view: EditorView, language: Language, path: string, from: number, to: number): void {
  const text = view.state.doc.toString();
  const made = inPlaceOf(text, from, language, path);
  view.dispatch({
    changes: { from, to, insert: made + ending(text, from, to, language) },
    selection: EditorSelection.cursor(from + made.length),
    userEvent: "input.complete",
  });
}

const WORD = /[A-Za-z_][\w]*(?:\.\w*|\["[^"\]]*"?\]?|\[\d*\]?)*/;
/** What a value is expected after. */
const EXPECTS = /[{(!&|=<>+?:,\s]$/;

function completing(language: Language, scope: () => Promise<Scope | null>) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    const isText = language === "template" && !isInHole(text, context.pos);
    const slash = slashAt(text, context.pos, isText);
    const word = slash === null ? context.matchBefore(WORD) : null;
    const isAsked = slash !== null || context.explicit;
    if (!isAsked && (isText || (!word && !EXPECTS.test(text.slice(0, context.pos))))) return null;
    const found = await scope();
    if (!found) return null;
    const from = slash === null ? (word?.from ?? context.pos) : slash + 1;
    const listed = (place: number) => ({ language, place, isSlashed: slash !== null });
    const count = found.entries.length + found.functions.length;
    const group = found.entries[0]?.from;
    const head = count > MOST_SHOWN && group !== undefined ? headOf(group, count) : undefined;
    const point = word?.text.lastIndexOf(".") ?? -1;
    const of = point > 0 ? (word?.text.slice(0, point) ?? null) : null;
    const options = [
      ...found.entries.map((entry, place) =>
        ofEntry(entry, { ...listed(place), head: entry.from === group ? head : undefined }),
      ),
      ...found.functions.map((each) => ofFunction(each, listed(0), of)),
    ];
    return { from, options: options.filter((each) => each !== null), validFor: /^[\w.[\]"]*$/ };
  };
}

/** Takes what is marked in the list; where that is written already, Tab leads on. */
function takeByTab(view: EditorView): boolean {
  const marked = selectedCompletion(view.state);
  if (!marked || completionStatus(view.state) !== "active") return false;
  const before = view.state.sliceDoc(0, view.state.selection.main.head);
  return before.endsWith(marked.label) ? false : acceptCompletion(view);
}

/** To the next field; where the text is in no form, nothing happens. */
function goOnFrom(text: HTMLElement): boolean {
  const pane = text.closest(".inspector");
  if (pane && !text.closest("dialog")) goOn(pane);
  return true;
}

/** An editor in `parent`. */
export function mount(parent: HTMLElement, wanted: Wanted): Editor {
  allowStyles();
  const { language, isLong } = wanted;
  const told = new Compartment();
  let isSetting = false;
  const scope = wanted.scope;
  const oneLine = keymap.of([
    // One line: Enter goes on as in every field.
    { key: "Enter", run: (shown) => goOnFrom(shown.contentDOM) },
    { key: "Shift-Enter", run: insertNewlineAndIndent },
  ]);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: wanted.value,
      selection: EditorSelection.cursor(Math.min(wanted.cursor ?? wanted.value.length, wanted.value.length)),
      extensions: [
        history(),
        EditorView.lineWrapping,
        language === "json" ? json() : celOf(language === "template"),
        syntaxHighlighting(COLOURS),
        LOOK,
        bracketMatching(),
        oneWriter(true),
        closeBrackets(),
        language === "template"
          ? EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", "{"] } }])
          : [],
        scope
          ? autocompletion({
              override: [completing(language, scope)],
              icons: false,
              interactionDelay: 0,
              maxRenderedOptions: MOST_SHOWN,
              tooltipClass: () => "builder-completion",
            })
          : [],
        Prec.highest(
          keymap.of(
            scope
              ? [...completionKeymap, { key: "Ctrl-Space", run: startCompletion }, { key: "Tab", run: takeByTab }]
              : [],
          ),
        ),
        isLong || language === "json" ? [] : oneLine,
        keymap.of([{ key: "Mod-Enter", run: (shown) => goOnFrom(shown.contentDOM) }]),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
        wanted.hint ? placeholder(wanted.hint) : [],
        EditorState.readOnly.of(wanted.isReadOnly),
        EditorView.editable.of(!wanted.isReadOnly),
        EditorView.domEventHandlers({
          drop: (event, shown) => {
            const value = carried(event.dataTransfer);
            if (!value || wanted.isReadOnly || !wanted.takes) return false;
            event.preventDefault();
            const at = shown.posAtCoords({ x: event.clientX, y: event.clientY }) ?? shown.state.doc.length;
            if (wanted.takes(value)) put(shown, language, value.path, at, at);
            shown.focus();
            return true;
          },
        }),
        told.of(EditorView.contentAttributes.of(wanted.attributes)),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) wanted.onChange(update.state.doc.toString());
          if (update.focusChanged && update.view.hasFocus) wanted.onFocus?.();
        }),
      ],
    }),
  });
  return {
    set: (text) => {
      if (text === view.state.doc.toString()) return;
      isSetting = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      isSetting = false;
    },
    attributes: (all) => view.dispatch({ effects: told.reconfigure(EditorView.contentAttributes.of(all)) }),
    insert: (path) => {
      const { from, to } = view.state.selection.main;
      put(view, language, path, from, to);
      view.focus();
    },
    offer: () => {
      const text = view.state.doc.toString();
      const at = view.state.selection.main.head;
      if (view.hasFocus && slashAt(text, at, language === "template" && !isInHole(text, at)) !== null)
        startCompletion(view);
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
