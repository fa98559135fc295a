/** What starts runs of a workflow, and their deadline, drawn before its first steps. Pure. */

import { homeOf } from "../model/bodies";
import { type Box, GAP_X, HEIGHT, boxOf } from "../model/boxes";
import type { Doc } from "../model/document";
import { neighbours } from "../model/graph";
import { isObject } from "../model/json";
import { secondsInWords } from "../model/words";

/** As the page tells of it. */
export type Trigger = {
  kind: string;
  name: string;
  does: string;
  is_on: boolean;
  /** The path of its page, for who may open it. */
  path: string;
};
export type Start = Trigger & { id: string; icon: string; box: Box };

export const START_WIDTH = 210;
const START_HEIGHT = 46;
const GAP = 10;
/** More of them are one card that counts them. */
const MOST = 5;
export const DEADLINE = "Deadline";
const ICONS: Record<string, string> = {
  [DEADLINE]: "timer",
  Schedule: "calendar-clock",
  Webhook: "webhook",
  Requests: "inbox",
};

/** The outer steps that nothing leads to. */
export function firstSteps(doc: Doc): string[] {
  const { into } = neighbours(doc);
  return Object.keys(doc.nodes).filter((id) => homeOf(doc, id) === null && !(into.get(id) ?? []).length);
}

/** The deadline of a run, which counts from its start. */
function deadlineOf({ settings }: Doc): Trigger[] {
  const { sla_working_days: days, sla_seconds: seconds } = settings;
  const does =
    typeof days === "number"
      ? `${days} working ${days === 1 ? "day" : "days"}`
      : typeof seconds === "number"
        ? secondsInWords(seconds)
        : "";
  return does ? [{ kind: DEADLINE, name: "", does: `each run: ${does}`, is_on: true, path: "" }] : [];
}

/** Each with its place, below one another to the left of the first step and of what stands beside them. */
export function startsOf(doc: Doc, triggers: Trigger[], page: string): Start[] {
  const { request } = doc.settings;
  const asked: Trigger[] = isObject(request)
    ? [{ kind: "Requests", name: String(request.category ?? ""), does: "people ask for it", is_on: true, path: "" }]
    : [];
  const all = [...deadlineOf(doc), ...asked, ...triggers];
  const [first] = firstSteps(doc);
  if (first === undefined || !all.length) return [];
  const shown = all.length > MOST ? all.slice(0, MOST - 1) : all;
  const left = all.length - shown.length;
  if (left) shown.push({ kind: `${left} more`, name: "", does: "all that starts it", is_on: true, path: page });
  const height = shown.length * (START_HEIGHT + GAP) - GAP;
  const at = boxOf(doc, first);
  const top = at.y + HEIGHT / 2 - height / 2;
  const beside = Object.keys(doc.nodes)
    .filter((id) => homeOf(doc, id) === null)
    .map((id) => boxOf(doc, id))
    .filter((box) => box.x <= at.x && box.y < top + height + GAP && box.y + box.h > top - GAP);
  const x = Math.min(...beside.map((box) => box.x)) - GAP_X - START_WIDTH;
  return shown.map((each, number) => ({
    ...each,
    id: `start:${number}`,
    icon: ICONS[each.kind] ?? "zap",
    box: { x, y: top + number * (START_HEIGHT + GAP), w: START_WIDTH, h: START_HEIGHT },
  }));
}
