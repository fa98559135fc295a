import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { asNumber } from "../convert";
import { Frame, type Ids } from "../fields/Frame";
import { asTyped, useTyped } from "../fields/simple";
import { short, words } from "../schema";
import type { Condition, Field } from "./fields";
import { readable } from "./fields";
import { type Kind, kindOf, optionsOf } from "./kinds";

const READ = new Set<Kind>([
  "boolean",
  "choice",
  "text",
  "integer",
  "number",
  "money",
  "email",
  "uri",
  "date",
  "person",
]);

interface Props {
  field: Field;
  fields: Field[];
  onChange: (when: Condition | null, typing?: boolean) => void;
}

/** When a field is shown: always, or only if another one has a value. */
export function ShownIf({ field, fields, onChange }: Props) {
  const { when } = field;
  const offered = readable(fields, field.name).filter(({ schema }) => READ.has(kindOf(schema)));
  const other = fields.find(({ name }) => name === when?.field);
  if (offered.length === 0 && !when) return null;
  const isUnknown = when && !offered.some(({ name }) => name === when.field);
  const choose = (name: string) => {
    const chosen = offered.find((each) => each.name === name);
    if (chosen) onChange({ field: name, value: firstOf(chosen.schema) });
    else if (!name) onChange(null);
  };
  return (
    <>
      <Frame title="Shown">
        {(ids) => (
          <select
            id={ids.id}
            aria-labelledby={ids.labelId}
            value={when?.field ?? ""}
            onChange={(event) => choose(event.target.value)}
          >
            <option value="">Always</option>
            {isUnknown && <option value={when.field}>Only if {when.field} is… (unknown)</option>}
            {offered.map((each) => (
              <option key={each.name} value={each.name}>
                Only if {labelOf(each)} is…
              </option>
            ))}
          </select>
        )}
      </Frame>
      {when && (
        <Frame title={`${other ? labelOf(other) : when.field} is`}>
          {(ids) => (
            <ValueOf
              key={when.field}
              ids={ids}
              schema={other?.schema}
              value={when.value}
              onChange={(value, typing) => onChange({ field: when.field, value }, typing)}
            />
          )}
        </Frame>
      )}
    </>
  );
}

export function labelOf({ name, schema }: Field): string {
  return isObject(schema) && typeof schema.title === "string" && schema.title ? schema.title : words(name);
}

function firstOf(schema: Json): Json {
  const kind = kindOf(schema);
  if (kind === "boolean") return true;
  if (kind === "choice" && isObject(schema)) return optionsOf(schema)[0]?.value ?? "";
  return ["integer", "number", "money"].includes(kind) ? 0 : "";
}

interface ValueProps {
  ids: Ids;
  schema: Json | undefined;
  value: Json;
  onChange: (value: Json, typing?: boolean) => void;
}

function ValueOf({ ids, schema, value, onChange }: ValueProps) {
  const kind = kindOf(schema);
  const isNumber = ["integer", "number", "money"].includes(kind);
  const read = (typed: string): Json => (isNumber ? (asNumber(typed) ?? typed) : typed);
  const [text, setText] = useTyped(value, asTyped, read);
  if (kind === "boolean" || kind === "choice") {
    const options =
      kind === "boolean"
        ? [
            { value: true, title: "Yes" },
            { value: false, title: "No" },
          ]
        : optionsOf(isObject(schema) ? schema : {});
    const key = JSON.stringify(value);
    const isKnown = options.some((each) => JSON.stringify(each.value) === key);
    return (
      <select
        id={ids.id}
        aria-labelledby={ids.labelId}
        value={key}
        onChange={(event) => onChange(JSON.parse(event.target.value) as Json)}
      >
        {!isKnown && <option value={key}>{value === "" ? "Choose…" : `${short(value)} (unknown)`}</option>}
        {options.map((each) => (
          <option key={JSON.stringify(each.value)} value={JSON.stringify(each.value)}>
            {each.title || short(each.value)}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      type={kind === "date" ? "date" : "text"}
      inputMode={isNumber ? "decimal" : undefined}
      id={ids.id}
      aria-labelledby={ids.labelId}
      autoComplete="off"
      value={text}
      onChange={(event) => {
        setText(event.target.value);
        onChange(read(event.target.value), true);
      }}
    />
  );
}
