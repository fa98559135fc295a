import { Icon } from "../Icon";
import { ask } from "../api";
import type { JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { state, useBuilder } from "../store";
import { useAnswer } from "./answers";

interface DeciderForecast {
  words: string;
  level: "enough" | "nobody" | "in_run";
}

const QUIET_MS = 400;
/** What of the params says who decides. */
const SAYS = ["candidates", "exclude", "quorum", "exclude_requester", "exclude_deciders"];

/** Who may decide a step, in the server's words, a moment after it was changed. */
export function Deciders({ id }: { id: string }) {
  const params = useBuilder((now) => now.doc.nodes[id]?.params);
  const given = isObject(params) ? params : {};
  const settings = JSON.stringify(
    Object.fromEntries(SAYS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))),
  );
  const forecast = useAnswer(
    (signal) =>
      ask<DeciderForecast>(`${state().boot.urls.api}/deciders`, {
        method: "POST",
        body: { params: JSON.parse(settings) as JsonObject },
        signal,
      }),
    [id, settings],
    { wait: (isAnswered) => (isAnswered ? QUIET_MS : 0) },
  );
  if (!forecast) return null;
  return (
    <p className="insp-deciders" data-level={forecast.level} role="status">
      <Icon name={forecast.level === "nobody" ? "circle-alert" : "users"} />
      <span>{forecast.words}</span>
    </p>
  );
}
