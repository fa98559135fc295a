/** What the page tells the island. */

import type { Trigger } from "./canvas/starts";
import type { StepType } from "./model/catalogue";
import type { Snippet } from "./model/snippets";
import type { JsonObject } from "./model/json";

export interface Boot {
  name: string;
  title: string;
  revision: number;
  /** As a graph, or as it is where it can't be read as one. */
  definition: JsonObject;
  /** Why the draft can't be read as a graph, if it can't. */
  cannot: string | null;
  layout: JsonObject;
  saved_at: string;
  saved_by: string;
  latest: number | null;
  /** So many steps may be published; the builder adds no more. */
  most_steps: number;
  /** The steps of the latest version: their ids stay when their titles change. */
  published: string[];
  archived: boolean;
  may_write: boolean;
  may_publish: boolean;
  may_start: boolean;
  me: string;
  /** Whose draft of which workflow this is: what is kept in the browser is kept under it. */
  kept_as: string;
  step_types: StepType[];
  definition_schema: JsonObject;
  /** Groups of steps, ready made. */
  snippets: Snippet[];
  /** What starts runs of it, as far as who looks may see that. */
  triggers: Trigger[];
  sprite: string;
  urls: {
    api: string;
    workflows: string;
    calendars: string;
    members: string;
    groups: string;
    test_form: string;
    workflow: string;
    versions: string;
    definition: string;
    pipeline: string | null;
    runs: string;
    telemetry: string;
  };
}

export function boot(): Boot {
  const text = document.getElementById("builder-boot")?.textContent;
  if (!text) throw new Error("The page has no data for the builder.");
  return JSON.parse(text) as Boot;
}
