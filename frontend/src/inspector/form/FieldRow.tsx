import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { isObject } from "../../model/json";
import { slug } from "../../model/names";
import { useBuilder } from "../../store";
import { CodeControl } from "../fields/Code";
import { Faults, Frame, Tool } from "../fields/Frame";
import { MoveTools } from "../fields/Moving";
import { Valued } from "../fields/Valued";
import { told } from "../fields/simple";
import { type Shape, anyShape, words } from "../schema";
import { type Spot, problemsAt } from "../spot";
import { Currency, FileLimits } from "./Details";
import { FieldName } from "./FieldName";
import { Options } from "./Options";
import { ShownIf, labelOf } from "./ShownIf";
import type { Condition, Field } from "./fields";
import { GROUPS, type Kind, asKind, kindOf, titleOf } from "./kinds";

/** Deeper fields are written as JSON on the page: DEEPEST of lib/forms. */
const DEEPEST = 4;
/** What is not done with its kind: Enter does not go on to the next field. */
const PARTED = new Set<Kind>(["choice", "checks", "rows", "group", "other"]);

interface Props {
  field: Field;
  fields: Field[];
  spot: Spot;
  isOpen: boolean;
  place: number;
  depth: number;
  onMove: (by: -1 | 1) => void;
  onRequired: (is: boolean) => void;
  onCondition: (when: Condition | null, typing?: boolean) => void;
  /** `joins`: nobody chose that name, it comes of the label that was just written. */
  onRename: (to: string, joins?: boolean) => void;
  /** Of the last one: one more field, after this one has the `wanted` name, if any. */
  onNext?: (wanted: string) => void;
  onRemove: () => void;
  /** The fields of a group, or the columns of rows. */
  children: (spot: Spot, owner: string, isColumns: boolean) => ReactNode;
}

export function FieldRow(props: Props) {
  const { field, fields, spot, isOpen, place, depth, onRename, onNext } = props;
  const { name, isRequired } = field;
  const problems = useBuilder((now) => now.problems);
  const [open, setOpen] = useState(isOpen);
  const row = useRef<HTMLLIElement>(null);
  const wasOpen = useRef(isOpen);
  // What was just added is what somebody goes on with: it is open from the beginning, and closed for the next one.
  useEffect(() => {
    if (isOpen) row.current?.querySelector("input")?.focus();
    else if (wasOpen.current) setOpen(false);
    wasOpen.current = isOpen;
  }, [isOpen]);
  const names = fields.map((each) => each.name);
  const kind = kindOf(spot.value);
  const said = labelOf(field);
  const title = spot.at("title", `the label of ${name}`);
  const label: Shape = { ...anyShape("title", "Label", "", "text"), fallback: words(name) };
  const before = useRef(title.value);
  /** The name that goes with the label; empty where it stays. */
  const wanted = () => {
    const made = typeof title.value === "string" ? slug(title.value) : "";
    // A name that nobody chose goes with the label, when that was written; who only passes by changes nothing.
    const isWritten = title.value !== before.current;
    return isWritten && /^field(_\d+)?$/.test(name) && made && !names.includes(made) ? made : "";
  };
  const follow = () => {
    const made = wanted();
    if (made) onRename(made, true);
  };
  const next = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.ctrlKey || !onNext || !title.value) return;
    if (PARTED.has(kind) && event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    onNext(wanted());
  };
  return (
    <li ref={row}>
      <details
        open={open}
        onToggle={(event) => event.target === event.currentTarget && setOpen(event.currentTarget.open)}
      >
        <summary>
          <span>{said}</span>{" "}
          <small className="quiet">
            <code>{name}</code>, {titleOf(kind).toLowerCase()}
            {isRequired ? ", required" : ""}
            {field.when ? ", conditional" : ""}
          </small>
        </summary>
        <div onFocus={() => (before.current = title.value)} onBlur={follow} onKeyDown={next}>
          <Valued spot={title} shape={label} isFixed />
        </div>
        <div onKeyDown={next}>
          <KindPick spot={spot} kind={kind} shape={label} isDeep={depth + 1 >= DEEPEST} />
        </div>
        <Inside spot={spot} kind={kind} said={said} fields={props.children} />
        <FieldName name={name} names={names} onRename={onRename} />
        <Valued
          spot={spot.at("description", `the help of ${name}`)}
          shape={anyShape("description", "Help", "", "text")}
          isFixed
        />
        <ShownIf field={field} fields={fields} onChange={props.onCondition} />
        <label className="check">
          <input type="checkbox" checked={isRequired} onChange={(event) => props.onRequired(event.target.checked)} />
          Required
        </label>
      </details>
      <div className="row-foot">
        <span className="row-tools">
          <MoveTools name={said} place={place} count={names.length} onMove={props.onMove} />
          <Tool icon="trash-2" label={`Remove ${said}`} onClick={props.onRemove} />
        </span>
      </div>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, true)} />
    </li>
  );
}

function KindPick({ spot, kind, shape, isDeep }: { spot: Spot; kind: Kind; shape: Shape; isDeep: boolean }) {
  const schema = isObject(spot.value) ? spot.value : {};
  const isOffered = (each: Kind) => each === kind || !isDeep || !["rows", "group", "list", "checks"].includes(each);
  return (
    <Frame title="Kind">
      {(ids) => (
        <select
          {...told(ids, shape)}
          value={kind}
          onChange={(event) => spot.set(asKind(schema, event.target.value as Kind))}
        >
          {GROUPS.map(([group, kinds]) => (
            <optgroup key={group} label={group}>
              {kinds
                .filter(([each]) => isOffered(each))
                .map(([each, text]) => (
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
  );
}

/** What a field of this kind has to say beside its title. */
function Inside({ spot, kind, said, fields }: { spot: Spot; kind: Kind; said: string; fields: Props["children"] }) {
  switch (kind) {
    case "money":
      return <Currency spot={spot} />;
    case "file":
      return <FileLimits spot={spot} />;
    case "choice":
      return <Options spot={spot} />;
    case "checks":
      return <Options spot={spot.at("items")} />;
    case "group":
      return (
        <Frame title="Fields" isGroup>
          {() => fields(spot, said, false)}
        </Frame>
      );
    case "rows":
      return (
        <Frame title="Columns" isGroup>
          {() => fields(spot.at("items"), said, true)}
        </Frame>
      );
    case "other":
      return (
        <Frame title="JSON Schema" isGroup>
          {(ids) => <CodeControl spot={spot} shape={anyShape("schema", `JSON Schema of ${said}`)} ids={ids} />}
        </Frame>
      );
  }
  return null;
}
