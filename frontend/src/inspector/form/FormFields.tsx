import { useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { JsonObject } from "../../model/json";
import { isObject } from "../../model/json";
import { free } from "../../model/names";
import { movedBy, useFollowed } from "../fields/Moving";
import type { Spot } from "../spot";
import { FieldRow } from "./FieldRow";
import {
  type Condition,
  type Field,
  ORDER,
  added,
  conditioned,
  fieldsOf,
  ordered,
  otherRules,
  removed,
  renamed,
  withRequired,
} from "./fields";

let rowIds = 0;

function rowId(): number {
  rowIds += 1;
  return rowIds;
}

interface Props {
  spot: Spot;
  /** Whose fields they are: those of a group, or the columns of rows; left out: those of the form. */
  owner?: string;
  isColumns?: boolean;
  depth?: number;
}

/** The rows with one for each field. While somebody is here, no row moves under their hands. */
function useRows(fields: Field[], isOrdered: boolean) {
  const rows = useRef<{ id: number; name: string }[]>([]);
  const wasOrdered = useRef(false);
  const listed = fields.map(({ name }) => name);
  const isNew = (name: string) => !rows.current.some((row) => row.name === name);
  const called = (from: string, to: string) => {
    rows.current = rows.current.map((row) => (row.name === from ? { ...row, name: to } : row));
  };
  const [gone, come] = [rows.current.filter(({ name }) => !listed.includes(name)), listed.filter(isNew)];
  // One that has another name, as after an undo, is the same row: it stays as it is.
  if (gone.length === 1 && come.length === 1) called(gone[0].name, come[0]);
  rows.current = [
    ...rows.current.filter((row) => listed.includes(row.name)),
    ...listed.filter(isNew).map((name) => ({ id: rowId(), name })),
  ];
  // An order that somebody chose is shown as it is, also after an undo.
  if (isOrdered || wasOrdered.current)
    rows.current = rows.current.toSorted((one, other) => listed.indexOf(one.name) - listed.indexOf(other.name));
  wasOrdered.current = isOrdered;
  const begin = (name: string) => {
    const id = rowId();
    rows.current = [...rows.current, { id, name }];
    return id;
  };
  return { rows: rows.current, called, begin };
}

/** The fields of an object, each in a row of its own. What a row can't show stays as it is. */
export function FormFields({ spot, owner, isColumns, depth = 0 }: Props) {
  const [opened, setOpened] = useState<number | null>(null);
  const schema = isObject(spot.value) ? spot.value : {};
  const fields = fieldsOf(schema);
  const { rows, called, begin } = useRows(fields, Array.isArray(schema[ORDER]));
  const [list, follow] = useFollowed<HTMLUListElement>();
  const names = rows.map(({ name }) => name);
  const put = (next: JsonObject, how: "act" | "typing" | "joins" = "act") => {
    const { properties, ...rest } = next;
    const isEmpty = isObject(properties) && Object.keys(properties).length === 0 && !owner;
    if (isEmpty && Object.keys(rest).every((key) => key === "type")) return spot.set(undefined);
    return how === "joins" ? spot.follow(next) : spot.set(next, how === "typing");
  };
  const move = (from: number, by: -1 | 1) => {
    put(ordered(schema, movedBy(names, from, by)));
    follow(from + by, by);
  };
  const add = (to: JsonObject = schema) => {
    const name = free("field", Object.fromEntries(fieldsOf(to).map((field) => [field.name, true])));
    setOpened(begin(name));
    put(added(to, name, { type: "string" }));
  };
  const rename = (from: string, to: string) => {
    called(from, to);
    return renamed(schema, from, to);
  };
  const word = isColumns ? "column" : "field";
  const rules = otherRules(schema);
  return (
    <>
      {rows.length === 0 && <p className="quiet small">No {word}s yet.</p>}
      <ul className="insp-rows" ref={list}>
        {rows.map(({ id, name }, place) => {
          const field = fields.find((each) => each.name === name);
          return (
            field && (
              <FieldRow
                key={id}
                field={field}
                fields={fields}
                spot={field.path.reduce(
                  (at, key) => (typeof key === "number" ? at.item(key) : at.at(key, key === name ? name : undefined)),
                  spot,
                )}
                isOpen={opened === id}
                place={place}
                depth={depth}
                onMove={(by) => move(place, by)}
                onRequired={(is) => put(withRequired(schema, name, is))}
                onCondition={(when: Condition | null, typing) =>
                  put(conditioned(schema, name, when), typing ? "typing" : "act")
                }
                onRename={(to, joins) => put(rename(name, to), joins ? "joins" : "act")}
                onNext={place === rows.length - 1 ? (wanted) => add(wanted ? rename(name, wanted) : schema) : undefined}
                onRemove={() => put(removed(schema, name))}
              >
                {(within, said, areColumns) => (
                  <FormFields spot={within} owner={said} isColumns={areColumns} depth={depth + 1} />
                )}
              </FieldRow>
            )
          );
        })}
      </ul>
      {rules > 0 && (
        <p className="quiet small">
          {rules === 1 ? "One more rule applies" : `${rules} more rules apply`}. JSON Schema shows{" "}
          {rules === 1 ? "it" : "them"}.
        </p>
      )}
      <button type="button" className="button plain small" onClick={() => add()}>
        <Icon name="plus" />
        {`Add a ${word}`}
        {owner && <span className="sr-only"> to {owner}</span>}
      </button>
    </>
  );
}
