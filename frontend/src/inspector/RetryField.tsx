import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { counted, secondsInWords } from "../model/words";
import { useBuilder } from "../store";
import { Frame } from "./fields/Frame";
import { Valued } from "./fields/Valued";
import { otherSide } from "./fields/kept";
import { told } from "./fields/simple";
import type { Shape } from "./schema";
import { shapesOf } from "./schema";
import { type Spot, problemsAt } from "./spot";

/** A policy as people say it. */
export function retryWords(policy: JsonObject | undefined): string {
  if (!policy) return "";
  const { max_retries: count, base_seconds: base, factor, max_seconds: most } = policy;
  if (count === 0) return "never";
  const pause = typeof base === "number" ? `, first after ${secondsInWords(base)}` : "";
  const grows = typeof factor === "number" && factor > 1 ? `, then ${factor} times longer each` : "";
  const limit = typeof most === "number" ? `, up to ${secondsInWords(most)}` : "";
  return `${timesWords(policy)}${pause}${grows}${limit}`;
}

/** How often, which is the most of it. */
function timesWords(policy: JsonObject | undefined): string {
  const count = policy?.max_retries;
  if (typeof count !== "number") return "? times";
  return count === 0 ? "never" : counted(count, "time");
}

/** How often it is tried again: a preset, or a policy of its own. */
export function RetryField({ spot, shape }: { spot: Spot; shape: Shape }) {
  const schema = useBuilder((now) => now.boot.definition_schema);
  const problems = useBuilder((now) => now.problems);
  const presets = (schema.retry_presets ?? {}) as Record<string, JsonObject>;
  const { value } = spot;
  const isOwn = isObject(value);
  const usual = typeof shape.fallback === "string" ? shape.fallback : "seed";
  const isUnknown = value !== undefined && !isOwn && !(String(value) in presets);
  // All of it would be too long for a choice.
  const words = isOwn || isUnknown ? "" : retryWords(presets[typeof value === "string" ? value : usual]);
  const pick = (next: string) => {
    if (isOwn) otherSide.keep(`${spot.key} own`, value);
    if (next === "unknown") return;
    const from = typeof value === "string" ? value : usual;
    if (next === "own")
      spot.set(
        otherSide.get<Json>(`${spot.key} own`) ?? {
          max_retries: presets[from]?.max_retries ?? 3,
          base_seconds: presets[from]?.base_seconds ?? 2,
        },
      );
    else spot.set(next || undefined);
  };
  return (
    <>
      <Frame
        title={shape.title}
        help={words && words !== "never" ? `Tried again ${words}.` : shape.help}
        problems={problemsAt(problems, spot.field, !isOwn)}
      >
        {(ids) => (
          <select
            {...told(ids, shape)}
            value={isOwn ? "own" : isUnknown ? "unknown" : String(value ?? "")}
            onChange={(event) => pick(event.target.value)}
          >
            <option value="">Default: {timesWords(presets[usual])}</option>
            {Object.entries(presets).map(([name, policy]) => (
              <option key={name} value={name}>
                {name === "none" ? "Never" : `${name}: ${timesWords(policy)}`}
              </option>
            ))}
            <option value="own">Custom…</option>
            {isUnknown && <option value="unknown">{String(value)} (unknown)</option>}
          </select>
        )}
      </Frame>
      {isOwn && (
        <div className="insp-group insp-sub">
          {shapesOf(schema.retry as JsonObject).map((each) => (
            <Valued
              key={each.name}
              spot={spot.at(each.name, each.title)}
              shape={{ ...each, fallback: each.fallback ?? presets.seed?.[each.name] }}
              isFixed
            />
          ))}
        </div>
      )}
    </>
  );
}
