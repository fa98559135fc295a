import { useEffect, useId, useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { asNumber, isExpression } from "../convert";
import { anyShape, itemsOf, short } from "../schema";
import { Tool } from "./Frame";
import { NameOptions } from "./Names";
import { type ControlProps, SecondsControl, asTyped, told } from "./simple";

/** A list of texts or numbers, one line each, or of times. */
export function ListControl(props: ControlProps) {
  const { items } = props.shape.schema;
  return isObject(items) && items["x-widget"] === "seconds" ? <Times {...props} /> : <Lines {...props} />;
}

const DAY = 86_400;

/** A list of times, each with its unit; the next one is a day later. */
function Times({ spot, shape, ids }: ControlProps) {
  const values: Json[] = Array.isArray(spot.value) ? spot.value : [];
  const last = values[values.length - 1];
  const remove = (place: number) => spot.set(values.length > 1 ? values.filter((_, at) => at !== place) : undefined);
  return (
    <>
      <ul className="insp-list">
        {values.map((value, place) => {
          const title = `${shape.title}, ${place + 1}`;
          const own = { ...ids, id: `${ids.id}-${place}`, labelId: `${ids.id}-${place}-label` };
          return (
            <li key={`${place} of ${values.length}`}>
              <span className="sr-only" id={own.labelId}>
                {title}
              </span>
              <SecondsControl
                spot={{ ...spot.item(place), value, set: (next, typing) => spot.item(place).set(next ?? "", typing) }}
                shape={{ ...anyShape("seconds", title), schema: { maximum: 30 * DAY + 1 } }}
                ids={own}
              />
              <Tool icon="x" label={`Remove ${title}`} onClick={() => remove(place)} />
            </li>
          );
        })}
      </ul>
      <button
        type="button"
        className="button ghost small"
        onClick={() => spot.set([...values, (typeof last === "number" ? last : 0) + DAY])}
      >
        <Icon name="plus" />
        {values.length ? "Add another" : "Add one"}
        <span className="sr-only"> to {shape.title}</span>
      </button>
    </>
  );
}

/** One line each; Enter begins the next one. */
function Lines({ spot, shape, ids }: ControlProps) {
  const isOne = spot.value !== undefined && !Array.isArray(spot.value);
  const values: Json[] = Array.isArray(spot.value) ? spot.value : spot.value === undefined ? [] : [spot.value];
  const [hasBlank, setHasBlank] = useState(false);
  const [wanted, setWanted] = useState<number | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const isNumeric =
    itemsOf(shape).every((each) => each.type === "integer" || each.type === "number") && itemsOf(shape).length > 0;
  const rows = hasBlank || values.length === 0 ? [...values, ""] : values;
  useEffect(() => {
    if (wanted === null) return;
    list.current?.querySelectorAll("input")[wanted]?.focus();
    setWanted(null);
  }, [wanted]);
  const put = (next: Json[], typing?: boolean) => {
    const mayBeOne = shape.takes.has("string") || shape.takes.has("integer");
    spot.set(next.length === 0 ? undefined : isOne && next.length === 1 && mayBeOne ? next[0] : next, typing);
  };
  const set = (place: number, text: string) => {
    const value = isNumeric ? (asNumber(text) ?? text) : text;
    const next = [...values];
    if (place < values.length) next[place] = value;
    else {
      next.push(value);
      setHasBlank(false);
    }
    put(next.length === 1 && text === "" ? [] : next, true);
  };
  const remove = (place: number) => {
    if (place >= values.length) setHasBlank(false);
    else put(values.filter((_, at) => at !== place));
    setWanted(Math.max(0, place - 1));
  };
  const add = (after: number) => {
    if (after < rows.length - 1) return setWanted(after + 1);
    if (rows[after] === "") return;
    setHasBlank(true);
    setWanted(after + 1);
  };
  return (
    <>
      <ul className="insp-list" ref={list}>
        {rows.map((value, place) => (
          <li key={place}>
            <input
              type="text"
              {...(place === 0 ? { ...told(ids, shape), "aria-labelledby": undefined } : {})}
              className={isExpression(value) ? "code" : undefined}
              aria-label={`${shape.title}, ${place + 1}`}
              autoComplete="off"
              value={asTyped(value)}
              placeholder={place === 0 && values.length === 0 ? short(shape.fallback) || undefined : undefined}
              list={shape.names ? listId : undefined}
              onFocus={() => setTyped(asTyped(value))}
              onChange={(event) => {
                setTyped(event.target.value);
                set(place, event.target.value);
              }}
              onKeyDown={(event) => {
                if (event.key === "Enter") {
                  event.preventDefault();
                  add(place);
                } else if (event.key === "Backspace" && value === "" && rows.length > 1) {
                  event.preventDefault();
                  remove(place);
                }
              }}
            />
            {(rows.length > 1 || values.length > 0) && (
              <Tool icon="x" label={`Remove ${shape.title} ${place + 1}`} onClick={() => remove(place)} />
            )}
          </li>
        ))}
      </ul>
      {shape.names && <NameOptions id={listId} kind={shape.names} typed={typed} />}
      <button type="button" className="button ghost small" onClick={() => add(rows.length - 1)}>
        <Icon name="plus" />
        Add another
        <span className="sr-only"> to {shape.title}</span>
      </button>
    </>
  );
}
