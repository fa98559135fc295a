/** What the server tells of step types. */

import type { Json, JsonObject } from "./json";
import { isObject } from "./json";

export interface StepType {
  name: string;
  title: string;
  help: string;
  /** Other words by which people search for it. */
  keywords: string[];
  icon: string;
  group: string;
  group_title: string;
  kind: string;
  example: JsonObject;
  params_schema: JsonObject;
  input_schema: JsonObject | null;
  output_schema: JsonObject | null;
  default_queue: string | null;
  lease_seconds: number;
  timeout_seconds: number | null;
  retry: Json;
  on_error: string;
  has_side_effects: boolean;
  /** By param the choices with which a step has no side effects, where they decide whether it has any. */
  read_only_params: Record<string, Json[]>;
  waits: boolean;
  decides: boolean;
  asks_people: boolean;
  has_rounds: boolean;
}

export type Catalogue = Record<string, StepType>;

/** A face for what the catalogue doesn't know. */
export function faceOf(catalogue: Catalogue, name: string): Pick<StepType, "title" | "icon" | "help" | "group"> {
  return (
    catalogue[name] ?? { title: name, icon: "circle-help", help: "This step type is not installed.", group: "unknown" }
  );
}

/** Whether steps of this type have others done, which stand in them. */
export function isContainer(catalogue: Catalogue, name: string): boolean {
  const params = catalogue[name]?.params_schema?.properties;
  const body = isObject(params) ? params.body : undefined;
  return isObject(body) && body["x-widget"] === "body";
}
