/** The controls of single values. */

import { useEffect, useRef, useState } from "react";
import type { Json } from "../../model/json";
import {
  BUSINESS_DAYS,
  asDuration,
  asMoment,
  asNumber,
  ofDuration,
  ofMoment,
  UNIT_NAMES,
  unitOf,
  unitSize,
} from "../convert";
import { options, short, words } from "../schema";
import type { Shape } from "../schema";
import type { Spot } from "../spot";
import type { Ids } from "./Frame";

export interface ControlProps {
  spot: Spot;
  shape: Shape;
  ids: Ids;
  /** An empty text stays one, as in a list; elsewhere it takes the value away. */
  keepsEmpty?: boolean;
  autoFocus?: boolean;
  leastRows?: number;
}

/** What every control tells of itself. */
export function told(ids: Ids, shape: Shape) {
  return {
    id: ids.id,
    "aria-labelledby": ids.labelId,
    "aria-describedby": ids.describedBy,
    "aria-invalid": ids.isInvalid || undefined,
    "aria-required": shape.isRequired || undefined,
  };
}

/** What an empty field says: what counts then. */
export function placeholder(shape: Shape): string | undefined {
  return shape.fallback === undefined ? undefined : short(shape.fallback);
}

export function TextControl({ spot, shape, ids, keepsEmpty, autoFocus }: ControlProps) {
  const value = typeof spot.value === "string" ? spot.value : "";
  const set = (text: string) => spot.set(text || keepsEmpty ? text : undefined, true);
  return (
    <input
      type="text"
      {...told(ids, shape)}
      autoFocus={autoFocus}
      autoComplete="off"
      value={value}
      placeholder={placeholder(shape)}
      onChange={(event) => set(event.target.value)}
    />
  );
}

export function LongTextControl({ spot, shape, ids, keepsEmpty, leastRows = 3 }: ControlProps) {
  const value = typeof spot.value === "string" ? spot.value : "";
  const set = (text: string) => spot.set(text || keepsEmpty ? text : undefined, true);
  const rows = Math.min(12, Math.max(leastRows, value.split("\n").length + (leastRows > 1 ? 1 : 0)));
  return (
    <textarea
      {...told(ids, shape)}
      rows={rows}
      value={value}
      placeholder={placeholder(shape)}
      onChange={(event) => set(event.target.value)}
    />
  );
}

export function asTyped(value: Json | undefined): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** A number; what is none stays in the draft as it was typed, and the validator says so. */
export function NumberControl({ spot, shape, ids }: ControlProps) {
  const [text, setText] = useTyped(spot.value, asTyped, (typed) => asNumber(typed) ?? typed);
  const set = (typed: string) => {
    setText(typed);
    spot.set(typed.trim() === "" ? undefined : (asNumber(typed) ?? typed), true);
  };
  return (
    <input
      type="text"
      inputMode="decimal"
      className="short"
      {...told(ids, shape)}
      autoComplete="off"
      value={text}
      placeholder={placeholder(shape)}
      onChange={(event) => set(event.target.value)}
    />
  );
}

/** The text of a value while it is typed; another value from elsewhere (an undo, somebody else) takes its place. */
export function useTyped(
  value: Json | undefined,
  shown: (value: Json | undefined) => string,
  read: (text: string) => Json | undefined,
): [string, (text: string) => void] {
  const [text, setText] = useState(() => shown(value));
  const last = useRef(value);
  useEffect(() => {
    if (JSON.stringify(last.current) === JSON.stringify(value)) return;
    last.current = value;
    if (JSON.stringify(text.trim() === "" ? undefined : read(text)) !== JSON.stringify(value)) setText(shown(value));
  });
  return [text, setText];
}

export function SwitchControl({ spot, shape, ids }: ControlProps) {
  const isOn = typeof spot.value === "boolean" ? spot.value : shape.fallback === true;
  const set = (now: boolean) => spot.set(now === (shape.fallback ?? false) && !shape.isRequired ? undefined : now);
  return <input type="checkbox" {...told(ids, shape)} checked={isOn} onChange={(event) => set(event.target.checked)} />;
}

export const OPTION_WORDS: Record<string, string> = {
  fail: "The run fails",
  continue: "Continue anyway",
  branch: "Follow the “On failure” connection",
  ask: "Ask somebody what to do",
  stop: "Stop the run at once",
  finish_others: "Let the other branches finish first",
  sequential: "One by one, the last first",
  parallel: "Branches at the same time",
  "sla_pauses false": "All time counts",
  "sla_pauses true": "Not while the run is paused",
  "sla_pauses waiting": "Not while the run is paused or only waits",
};

export function SelectControl({ spot, shape, ids }: ControlProps) {
  const known = options(shape);
  const at = known.indexOf(spot.value as Json);
  const isUnknown = spot.value !== undefined && at < 0;
  const says = (value: Json) =>
    OPTION_WORDS[`${shape.name} ${short(value)}`] ??
    (typeof value === "string"
      ? (OPTION_WORDS[value] ?? (/^[A-Z]+$/.test(value) ? value : words(value)))
      : short(value));
  return (
    <select
      {...told(ids, shape)}
      value={isUnknown ? "unknown" : at < 0 ? "" : String(at)}
      onChange={(event) =>
        event.target.value !== "unknown" &&
        spot.set(event.target.value === "" ? undefined : known[Number(event.target.value)])
      }
    >
      {(!shape.isRequired || spot.value === undefined) && (
        <option value="">
          {shape.fallback === undefined ? (shape.isRequired ? "Choose…" : "—") : `${says(shape.fallback)} (default)`}
        </option>
      )}
      {isUnknown && <option value="unknown">{short(spot.value)} (unknown)</option>}
      {known.map((each, place) => (
        <option key={place} value={String(place)}>
          {says(each)}
        </option>
      ))}
    </select>
  );
}

export function ChoicesControl({ spot, shape, ids }: ControlProps) {
  const items = (shape.schema.items ?? {}) as { enum?: Json[] };
  const chosen = Array.isArray(spot.value) ? spot.value : [];
  const known = [...(items.enum ?? []), ...chosen.filter((each) => !(items.enum ?? []).includes(each))];
  const set = (value: Json, isOn: boolean) => {
    const next = known.filter((each) => (each === value ? isOn : chosen.includes(each)));
    spot.set(next.length ? next : undefined);
  };
  return (
    <div className="insp-choices">
      {known.map((each, place) => (
        <label key={place} className="check">
          <input
            type="checkbox"
            id={place === 0 ? ids.id : undefined}
            checked={chosen.includes(each)}
            onChange={(event) => set(each, event.target.checked)}
          />
          {words(String(each))}
        </label>
      ))}
    </div>
  );
}

interface AmountProps {
  ids: Ids;
  shape: Shape;
  count: string;
  unit: string;
  units: string[];
  onChange: (count: string, unit: string) => void;
}

function Amount({ ids, shape, count, unit, units, onChange }: AmountProps) {
  return (
    <div className="insp-amount">
      <input
        type="text"
        inputMode="decimal"
        {...told(ids, shape)}
        autoComplete="off"
        value={count}
        placeholder={
          typeof shape.fallback === "number" ? String(Number((shape.fallback / unitSize(unit)).toFixed(3))) : undefined
        }
        onChange={(event) => onChange(event.target.value, unit)}
      />
      <select aria-label="Unit" value={unit} onChange={(event) => onChange(count, event.target.value)}>
        {units.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </div>
  );
}

/** A number of seconds as people say it: 3 days. */
export function SecondsControl({ spot, shape, ids }: ControlProps) {
  const { value } = spot;
  const [unit, setUnit] = useState(() => {
    const known = typeof value === "number" ? value : shape.fallback;
    if (typeof known === "number") return unitOf(known);
    // What may last for years is seldom said in seconds.
    return typeof shape.schema.maximum === "number" && shape.schema.maximum > 30 * unitSize("days")
      ? "days"
      : "minutes";
  });
  const size = unitSize(unit);
  const shown = (now: Json | undefined) =>
    typeof now === "number" ? String(Number((now / size).toFixed(6))) : asTyped(now);
  const read = (text: string, by = size): Json => {
    const count = asNumber(text);
    return count === undefined ? text : Number((count * by).toFixed(3));
  };
  const [text, setText] = useTyped(value, shown, read);
  return (
    <Amount
      ids={ids}
      shape={shape}
      count={text}
      unit={unit}
      units={UNIT_NAMES}
      onChange={(typed, named) => {
        setText(typed);
        setUnit(named);
        spot.set(typed.trim() === "" ? undefined : read(typed, unitSize(named)), named === unit);
      }}
    />
  );
}

/** An ISO 8601 duration: one number and its unit, or the text where it has several. */
export function DurationControl(props: ControlProps) {
  const { spot, shape, ids } = props;
  const value = typeof spot.value === "string" ? spot.value : "";
  const known = ofDuration(value);
  const [unit, setUnit] = useState(known?.unit ?? "days");
  if (value && !known) return <TextControl {...props} />;
  return (
    <Amount
      ids={ids}
      shape={shape}
      count={known?.count ?? ""}
      unit={known?.unit ?? unit}
      units={[...UNIT_NAMES, BUSINESS_DAYS]}
      onChange={(count, named) => {
        setUnit(named);
        spot.set(
          count.trim() ? (/^\d/.test(count.trim()) ? asDuration(count.trim(), named) : count) : undefined,
          named === unit,
        );
      }}
    />
  );
}

/** A moment, chosen in the time of who sees it and kept as UTC; the text where it says more than that. */
export function DateTimeControl(props: ControlProps) {
  const { spot, shape, ids } = props;
  const value = typeof spot.value === "string" ? spot.value : "";
  const shown = value ? ofMoment(value) : "";
  if (shown === null) return <TextControl {...props} />;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const set = (input: HTMLInputElement) => {
    // Half a date is none yet; what stood there stays until the other half is typed.
    if (!input.validity.badInput) spot.set(input.value ? asMoment(input.value) : undefined, true);
  };
  return (
    <>
      <input
        type="datetime-local"
        {...told(ids, shape)}
        aria-describedby={[ids.describedBy, `${ids.id}-zone`].filter(Boolean).join(" ")}
        value={shown}
        onChange={(event) => set(event.target)}
      />
      <p className="help" id={`${ids.id}-zone`}>
        In your time ({zone})
        {value ? (
          <>
            , kept as <code>{value}</code>
          </>
        ) : (
          ""
        )}
        .
      </p>
    </>
  );
}
