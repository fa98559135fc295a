import { useEffect, useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { asNumber } from "../convert";
import { Frame, Tool } from "../fields/Frame";
import { asTyped } from "../fields/simple";
import type { Spot } from "../spot";
import { type Option, optionsOf, withOptions } from "./kinds";

/** What a choice offers, one on each line: its value, and what it is called. Enter begins the next one. */
export function Options({ spot }: { spot: Spot }) {
  const schema = isObject(spot.value) ? spot.value : {};
  const options = optionsOf(schema);
  const [hasBlank, setHasBlank] = useState(false);
  const [wanted, setWanted] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const rows: Option[] = hasBlank || options.length === 0 ? [...options, { value: "", title: "" }] : options;
  useEffect(() => {
    if (wanted === null) return;
    list.current?.children[wanted]?.querySelector("input")?.focus();
    setWanted(null);
  }, [wanted]);
  const set = (place: number, changed: Partial<Option>) => {
    if (place >= options.length) setHasBlank(false);
    const next = rows.slice(0, Math.max(options.length, place + 1));
    next[place] = { ...rows[place], ...changed };
    const isEmpty = next.length === 1 && next[0].value === "" && !next[0].title;
    spot.set(withOptions(schema, isEmpty ? [] : next), true);
  };
  const remove = (place: number) => {
    if (place >= options.length) setHasBlank(false);
    else
      spot.set(
        withOptions(
          schema,
          options.filter((_, at) => at !== place),
        ),
      );
    setWanted(Math.max(0, place - 1));
  };
  const add = (after: number) => {
    if (after < rows.length - 1) return setWanted(after + 1);
    if (rows[after].value === "") return;
    setHasBlank(true);
    setWanted(after + 1);
  };
  return (
    <Frame title="Options" isGroup help="The value, and the title that people see, if it differs.">
      {() => (
        <>
          <ul className="insp-list insp-options" ref={list}>
            {rows.map((option, place) => (
              <li
                key={place}
                onKeyDown={(event) => {
                  const { value } = event.target as HTMLInputElement;
                  if (!(event.target instanceof HTMLInputElement)) return;
                  if (event.key === "Enter" && !event.nativeEvent.isComposing) {
                    event.preventDefault();
                    add(place);
                  } else if (event.key === "Backspace" && value === "" && option.value === "" && rows.length > 1) {
                    event.preventDefault();
                    remove(place);
                  }
                }}
              >
                <input
                  type="text"
                  aria-label={`Option, ${place + 1}`}
                  autoComplete="off"
                  placeholder="Value"
                  value={asTyped(option.value)}
                  onChange={(event) =>
                    set(place, { value: optionValue(event.target.value, option.value, schema.type) })
                  }
                />
                <input
                  type="text"
                  aria-label={`Title of option ${place + 1}`}
                  autoComplete="off"
                  placeholder="Title"
                  value={option.title}
                  onChange={(event) => set(place, { title: event.target.value })}
                />
                {(rows.length > 1 || options.length > 0) && (
                  <Tool icon="x" label={`Remove option ${place + 1}`} onClick={() => remove(place)} />
                )}
              </li>
            ))}
          </ul>
          <button type="button" className="button ghost small" onClick={() => add(rows.length - 1)}>
            <Icon name="plus" />
            Add another
            <span className="sr-only"> to the options</span>
          </button>
        </>
      )}
    </Frame>
  );
}

/** What is typed as the value of an option: a number where the values are. */
function optionValue(text: string, before: Json, type: Json | undefined): Json {
  const isNumber = type === "integer" || type === "number" || typeof before === "number";
  return isNumber ? (asNumber(text) ?? text) : text;
}
