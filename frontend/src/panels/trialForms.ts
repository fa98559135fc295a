/** The forms of the Test panel, which the server makes: what is asked for them, and what they give. */

import { ask } from "../api";
import type { Json, JsonObject } from "../model/json";
import { isObject, own } from "../model/json";
import { remember } from "../kept";
import { definition, state } from "../store";
import { lastGiven } from "./trial";

/** A form as it stands: its fields, the values in them, and what is wrong. */
export interface TrialForm {
  html: string;
  data: JsonObject;
  errors: string[];
  right: boolean;
  /** Where the input has something that no field can hold. */
  unplaced: string[];
}

/** `input`: of the run, null where no form can be made of its schema. `reads`: what a step reads of others. */
export interface TrialForms {
  input: TrialForm | null;
  reads: TrialForm | null;
}

export type Entries = [string, FormDataEntryValue][];

/** The forms after what was typed; `input`: instead of that this input, as JSON. */
export async function askForms(
  entries: Entries,
  step: string | null,
  more: { input?: string; text?: string; edit?: string; checked?: boolean } = {},
): Promise<TrialForms> {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const root of ["input", "reads"]) if (zone && entries.length) form.set(`${root}:zone`, zone);
  form.set("definition", JSON.stringify(definition()));
  if (more.input !== undefined) form.set("input", more.input);
  if (more.edit) form.set("edit", more.edit);
  if (more.checked) form.set("checked", "yes");
  if (step) {
    form.set("step", step);
    form.set("pins", JSON.stringify(lastGiven()));
    if (more.text) form.set("text_input", more.text);
  }
  return ask<TrialForms>(state().boot.urls.test_form, { method: "POST", form });
}

/** What stands in the fields of a form of the page. */
export function entriesOf(form: HTMLFormElement | null): Entries {
  // The form's own window knows its fields.
  return form ? [...new window.FormData(form).entries()] : [];
}

/** What others gave, with what was typed of it; without those of which nothing is known. */
export function pinsWith(typed: Json | undefined): Record<string, Json> {
  const given = lastGiven();
  const pins = Object.entries(isObject(typed) ? typed : {}).map(([step, value]) => {
    const before = own(given, step);
    return [step, isObject(before) && isObject(value) ? { ...before, ...value } : value] as const;
  });
  return Object.fromEntries(pins.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0));
}

const keyOf = (name: string) => `handoff-test-fields:${name}`;

/** What was typed into the fields of the input in this tab; null: nothing. Files are not kept. */
export function keptEntries(name: string): Entries | null {
  const kept = sessionStorage.getItem(keyOf(name));
  return kept === null ? null : [...new URLSearchParams(kept).entries()];
}

export function keepEntries(name: string, entries: Entries | null): void {
  if (entries === null) return sessionStorage.removeItem(keyOf(name));
  const texts = entries.filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[0].startsWith("input"),
  );
  remember(keyOf(name), new URLSearchParams(texts).toString());
  return undefined;
}
