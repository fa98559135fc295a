import { createRoot } from "react-dom/client";
import { App } from "./App";
import { ask } from "./api";
import { type Boot, boot } from "./boot";
import { allPlaced } from "./canvas/layout";
import { keptPanels } from "./frame/sizes";
import { beat, keptText } from "./kept";
import type { Catalogue } from "./model/catalogue";
import { knowTypes } from "./model/graph";
import { NotDrawable, keyed } from "./model/document";
import type { Doc } from "./model/document";
import { keptRuns } from "./panels/trial";
import { type Problem, set } from "./store";
import { startSync } from "./sync";
import { startTogether } from "./presence";
import "@xyflow/react/dist/style.css";
import "./style/frame.css";
import "./style/colours.css";
import "./style/canvas.css";
import "./style/frames.css";
import "./style/side.css";
import "./style/panels.css";
import "./style/tables.css";
import "./style/values.css";
import "./style/together.css";
import "./style/publish.css";

const EMPTY: Doc = { nodes: {}, edges: {}, settings: {}, layout: {} };

/** What stands against a draft that can't be drawn; of others saving it tells. */
async function judge({ urls, definition }: Boot): Promise<void> {
  const { problems } = await ask<{ problems: Problem[] }>(`${urls.workflows}/validate`, {
    method: "POST",
    body: { definition },
  });
  set({ problems });
}

async function start(): Promise<void> {
  const given = boot();
  knowTypes(given.step_types);
  const catalogue: Catalogue = Object.fromEntries(given.step_types.map((type) => [type.name, type]));
  let doc = EMPTY;
  let cannot = given.cannot;
  try {
    if (cannot === null) doc = keyed(given.definition, given.layout);
  } catch (error) {
    if (!(error instanceof NotDrawable)) throw error;
    cannot = error.message;
  }
  const { doc: shown, found } = await allPlaced(doc);
  doc = shown;
  set({
    boot: given,
    catalogue,
    doc,
    base: doc,
    revision: given.revision,
    pending: [],
    undo: [],
    redo: [],
    selected: { nodes: [], edges: [], notes: [] },
    folds: {},
    problems: [],
    conflicts: [],
    held: null,
    showsConflicts: true,
    save: { kind: "saved", at: given.saved_at },
    isKept: true,
    said: { text: "", kind: "info", count: 0 },
    panel: null,
    panels: keptPanels(given.me),
    tests: "run",
    failing: [],
    view: cannot === null ? "canvas" : "code",
    cannot,
    adding: null,
    look: null,
    marks: {},
    heat: { by: null, rows: null },
    trial: null,
    earlier: keptRuns(given.kept_as),
    focus: null,
    connecting: null,
    connectingTo: null,
    finding: false,
    publishing: false,
    unread: keptText(given.kept_as) !== null,
    showsKeys: false,
    auto: found,
    people: [],
    comments: [],
    commentsNumber: null,
  });
  if (cannot === null) {
    startSync();
    startTogether();
  } else void judge(given);
  window.setInterval(() => beat(given.kept_as), 2000);
  const root = document.getElementById("builder");
  if (root) createRoot(root).render(<App />);
}

start().catch((error: unknown) => {
  const root = document.getElementById("builder");
  if (root) root.textContent = "The builder can't be opened. Reload the page, or edit the definition as text.";
  throw error;
});
