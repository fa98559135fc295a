/** What the validator finds, in the words of the forms: `nodes[2].params.url` is "Address". */

import type { JsonObject } from "./json";
import { isObject } from "./json";
import type { Doc } from "./document";
import { entryAt } from "./bodies";
import { titleOf } from "./graph";
import { shapesOf } from "../inspector/schema";

/** What the fields of a definition are called, and those of each step type. */
export interface Called {
  definition: JsonObject;
  paramsOf: (type: string) => JsonObject | undefined;
}

/** A part of a sentence; `isCode` for what stands in the definition as it is written there. */
export interface Part {
  text: string;
  isCode: boolean;
}

type Token = string | number;

const PARTS: Record<string, string> = { retry: "retry", compensate: "compensation", boundary_timers: "boundary_timer" };

/** `nodes[2].params["a b"]` as its keys and places. */
export function tokensOf(path: string): Token[] | null {
  const tokens: Token[] = [];
  const token = /\.?([A-Za-z_][A-Za-z0-9_-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (token.lastIndex < path.length) {
    const found = token.exec(path);
    if (!found) return null;
    if (found[1] !== undefined) tokens.push(found[1]);
    else if (found[2] !== undefined) tokens.push(Number(found[2]));
    else tokens.push(JSON.parse(found[3]) as string);
  }
  return tokens;
}

/** The titles on the way through a form, from the first key to the last. */
function titles(
  keys: Token[],
  schema: JsonObject | undefined,
  root: JsonObject | undefined,
  called: Called,
  params: JsonObject | undefined,
): string[] {
  const said: string[] = [];
  let [here, top] = [schema, root];
  for (const key of keys) {
    if (typeof key === "number") {
      said.push(String(key + 1));
      here = here && isObject(here.items) ? here.items : here;
    } else if (key === "params") {
      [here, top] = [params, params];
    } else {
      const shape = here && top ? shapesOf(here, top).find((each) => each.name === key) : undefined;
      said.push(shape?.title ?? key);
      const part = top === root && PARTS[key] ? called.definition[PARTS[key]] : undefined;
      [here, top] = isObject(part) ? [part, part] : [shape?.schema, shape?.root];
    }
  }
  return said;
}

/** What a path of a definition is called; `own` is the step that is spoken of anyway. Null where it is no path. */
export function fieldWords(path: string, doc: Doc, called: Called, own: string | null): string | null {
  const tokens = tokensOf(path);
  if (!tokens || tokens.length === 0) return null;
  const [root, place] = tokens;
  const entry = entryAt(doc, tokens);
  if ((root === "nodes" || root === "edges") && typeof place === "number" && entry === null) return null;
  const keys = entry?.rest ?? [];
  if (entry?.root === "nodes") {
    const id = entry.key;
    const body = doc.nodes[id];
    const node = called.definition.node;
    const undo = body.compensate;
    const inside = keys[0] === "compensate" && isObject(undo) ? String(undo.type) : body.type;
    const said = titles(
      keys,
      isObject(node) ? node : undefined,
      isObject(node) ? node : undefined,
      called,
      called.paramsOf(inside),
    ).join(" › ");
    if (!said) return `“${titleOf(doc, id)}”`;
    return id === own ? said : `${said} of “${titleOf(doc, id)}”`;
  }
  if (entry?.root === "edges") {
    const edge = doc.edges[entry.key];
    const way = `the connection from “${titleOf(doc, edge.from)}” to “${titleOf(doc, edge.to)}”`;
    const said = { when: "The condition", branch: "The outcome", from: "The start", to: "The end" }[String(keys[0])];
    return keys.length ? `${said ?? String(keys[0])} of ${way}` : way;
  }
  const { settings } = called.definition;
  const known = isObject(settings) && shapesOf(settings).some((each) => each.name === root);
  return known ? titles(tokens, settings as JsonObject, settings as JsonObject, called, undefined).join(" › ") : null;
}

/** Problems whose `names` are steps and not what stands in an expression. */
const ABOUT_STEPS = new Set([
  "cycle",
  "duplicate_edge",
  "edge_never_taken",
  "error_edge_never_taken",
  "incompatible_input",
  "join_never_fires",
  "no_deadline",
  "no_default_edge",
  "no_error_edge",
  "no_language_model",
  "no_mail_server",
  "no_steps",
  "value_never_there",
  "value_not_on_every_path",
  "chain_too_long",
]);

/** What the form of a step calls one of its params. */
function paramWords(name: string, id: string | null, doc: Doc, called: Called): string | null {
  const schema = id === null ? undefined : called.paramsOf(doc.nodes[id]?.type ?? "");
  return (schema && shapesOf(schema).find((each) => each.name === name)?.title) ?? null;
}

/** A message of the validator in the words of the forms. */
export function saidOf(
  problem: { code: string; node: string | null; message: string },
  doc: Doc,
  called: Called,
): Part[] {
  const parts = problem.message.split(/`([^`]*)`/);
  const said = parts.map((text, at): Part => {
    if (at % 2 === 0) return { text, isCode: false };
    const begins = at === 1 && parts[0] === "";
    if (ABOUT_STEPS.has(problem.code) && text === problem.node && problem.code !== "no_steps")
      return { text: begins ? "This step" : "this step", isCode: false };
    if (ABOUT_STEPS.has(problem.code) && Object.hasOwn(doc.nodes, text))
      return { text: `“${titleOf(doc, text)}”`, isCode: false };
    const own = ABOUT_STEPS.has(problem.code) ? paramWords(text, problem.node, doc, called) : null;
    if (own) return { text: own, isCode: false };
    const words =
      /[.[]/.test(text) ||
      text in (((called.definition.settings as JsonObject | undefined)?.properties as JsonObject) ?? {})
        ? fieldWords(text, doc, called, problem.node)
        : null;
    return words === null ? { text, isCode: true } : { text: begins ? capital(words) : words, isCode: false };
  });
  return said.filter((part) => part.text !== "");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How bad it is at each step: an error outweighs all warnings, whichever comes first. */
export function worstOf<S extends string>(problems: { node: string | null; severity: S }[]): Map<string, S> {
  const found = new Map<string, S>();
  for (const { node, severity } of problems)
    if (node !== null && found.get(node) !== "error") found.set(node, severity);
  return found;
}
