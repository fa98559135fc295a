import { useEffect, useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { Json, JsonObject } from "../../model/json";
import { isObject } from "../../model/json";
import { free, slug } from "../../model/names";
import { useBuilder } from "../../store";
import { Currency, FileLimits } from "../form/Details";
import { GROUPS, type Kind, ORDER, asKind, inOrder, kindOf, titleOf } from "../form/kinds";
import { type Shape, anyShape, words } from "../schema";
import { type Spot, problemsAt } from "../spot";
import { CodeControl } from "./Code";
import { Faults, Frame, Tool } from "./Frame";
import { ListControl } from "./List";
import { MoveTools, movedBy, useFollowed } from "./Moving";
import { Valued } from "./Valued";
import { type ControlProps, told } from "./simple";

function canShow(value: Json | undefined): boolean {
  if (value === undefined) return true;
  return (
    isObject(value) &&
    (value.type === undefined || value.type === "object") &&
    (value.properties === undefined || isObject(value.properties)) &&
    (value.required === undefined || Array.isArray(value.required))
  );
}

/** What somebody fills in, field by field. What this form can't show stays as it is, and can be edited as JSON. */
export function SchemaControl(props: ControlProps) {
  const { spot, shape } = props;
  const can = canShow(spot.value);
  const [asText, setAsText] = useState(!can);
  const isText = asText || !can;
  return (
    <div className="insp-schema">
      <div className="switch" role="group" aria-label={`How ${shape.title} is shown`}>
        <button type="button" aria-pressed={!isText} disabled={!can} onClick={() => setAsText(false)}>
          Fields
        </button>
        <button type="button" aria-pressed={isText} onClick={() => setAsText(true)}>
          JSON Schema
        </button>
      </div>
      {isText ? <CodeControl {...props} /> : <FieldRows spot={spot} title={shape.title} />}
    </div>
  );
}

let rowIds = 0;

function rowId(): number {
  rowIds += 1;
  return rowIds;
}

function FieldRows({ spot, title }: { spot: Spot; title: string }) {
  const [opened, setOpened] = useState<string | null>(null);
  const schema = isObject(spot.value) ? spot.value : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required)
    ? schema.required.filter((each): each is string => typeof each === "string")
    : [];
  const listed = inOrder(schema);
  const ordered = Array.isArray(schema[ORDER]);
  // While somebody is here, no row moves under their hands.
  const rows = useRef<{ id: number; name: string }[]>([]);
  const wasOrdered = useRef(false);
  const [list, follow] = useFollowed<HTMLUListElement>();
  const isNew = (name: string) => !rows.current.some((row) => row.name === name);
  const called = (from: string, to: string) => {
    rows.current = rows.current.map((row) => (row.name === from ? { ...row, name: to } : row));
  };
  const [gone, come] = [rows.current.filter(({ name }) => !(name in properties)), listed.filter(isNew)];
  // One that has another name, as after an undo, is the same row: it stays as it is.
  if (gone.length === 1 && come.length === 1) called(gone[0].name, come[0]);
  rows.current = [
    ...rows.current.filter((row) => row.name in properties),
    ...listed.filter(isNew).map((name) => ({ id: rowId(), name })),
  ];
  // An order that somebody chose is shown as it is, also after an undo.
  if (ordered || wasOrdered.current)
    rows.current = rows.current.toSorted((one, other) => listed.indexOf(one.name) - listed.indexOf(other.name));
  wasOrdered.current = ordered;
  const names = rows.current.map((row) => row.name);
  const put = (next: JsonObject, needed: string[], order = ordered ? names : [], joins = false) => {
    const { properties: _was, required: _needed, [ORDER]: _order, ...rest }: JsonObject = { type: "object", ...schema };
    if (Object.keys(next).length === 0 && Object.keys(rest).every((key) => key === "type")) return spot.set(undefined);
    const whole = {
      ...rest,
      properties: next,
      ...(needed.length ? { required: needed } : {}),
      ...(order.length ? { [ORDER]: order.filter((name) => name in next) } : {}),
    };
    return joins ? spot.follow(whole) : spot.set(whole);
  };
  const move = (from: number, by: -1 | 1) => {
    put(properties, required, movedBy(names, from, by));
    follow(from + by, by);
  };
  const add = () => {
    const name = free("field", properties);
    setOpened(name);
    put({ ...properties, [name]: { type: "string" } }, required, ordered ? [...names, name] : []);
  };
  const rename = (from: string, to: string, joins: boolean) => {
    called(from, to);
    // Or it would have the hands again as soon as an undo calls it as it was.
    setOpened(null);
    put(
      Object.fromEntries(Object.entries(properties).map(([name, each]) => [name === from ? to : name, each])),
      required.map((name) => (name === from ? to : name)),
      ordered ? names.map((name) => (name === from ? to : name)) : [],
      joins,
    );
  };
  const remove = (name: string) => {
    const { [name]: _gone, ...rest } = properties;
    put(
      rest,
      required.filter((each) => each !== name),
    );
  };
  return (
    <>
      {names.length === 0 && <p className="quiet small">No fields yet.</p>}
      <ul className="insp-rows" ref={list}>
        {rows.current.map(({ id, name }, place) => (
          <FieldRow
            key={id}
            name={name}
            spot={spot.at("properties").at(name, name)}
            isNeeded={required.includes(name)}
            isOpen={opened === name}
            names={names}
            place={place}
            onMove={(by) => move(place, by)}
            onNeeded={(is) => put(properties, is ? [...required, name] : required.filter((each) => each !== name))}
            onRename={(to, joins) => rename(name, to, joins ?? false)}
            onRemove={() => remove(name)}
          />
        ))}
      </ul>
      <button type="button" className="button plain small" onClick={add}>
        <Icon name="plus" />
        Add a field
      </button>
      <span className="sr-only">{title}</span>
    </>
  );
}

interface RowProps {
  name: string;
  spot: Spot;
  isNeeded: boolean;
  isOpen: boolean;
  names: string[];
  place: number;
  onMove: (by: -1 | 1) => void;
  onNeeded: (is: boolean) => void;
  /** `joins`: nobody chose that name, it comes of the label that was just written. */
  onRename: (to: string, joins?: boolean) => void;
  onRemove: () => void;
}

function FieldRow({ name, spot, isNeeded, isOpen, names, place, onMove, onNeeded, onRename, onRemove }: RowProps) {
  const problems = useBuilder((now) => now.problems);
  const [open, setOpen] = useState(isOpen);
  const row = useRef<HTMLLIElement>(null);
  // What was just added is what somebody goes on with: it is open from the beginning.
  useEffect(() => {
    if (isOpen) row.current?.querySelector("input")?.focus();
  }, [isOpen]);
  const schema = isObject(spot.value) ? spot.value : {};
  const kind = kindOf(spot.value);
  const title = spot.at("title", `the label of ${name}`);
  const said = typeof title.value === "string" && title.value ? title.value : words(name);
  const label: Shape = { ...anyShape("title", "Label", "", "text"), fallback: words(name) };
  const before = useRef(title.value);
  const follow = () => {
    const wanted = typeof title.value === "string" ? slug(title.value) : "";
    // A name that nobody chose goes with the label, when that was written; who only passes by changes nothing.
    const isWritten = title.value !== before.current;
    if (isWritten && /^field(_\d+)?$/.test(name) && wanted && !names.includes(wanted)) onRename(wanted, true);
  };
  return (
    <li ref={row}>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span>{said}</span>{" "}
          <small className="quiet">
            <code>{name}</code>, {titleOf(kind).toLowerCase()}
            {isNeeded ? ", required" : ""}
          </small>
        </summary>
        <div onFocus={() => (before.current = title.value)} onBlur={follow}>
          <Valued spot={title} shape={label} isFixed />
        </div>
        <NameField name={name} names={names} onRename={onRename} />
        <Frame title="Kind">
          {(ids) => (
            <select
              {...told(ids, label)}
              value={kind}
              onChange={(event) => spot.set(asKind(schema, event.target.value as Kind))}
            >
              {GROUPS.map(([group, kinds]) => (
                <optgroup key={group} label={group}>
                  {kinds.map(([each, text]) => (
                    <option key={each} value={each}>
                      {text}
                    </option>
                  ))}
                </optgroup>
              ))}
              {kind === "other" && <option value="other">{titleOf(kind)}</option>}
            </select>
          )}
        </Frame>
        {kind === "money" && <Currency spot={spot} />}
        {kind === "file" && <FileLimits spot={spot} />}
        {kind === "choice" && Array.isArray(schema.enum) && (
          <Frame title="Options" isGroup>
            {(ids) => (
              <ListControl
                spot={spot.at("enum", `the options of ${name}`)}
                shape={anyShape("enum", "Option")}
                ids={ids}
              />
            )}
          </Frame>
        )}
        {(kind === "other" || ["checks", "rows", "group"].includes(kind) || schema.oneOf) && (
          <Frame title="JSON Schema" isGroup>
            {(ids) => <CodeControl spot={spot} shape={anyShape("schema", `JSON Schema of ${said}`)} ids={ids} />}
          </Frame>
        )}
        <Valued
          spot={spot.at("description", `the help of ${name}`)}
          shape={anyShape("description", "Help", "", "text")}
          isFixed
        />
        <label className="check">
          <input type="checkbox" checked={isNeeded} onChange={(event) => onNeeded(event.target.checked)} />
          Required
        </label>
      </details>
      <div className="row-foot">
        <span className="row-tools">
          <MoveTools name={said} place={place} count={names.length} onMove={onMove} />
          <Tool icon="trash-2" label={`Remove ${said}`} onClick={onRemove} />
        </span>
      </div>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, true)} />
    </li>
  );
}

function NameField({ name, names, onRename }: { name: string; names: string[]; onRename: (to: string) => void }) {
  const [text, setText] = useState(name);
  const [seen, setSeen] = useState(name);
  if (seen !== name) {
    setSeen(name);
    setText(name);
  }
  const isTaken = text !== name && names.includes(text);
  const fault = isTaken ? `${text} already exists.` : text ? "" : "Enter a name.";
  const commit = () => {
    if (!fault && text !== name) onRename(text);
  };
  return (
    <Frame
      title="Name"
      help="The name used in expressions."
      problems={fault ? [{ code: "name", severity: "error", node: null, field: "", message: fault }] : []}
    >
      {(ids) => (
        <input
          type="text"
          className="code"
          id={ids.id}
          aria-describedby={ids.describedBy}
          aria-invalid={ids.isInvalid || undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            commit();
          }}
        />
      )}
    </Frame>
  );
}
