// The whole island without a browser: a page of its own, and a small server of the tests that is asked over HTTP.
// Its draft is changed by the rules of changes, which the vectors hold to those of the server.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { build } from "esbuild";
import { Window } from "happy-dom";
import { source } from "./load.mjs";

// What a module of the island takes for granted.
const GLOBALS = [
  "document",
  "navigator",
  "localStorage",
  "sessionStorage",
  "Element",
  "HTMLElement",
  "HTMLInputElement",
  "HTMLIFrameElement",
  "SVGElement",
  "Node",
  "DOMParser",
  "KeyboardEvent",
  "MutationObserver",
  "ResizeObserver",
  "DOMMatrixReadOnly",
];
const CALLED = ["getComputedStyle", "requestAnimationFrame", "cancelAnimationFrame"];
let window = null;

/** Another page in place of the one before. */
async function turnPage() {
  await window?.happyDOM.close();
  window = new Window({ url: "http://127.0.0.1/", width: 1440, height: 900 });
  globalThis.window = window;
  for (const name of GLOBALS) globalThis[name] = window[name];
  for (const name of CALLED) globalThis[name] = window[name].bind(window);
  return window.document;
}

after(() => window?.happyDOM.close());

// What a page of before still asks for keeps no process: a forced exit would lose the report of the last tests.
const { setInterval } = globalThis;
globalThis.setInterval = (...given) => setInterval(...given).unref();

const file = join(mkdtempSync(join(tmpdir(), "handoff-")), "island.mjs");
const PARTS = {
  store: "store",
  folds: "folds",
  sync: "sync",
  keys: "keys",
  changes: "model/changes",
  document: "model/document",
  meanwhile: "model/meanwhile",
};
const contents = `${Object.entries(PARTS)
  .map(([name, path]) => `export * as ${name} from "./${path}";`)
  .join("\n")}\nimport "./main";`;
// A text editor needs a browser that lays out: fields are plain texts, as they are where it can't be had.
const noEditor = {
  name: "no editor",
  setup: (bundle) =>
    bundle.onResolve({ filter: /\/editor$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./no-editor", external: true } : undefined,
    ),
};
// In one piece: every import of it is a page that was just opened.
await build({
  stdin: { contents, resolveDir: source, loader: "ts" },
  outfile: file,
  bundle: true,
  format: "esm",
  jsx: "automatic",
  target: "es2022",
  loader: { ".css": "empty" },
  plugins: [noEditor],
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "silent",
});

// What the server tells of step types and forms; its own tests hold this file to it.
const palette = JSON.parse(readFileSync(join(source, "../../tests/workflows/palette.json"), "utf8"));

/** Lets everything happen that is due now. */
export const settled = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

/** How long a condition may take: a machine that builds other things at the same time is slow. */
const MOST_MS = 10_000;

/** Waits until it is so; what `look` gives is given. Raises what it last raised at the time limit. */
export async function until(look) {
  const end = performance.now() + MOST_MS;
  for (;;) {
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    if (performance.now() > end) throw new Error(`It never came: ${look}`);
    await settled();
  }
}

/** Waits until `look` gives this; fails with the difference at the time limit. */
export const becomes = (look, expected, message) =>
  until(async () => {
    assert.deepEqual(await look(), expected, message);
    return true;
  });

/** Waits until the text that `look` gives matches; fails with the text at the time limit. */
export const says = (look, pattern) =>
  until(async () => {
    assert.match((await look()) ?? "", pattern);
    return true;
  });

let opened = 0;

/** Waits until the page has taken the answer to its first request, which replaces what it knows of the draft. */
function firstAnswer({ useBuilder }) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("The first request was never answered.")), MOST_MS);
    const leave = useBuilder.subscribe((now, was) => {
      const isTaken = now.boot === was.boot && now.problems !== was.problems;
      if (!isTaken && now.save.kind !== "offline") return;
      clearTimeout(late);
      leave();
      resolve();
    });
  });
}

/** A builder that was opened on a draft and has the server's first answer, and what its hands can do. */
export async function open(definition = {}, boot = {}, reader = {}) {
  opened += 1;
  const server = new Server({ name: "ours", title: "Ours", nodes: [], edges: [], ...definition });
  server.layout = boot.layout ?? {};
  const base = await server.listens();
  const urls = {
    api: `${base}/ours`,
    workflows: base,
    calendars: `${base}/calendars`,
    members: `${base}/members`,
    groups: `${base}/groups`,
    telemetry: `${base}/telemetry`,
    workflow: "/workflows/ours",
  };
  const given = {
    name: "ours",
    title: "Ours",
    revision: server.revision,
    definition: server.definition,
    cannot: null,
    layout: {},
    saved_at: "2027-01-31T09:00:00Z",
    saved_by: "ann",
    latest: null,
    most_steps: 500,
    published: [],
    archived: false,
    may_write: true,
    may_publish: true,
    may_start: true,
    triggers: [],
    me: "ann",
    kept_as: `ann:${opened}`,
    ...palette,
    sprite: "/sprite.svg",
    urls,
    ...boot,
  };
  const page = await turnPage();
  // In which time zone and language its reader sees moments.
  Object.assign(page.documentElement.dataset, reader);
  page.body.innerHTML = `<div id="builder"></div><script type="application/json" id="builder-boot"></script>`;
  page.getElementById("builder-boot").textContent = JSON.stringify(given);
  const parts = await import(`${file}?${opened}`);
  server.rules = { ...parts.changes, ...parts.document, ...parts.meanwhile };
  server.remembers();
  // What a test sets before that would be lost.
  await Promise.all([firstAnswer(parts.store), until(() => page.querySelector(".builder"))]);
  /** What the server has, when it has everything. */
  const saved = async () => {
    await until(() => parts.store.state().save.kind === "saved" && parts.store.state().pending.length === 0);
    return server.definition;
  };
  /** The server has found these problems, and the page knows of them. */
  const judged = (problems) => {
    server.problems = problems;
    parts.store.set({ problems });
  };
  return { ...parts, server, page, saved, judged, ...hands(page, parts.store) };
}

function hands(page, store) {
  const press = (name) => {
    const [key, ...held] = name.split("+").reverse();
    const options = {
      key,
      ctrlKey: held.includes("Control"),
      shiftKey: held.includes("Shift"),
      altKey: held.includes("Alt"),
      bubbles: true,
      cancelable: true,
    };
    return (page.activeElement ?? page.body).dispatchEvent(new window.KeyboardEvent("keydown", options));
  };
  /** What is typed, sign by sign, in place of what the field has. */
  const write = (text) => {
    const field = page.activeElement;
    const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set;
    for (let end = 1; end <= text.length; end += 1) {
      set.call(field, text.slice(0, end));
      field.dispatchEvent(new window.Event("input", { bubbles: true }));
    }
  };
  /** What comes in one go, as out of the clipboard. */
  const put = (text) => {
    const field = page.activeElement;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new window.Event("input", { bubbles: true }));
  };
  const rows = () =>
    [...page.querySelectorAll("[role=treeitem]")].map(
      (row) => row.querySelector(".outline-words > span:not(.sr-only)").textContent,
    );
  const done = () => ({
    undo: store.state().undo.map(({ label }) => label),
    redo: store.state().redo.map(({ label }) => label),
  });
  /** Waits until the focus is there; what has it is given. */
  const at = (place) =>
    until(() => {
      const here = page.activeElement;
      if (!here?.matches(place))
        throw new Error(`The focus is not at ${place}, but at ${here?.outerHTML.slice(0, 120)}`);
      return here;
    });
  /** Types into the search that is open, and waits until this is what Enter takes. */
  const search = async (text, option = text) => {
    await at("[role=combobox]");
    put(text);
    const marked = () => page.querySelector("dialog [role=option][aria-selected=true] strong")?.textContent;
    await becomes(marked, option);
  };
  return { press, write, put, rows, done, at, search };
}

class Server {
  revision = 1;
  answers = [];
  calendars = [];
  members = [];
  groups = [];
  problems = [];
  /** What the draft was, by revision. */
  drafts = new Map();

  constructor(definition) {
    this.definition = definition;
    this.layout = {};
    /** Who wants to answer later takes the place of this. */
    this.before = async () => undefined;
  }

  async listens() {
    this.http = createServer((request, response) => {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", async () => {
        const body = chunks.length ? JSON.parse(Buffer.concat(chunks)) : null;
        await this.before(request, body);
        const [status, answer] = this.answer(request, body);
        response
          .writeHead(status, { "Content-Type": "application/json", Connection: "close" })
          .end(JSON.stringify(answer));
      });
    });
    await new Promise((resolve) => this.http.listen(0, "127.0.0.1", resolve));
    this.http.unref();
    return `http://127.0.0.1:${this.http.address().port}`;
  }

  answer({ method, url }, body) {
    if (url.endsWith("/rename-step")) return [200, { definition: renamed(body) }];
    if (url.endsWith("/draft") && method === "PATCH") return [200, this.changed(body)];
    if (url.endsWith("/draft"))
      return [200, { revision: this.revision, definition: this.definition, layout: this.layout }];
    if (url.endsWith("/validate")) return [200, { problems: this.problems }];
    if (url.includes("/members?")) return [200, { results: this.members }];
    if (url.includes("/groups?")) return [200, { results: this.groups }];
    if (url.includes("/calendars?")) return [200, { results: this.calendars }];
    return [404, { error: { code: "not_found", message: "That is judged by the server." } }];
  }

  remembers() {
    this.drafts.set(this.revision, this.rules.keyed(this.definition, this.layout));
  }

  changed({ revision, groups }) {
    const now = this.rules.keyed(this.definition, this.layout);
    let doc = now;
    const [applied, conflicts] = [[], []];
    for (const group of groups) {
      const made = this.rules.applyLate(doc, group.changes, this.drafts.get(revision) ?? now, now);
      if (made.misfit) {
        const { path, to } = made.misfit;
        conflicts.push({ group: group.id, path, yours: to, theirs: this.rules.at(doc, path), by: "eve", at: null });
      } else {
        doc = made.doc;
        applied.push(group.id);
      }
    }
    const isBehind = revision !== this.revision;
    if (applied.length) this.revision += 1;
    this.definition = this.rules.definitionOf(doc);
    this.layout = doc.layout;
    this.remembers();
    return {
      revision: this.revision,
      applied,
      conflicts,
      problems: this.problems,
      ...(isBehind || conflicts.length ? { definition: this.definition, layout: this.layout } : {}),
    };
  }
}

/** Another id for a step and its ways; expressions are not the matter here. */
function renamed({ definition, from, to }) {
  const called = (id) => (id === from ? to : id);
  return {
    ...definition,
    nodes: definition.nodes.map((node) => ({ ...node, id: called(node.id) })),
    edges: definition.edges.map((edge) => ({ ...edge, from: called(edge.from), to: called(edge.to) })),
  };
}
