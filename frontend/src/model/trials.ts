/**
 * What a test run does for real and what it skips. The same rules as `workflows/trials/rewrite.py`;
 * `tests/workflows/trial_vectors.json` holds both to them.
 */

import { bodyOf } from "./bodies";
import { type Catalogue, type StepType, isContainer } from "./catalogue";
import type { Doc } from "./document";
import { type Json, type JsonObject, isObject } from "./json";

/** Skipped because of what it does outside, or because it waits; sent, because it only reads; else it is just done. */
export type Share = "effects" | "waits" | "sent" | null;

const STRONGEST: Share[] = ["effects", "waits", "sent"];

/** What a test run makes of each step of a document that it doesn't just do. */
export function shares(catalogue: Catalogue, doc: Doc): Map<string, Share> {
  const found = Object.entries(doc.nodes).map(([id, node]) => [id, shareOf(catalogue, node)] as const);
  return new Map(found.filter(([, share]) => share !== null));
}

function shareOf(catalogue: Catalogue, step: JsonObject): Share {
  const name = String(step.type);
  const params = isObject(step.params) ? step.params : {};
  const type = catalogue[name];
  if (!type) return null;
  if (isContainer(catalogue, name)) return shareOfBody(catalogue, params);
  if (mayReach(type) && !onlyReads(type, params)) return "effects";
  if (type.kind === "wait") return "waits";
  return type.has_side_effects ? "sent" : null;
}

/** A container is done: what it does for each item counts, as far as that isn't steps with a place of their own. */
function shareOfBody(catalogue: Catalogue, params: JsonObject): Share {
  const body = bodyOf({ type: "", params }) ?? { workflow: params.workflow ?? null };
  if (Array.isArray(body.steps)) {
    const within = body.steps.filter(isObject).map((step) => shareOf(catalogue, step));
    return STRONGEST.find((share) => within.includes(share)) ?? null;
  }
  return shareOf(catalogue, (body.workflow ?? null) === null ? body : { type: "subworkflow" });
}

function mayReach(type: StepType): boolean {
  return type.has_side_effects || Object.keys(type.read_only_params).length > 0;
}

/** Whether a param says that it changes nothing outside. */
function onlyReads(type: StepType, params: JsonObject): boolean {
  const shapes = isObject(type.params_schema.properties) ? type.params_schema.properties : {};
  return Object.entries(type.read_only_params).some(([name, choices]) => {
    const shape = shapes[name];
    const value = params[name] ?? (isObject(shape) ? shape.default : undefined);
    return choices.some((choice) => upper(choice) === upper(value));
  });
}

const upper = (value: Json | undefined) => (typeof value === "string" ? value.toUpperCase() : value);
