/** Pure: the steps within containers, which are done once for each item, among the steps of a test run. */

import { around } from "../model/bodies";
import type { Catalogue } from "../model/catalogue";
import type { Doc } from "../model/document";
import type { Trial, TrialStep } from "./asked";

/** A step as it was for one of the items, by the run that did the item. */
export type Example = TrialStep & { run_id: string; places: number[] };

/** How a step within a container stands over all items, as the server tells it. */
export interface InnerStep {
  node: string;
  container: string;
  counts: Record<string, number>;
  total: number | null;
  /** There are more runs of items than were counted. */
  cut?: boolean;
  first: Example | null;
  failed: Example | null;
}

const OPEN = ["QUEUED", "RUNNING", "WAITING"];

/** Over all items: it has failed if it did for one, and goes on while it does so for one. */
export function statusOver({ counts, total }: InnerStep, hasEnded: boolean): string {
  const has = (status: string) => (counts[status] ?? 0) > 0;
  if (has("FAILED")) return "FAILED";
  const begun = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const open = OPEN.filter(has);
  if (open.length) return open.length === 1 ? open[0] : "RUNNING";
  if (!hasEnded && total !== null && begun < total) return "RUNNING";
  return ["COMPLETED", "SKIPPED", "CANCELLED"].find(has) ?? "PENDING";
}

/** How far it is, on a card: `3 of 5`, `1 of 5 failed`; `3+ of 5` where not all were counted. */
export function farOver({ counts, total, cut }: InnerStep): string {
  const begun = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const all = Math.max(total ?? 0, begun);
  const more = cut ? "+" : "";
  if (counts.FAILED) return `${said(counts.FAILED)}${more} of ${said(all)} failed`;
  if (counts.SKIPPED === all) return "skipped";
  return `${said(counts.COMPLETED ?? 0)}${more} of ${said(all)}`;
}

/** All of it in words: `3 completed, 1 failed, 1 skipped`. */
export function countsInWords({ counts, cut }: InnerStep): string {
  const words = Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .map(([status, count]) => `${said(count)} ${status.toLowerCase()}`)
    .join(", ");
  return cut ? `${words}, of the first items only` : words;
}

const said = (count: number) => count.toLocaleString("en");

/** `item 2`, or `round 2` of a loop; within others `item 2, round 1`, each as its container counts. */
export function placeInWords(doc: Doc, catalogue: Catalogue, container: string, places: number[]): string {
  const containers = [container, ...around(doc, container)].reverse();
  const word = (id: string) => (catalogue[doc.nodes[id]?.type]?.has_rounds ? "round" : "item");
  return places.map((place, at) => `${word(containers[at])} ${said(place + 1)}`).join(", ");
}

/** A test run with the steps within each container behind that; each is shown by the first item that completed. */
export function withInner(trial: Trial & { inner_steps?: InnerStep[] }, hasEnded: boolean): Trial {
  const { inner_steps: inner, ...rest } = trial;
  if (!inner?.length) return rest;
  const within = new Map<string, TrialStep[]>();
  for (const one of inner) {
    const steps = within.get(one.container) ?? [];
    within.set(one.container, steps);
    steps.push(stepOf(one, hasEnded));
  }
  // What is in two containers that hold each other would be so without an end.
  const put = (step: TrialStep, seen: string[]): TrialStep[] => {
    const own = seen.includes(step.node) ? [] : (within.get(step.node) ?? []);
    return [step, ...own.flatMap((each) => put(each, [...seen, step.node]))];
  };
  return { ...rest, steps: trial.steps.flatMap((step) => put(step, [])) };
}

function stepOf(inner: InnerStep, hasEnded: boolean): TrialStep {
  const example = inner.first ?? inner.failed;
  return { ...(example ?? { node: inner.node, title: inner.node }), inner, status: statusOver(inner, hasEnded) };
}

/** The step as it was for one of its items. */
export function forItem(step: TrialStep, example: Example): TrialStep {
  return { ...example, inner: step.inner };
}

/** The step of a test run that tells what a step of the draft gave; of one within a container for the first item. */
export function givenBy(trial: Trial | null, id: string): TrialStep | null {
  const step = trial?.steps.find((each) => each.node === id);
  if (!step) return null;
  if (step.inner) return step.inner.first ? forItem(step, step.inner.first) : null;
  return step.status === "COMPLETED" ? step : null;
}

/** The step that a test run of a part can name: of what stands in containers the outermost one. */
export function partFor(doc: Doc, id: string): string {
  return around(doc, id).at(-1) ?? id;
}
