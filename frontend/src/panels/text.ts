/** A definition as text and back: JSON, or YAML 1.2 (in which `on:` is a name and not "true"). */

import { LineCounter, isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";

export type Format = "json" | "yaml";

export interface Fault {
  message: string;
  line: number;
}

export function written(definition: JsonObject, format: Format): string {
  if (format === "json") return `${JSON.stringify(definition, null, 2)}\n`;
  return stringify(definition, { lineWidth: 100, aliasDuplicateObjects: false });
}

/** What shows that a definition is written in another dialect, which only an import translates; else null. */
export function foreign({ nodes, edges, ...rest }: JsonObject): string | null {
  const anyHas = (list: Json | undefined, key: string) =>
    Array.isArray(list) && list.some((item) => isObject(item) && Object.hasOwn(item, key));
  if (isObject(rest.dag)) return "dag";
  if (anyHas(nodes, "depends_on")) return "depends_on";
  if (anyHas(nodes, "step_name")) return "step_name";
  if (anyHas(edges, "condition")) return "condition";
  return nodes === undefined ? (["steps", "configuration"].find((key) => Object.hasOwn(rest, key)) ?? null) : null;
}

const MOST = 1024 * 1024;

/** What a text says, or why it can't be read. JSON is YAML too, so one reader does for both. */
export function read(text: string): { definition: JsonObject } | { fault: Fault } {
  if (text.length > MOST) return { fault: { message: "It is larger than 1 MiB.", line: 1 } };
  const lines = new LineCounter();
  const parsed = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    stringKeys: true,
    maxAliasCount: 0,
  } as never);
  const error = parsed.errors[0];
  if (error) return { fault: { message: error.message.split(" at line")[0], line: lines.linePos(error.pos[0]).line } };
  try {
    const value = parsed.toJS({ maxAliasCount: 0 }) as Json;
    if (!isObject(value)) return { fault: { message: "A definition must be an object.", line: 1 } };
    return { definition: value };
  } catch (why) {
    return { fault: { message: String((why as Error).message), line: 1 } };
  }
}

/** The line where a path of the validator (`nodes[2].params.url`) stands, or what is around it. */
export function lineOf(text: string, path: string): number {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines });
  let node: unknown = parsed.contents;
  let at = 0;
  for (const part of path.match(/[^.[\]]+/g) ?? []) {
    const next: unknown = isSeq(node)
      ? node.items[Number(part)]
      : isMap(node)
        ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === part)
        : undefined;
    if (!next) break;
    const pair = next as { key?: { range?: [number] }; value?: unknown; range?: [number] };
    at = pair.key?.range?.[0] ?? pair.range?.[0] ?? at;
    node = pair.key ? pair.value : next;
  }
  return lines.linePos(at).line;
}
