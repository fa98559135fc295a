/** Where a value of a test run can be put: the field that had the focus last, and each field that one is dropped on. */

import type { DragEvent, FocusEvent } from "react";
import { useEffect, useRef } from "react";
import { create } from "zustand";
import type { Doc } from "../../model/document";
import { reach, titleOf } from "../../model/graph";
import { say, state } from "../../store";
import type { ScopePlace } from "./scope";

export const VALUE_TYPE = "application/x-handoff-value";

/** A value of a test run, as expressions read it; `isInput`: what a step was given, which it alone can read so. */
export interface TestValue {
  path: string;
  step: string | null;
  isInput: boolean;
}

export interface Field {
  label: string;
  place: ScopePlace;
  insert: (path: string) => void;
}

/** The field that had the focus last, while it is there. */
export const useField = create<{ field: Field | null }>(() => ({ field: null }));

/** Why the value can't be read at a place, in a sentence; null where it can. */
export function whyNotThere(doc: Doc, value: TestValue, { place, node, edge }: ScopePlace): string | null {
  if (value.step === null) return null;
  const title = titleOf(doc, value.step);
  if (value.isInput)
    return place === "params" && node === value.step ? null : `Only ${title} itself can read its own input.`;
  if (place === "business_key") return "The key of a run is made before any step is done.";
  if (place === "output" || !Object.hasOwn(doc.nodes, value.step)) return null;
  const at = edge?.from ?? node;
  if (at === undefined || (at === value.step && place !== "params" && place !== "input")) return null;
  if (at !== value.step && reach(doc, at, "into").has(value.step)) return null;
  return `${title} isn't done before ${titleOf(doc, at)}, so its output can't be read there.`;
}

/** Whether the value can be read at a place; where not, it is said why. */
export function insertable(value: TestValue, place: ScopePlace): boolean {
  const why = whyNotThere(state().doc, value, place);
  if (why) say(why, "bad");
  return why === null;
}

/** Puts a value into a field, or says why not. */
export function insertInto(field: Field, value: TestValue): void {
  if (!insertable(value, field.place)) return;
  field.insert(value.path);
  say(`Inserted ${value.path} into ${field.label}.`);
}

/** What a drag carries; null for anything else. */
export function carried(data: DataTransfer | null): TestValue | null {
  try {
    const value = JSON.parse(data?.getData(VALUE_TYPE) || "null") as TestValue | null;
    return typeof value?.path === "string" ? value : null;
  } catch {
    return null;
  }
}

export function carry(data: DataTransfer, value: TestValue): void {
  data.setData(VALUE_TYPE, JSON.stringify(value));
  data.setData("text/plain", `{{ ${value.path} }}`);
  data.effectAllowed = "copy";
}

/** Remembers the field as the last one that had the focus, for as long as it is there. */
export function useRemembered(field: Field | null): () => void {
  const now = useRef(field);
  now.current = field;
  const own = useRef<Field | null>(null);
  const forget = () => {
    if (own.current && useField.getState().field === own.current) useField.setState({ field: null });
  };
  useEffect(() => forget, []);
  return () => {
    if (!now.current) return;
    const { label, place } = now.current;
    own.current = { label, place, insert: (path) => now.current?.insert(path) };
    useField.setState({ field: own.current });
  };
}

/** What an element around a field needs so that a value can be put there; null: it takes none. */
export function useTakes(field: Field | null) {
  const remember = useRemembered(field);
  // Of fields within each other the innermost is meant, and an editor takes what is dropped on it by itself.
  const isOwn = (event: FocusEvent<HTMLElement> | DragEvent<HTMLElement>) =>
    !event.defaultPrevented && (event.target as Element).closest("[data-takes]") === event.currentTarget;
  if (!field || !state().boot.may_write) return { "data-takes": "no" };
  return {
    "data-takes": "yes",
    onFocus: (event: FocusEvent<HTMLElement>) => isOwn(event) && remember(),
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (isOwn(event) && event.dataTransfer.types.includes(VALUE_TYPE)) event.preventDefault();
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      const value = isOwn(event) ? carried(event.dataTransfer) : null;
      if (!value) return;
      event.preventDefault();
      insertInto(field, value);
    },
  };
}
