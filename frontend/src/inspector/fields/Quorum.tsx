import { useState } from "react";
import { Icon } from "../../Icon";
import type { Json, JsonObject } from "../../model/json";
import { isObject } from "../../model/json";
import { asNumber } from "../convert";
import { short } from "../schema";
import { Tool } from "./Frame";
import { type ControlProps, asTyped, told } from "./simple";

type How = "one" | "number" | "all" | "share" | "groups";

const WORDS: Record<How, string> = {
  one: "Any one person",
  number: "Number of people",
  all: "Everyone",
  share: "Percentage of people",
  groups: "Number from each group",
};
const FIRST: Record<Exclude<How, "groups">, JsonObject> = {
  one: { need: 1 },
  number: { need: 2 },
  all: { need: "all" },
  share: { need: "50%" },
};

/** How many decide: a number of its own or `{need, groups, rule}`, in the words of who sets it. */
export function QuorumControl({ spot, shape, ids }: ControlProps) {
  const value: JsonObject = isObject(spot.value)
    ? spot.value
    : spot.value === undefined
      ? { need: 1 }
      : { need: spot.value };
  // Who types 12 is at 1 before that; without a group named, nothing can be said of groups yet.
  const [chosen, setChosen] = useState<How | null>(null);
  const how = chosen === "groups" || (chosen === "number" && howOf(value) === "one") ? chosen : howOf(value);
  const put = (next: JsonObject, typing?: boolean) => spot.set(simplest(next), typing);
  const { need, groups, rule } = value;
  const pick = (next: How) => {
    setChosen(next);
    if (next !== "groups") put({ ...FIRST[next], ...(rule && next !== "one" ? { rule } : {}) });
  };
  return (
    <>
      <select
        {...told(ids, shape)}
        aria-labelledby={undefined}
        aria-label={shape.title}
        value={how}
        onChange={(event) => pick(event.target.value as How)}
      >
        {(Object.keys(WORDS) as How[]).map((each) => (
          <option key={each} value={each}>
            {WORDS[each]}
          </option>
        ))}
      </select>
      {how === "number" && (
        <label className="insp-quorum">
          <input
            type="text"
            inputMode="numeric"
            className="short"
            autoComplete="off"
            value={asTyped(need)}
            onChange={(event) => put({ ...value, need: asNumber(event.target.value) ?? event.target.value }, true)}
          />
          must agree
        </label>
      )}
      {how === "share" && (
        <label className="insp-quorum">
          <input
            type="text"
            inputMode="numeric"
            className="short"
            autoComplete="off"
            value={short(need).replace(/%$/, "")}
            onChange={(event) => put({ ...value, need: `${event.target.value.trim()}%` }, true)}
          />
          % must agree, rounded up
        </label>
      )}
      {how === "groups" && (
        <Groups
          value={isObject(groups) ? groups : {}}
          onChange={(next, typing) => put(Object.keys(next).length ? { groups: next } : FIRST.one, typing)}
        />
      )}
      {(how === "number" || how === "all" || how === "share") && (
        <select
          aria-label="Voting rule"
          className="insp-quorum"
          value={rule === "majority" ? "majority" : "veto"}
          onChange={(event) =>
            put({ need: need ?? 2, ...(event.target.value === "majority" ? { rule: "majority" } : {}) })
          }
        >
          <option value="veto">One vote against decides at once</option>
          <option value="majority">The first outcome with enough votes wins</option>
        </select>
      )}
    </>
  );
}

function howOf({ need, groups }: JsonObject): How {
  if (groups !== undefined) return "groups";
  if (need === "all") return "all";
  if (typeof need === "string" && need.endsWith("%")) return "share";
  return need === 1 ? "one" : "number";
}

/** The shortest that says the same: nothing for one, a number alone by veto. */
function simplest(value: JsonObject): Json | undefined {
  if (value.groups !== undefined) return value;
  if (value.need === 1) return undefined;
  return typeof value.need === "number" && value.rule !== "majority" ? value.need : value;
}

/** Groups with how many of each; a new one has no place in the draft before it has a name. */
function Groups({ value, onChange }: { value: JsonObject; onChange: (next: JsonObject, typing?: boolean) => void }) {
  const names = Object.keys(value);
  const [hasBlank, setHasBlank] = useState(names.length === 0);
  const rename = (from: string, to: string) => {
    const name = to.trim();
    if (!name || name === from || name in value) return;
    onChange(Object.fromEntries(Object.entries(value).map(([each, count]) => [each === from ? name : each, count])));
  };
  const add = (text: string) => {
    const name = text.trim();
    if (!name) return;
    setHasBlank(false);
    onChange({ ...value, [name]: 1 });
  };
  return (
    <ul className="insp-list insp-quorum">
      {names.map((name, place) => (
        <li key={name}>
          <input
            type="text"
            inputMode="numeric"
            className="short"
            autoComplete="off"
            aria-label={`How many of ${name}`}
            value={asTyped(value[name])}
            onChange={(event) =>
              onChange({ ...value, [name]: asNumber(event.target.value) ?? event.target.value }, true)
            }
          />
          <span>of</span>
          <input
            type="text"
            autoComplete="off"
            aria-label={`Group ${place + 1}`}
            defaultValue={name}
            onBlur={(event) => rename(name, event.target.value)}
          />
          <Tool
            icon="x"
            label={`Remove ${name}`}
            onClick={() => onChange(Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)))}
          />
        </li>
      ))}
      {hasBlank ? (
        <li>
          <input
            type="text"
            autoComplete="off"
            aria-label="Another group"
            placeholder="Group name"
            onBlur={(event) => add(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add(event.currentTarget.value);
            }}
          />
        </li>
      ) : (
        <li>
          <button type="button" className="button ghost small" onClick={() => setHasBlank(true)}>
            <Icon name="plus" />
            Add a group
          </button>
        </li>
      )}
    </ul>
  );
}
