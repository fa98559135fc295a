/** CodeMirror under the rules of the page, which allow no styles but those of its sheets. */

import { insertBracket } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

let isReady = false;

/**
 * Before the first editor is made. The page's rules allow no style elements; in a shadow root CodeMirror writes its styles
 * into a constructed sheet, which they do allow, and the document then uses the same one.
 */
export function allowStyles(): void {
  if (isReady) return;
  isReady = true;
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  new EditorView({ root, parent: root }).destroy();
  for (const symbol of Object.getOwnPropertySymbols(root)) {
    const found = (root as unknown as Record<symbol, unknown>)[symbol] as { sheet?: unknown } | undefined;
    if (found?.sheet instanceof CSSStyleSheet) (document as unknown as Record<symbol, unknown>)[symbol] = found;
  }
}

/**
 * Where something is selected, browsers write the styles of what was there into what takes its place: the page's rules forbid
 * that, so the editor writes it. `surrounds`: brackets and quotes go around what is selected.
 */
export function oneWriter(surrounds: boolean): Extension {
  return EditorView.domEventHandlers({
    beforeinput: (event, view) => {
      if (event.inputType !== "insertText" || !event.data || view.composing || view.state.selection.main.empty)
        return false;
      event.preventDefault();
      const around = surrounds ? insertBracket(view.state, event.data) : null;
      view.dispatch(
        around ??
          view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true }),
      );
      return true;
    },
  });
}
