/** How a step can end that has outcomes, and which one a new way out of it is for. Pure. */

import { homeOf } from "./bodies";
import type { Catalogue } from "./catalogue";
import type { Doc } from "./document";
import { neighbours } from "./graph";
import type { JsonObject } from "./json";
import { isObject } from "./json";

/** The outcomes that people can choose from, or that the type of a step always has. */
function offered(doc: Doc, id: string, schema: JsonObject | null): string[] {
  const { params } = doc.nodes[id] ?? {};
  const given =
    isObject(params) && Array.isArray(params.outcomes)
      ? params.outcomes.flatMap((each) => (isObject(each) && typeof each.name === "string" ? [each.name] : []))
      : [];
  if (given.length) return given;
  const properties = isObject(schema?.properties) ? schema.properties : {};
  return isObject(properties.branch) && Array.isArray(properties.branch.enum)
    ? properties.branch.enum.filter((each): each is string => typeof each === "string")
    : [];
}

/** The outcomes that a step is known to have. */
export function outcomesOf(doc: Doc, id: string, schema: JsonObject | null): string[] {
  const { params } = doc.nodes[id] ?? {};
  const set = isObject(params) && isObject(params.set) ? params.set.branch : undefined;
  const computed =
    typeof set === "string"
      ? set.includes("{{")
        ? [...set.matchAll(/[?:]\s*(?:'([^']*)'|"([^"]*)")/g)].map((found) => found[1] ?? found[2])
        : [set]
      : [];
  const used = Object.values(doc.edges).flatMap((edge) =>
    edge.from === id && typeof edge.branch === "string" ? [edge.branch] : [],
  );
  return [...new Set([...offered(doc, id, schema), ...computed, ...used])];
}

/** The outcomes of a step in which people choose among several; none of any other step. */
function ports(doc: Doc, catalogue: Catalogue, id: string): string[] {
  const type = catalogue[doc.nodes[id]?.type];
  const names = type?.asks_people ? offered(doc, id, type.output_schema ?? null) : [];
  return names.length > 1 ? names : [];
}

/** The outcomes behind which nothing comes (`engine/ports.py`). */
export function openOutcomes(doc: Doc, catalogue: Catalogue, id: string): string[] {
  const names = ports(doc, catalogue, id);
  if (!names.length) return names;
  const ways = (neighbours(doc).out.get(id) ?? []).flatMap(({ key, timer }) =>
    timer === undefined && doc.edges[key].on !== "error" ? [doc.edges[key]] : [],
  );
  if (ways.some((edge) => !edge.branch)) return [];
  const used = new Set(ways.map((edge) => edge.branch));
  return names.filter((name) => !used.has(name));
}

/** Which outcomes end the run, or the item, in words; empty where each leads on. */
export function endsInWords(doc: Doc, catalogue: Catalogue, id: string): string {
  const names = openOutcomes(doc, catalogue, id).map((name) => name.replace(/_/g, " "));
  return names.length ? `${names.join(", ")}: the ${homeOf(doc, id) === null ? "run" : "item"} ends here` : "";
}

/** What a new way out of a step says in which people choose: the first outcome for which there is no way yet, or another
 * one beside the first. */
export function nextOutcome(doc: Doc, catalogue: Catalogue, from: string): string | null {
  const names = ports(doc, catalogue, from);
  const ways = Object.values(doc.edges).filter((edge) => edge.from === from && edge.on !== "error");
  const used = new Set(ways.map((edge) => edge.branch));
  const free = names.filter((name) => !used.has(name));
  // A way that says nothing yet is the author's for the first outcome that is free.
  return free[ways.filter((edge) => !edge.branch && !edge.when && !edge.default).length] ?? names[0] ?? null;
}
