import { useContext, useState } from "react";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { useBuilder } from "../../store";
import { asExpression, asLiteral, isExpression } from "../convert";
import { Expression } from "../expression/Expression";
import { useTakes } from "../expression/target";
import { slashAt } from "../../model/slash";
import type { Shape } from "../schema";
import { type Spot, problemsAt } from "../spot";
import { ConditionField } from "../condition/ConditionField";
import { CalendarControl } from "./Calendar";
import { CodeControl } from "./Code";
import { Frame } from "./Frame";
import { ListControl } from "./List";
import { PairsControl } from "./Pairs";
import { QuorumControl } from "./Quorum";
import { WorkflowControl } from "./Workflow";
import { otherSide } from "./kept";
import { Reads } from "./reads";
import {
  ChoicesControl,
  type ControlProps,
  DateTimeControl,
  DurationControl,
  LongTextControl,
  NumberControl,
  SecondsControl,
  SelectControl,
  SwitchControl,
  TextControl,
} from "./simple";

/** A condition of a step, which is asked after each round of it. */
function ConditionControl({ spot, ids }: ControlProps) {
  const reads = useContext(Reads);
  return (
    <ConditionField
      value={typeof spot.value === "string" ? spot.value : ""}
      ids={ids}
      place={{ place: "round", node: reads?.node, field: spot.field }}
      onChange={(text, typing) => spot.set(text || undefined, typing)}
    />
  );
}

const TEXTS = new Set(["text", "textarea", "template", "datetime", "duration", "workflow", "calendar"]);
/** The controls by widget; those that hold fields themselves come from `holders.ts`. */
export const CONTROLS: Record<string, (props: ControlProps) => React.ReactNode> = {
  text: TextControl,
  textarea: LongTextControl,
  template: TextControl,
  datetime: DateTimeControl,
  duration: DurationControl,
  number: NumberControl,
  seconds: SecondsControl,
  switch: SwitchControl,
  select: SelectControl,
  choices: ChoicesControl,
  list: ListControl,
  pairs: PairsControl,
  quorum: QuorumControl,
  code: CodeControl,
  workflow: WorkflowControl,
  calendar: CalendarControl,
  expression: ConditionControl,
};
const SEVERAL = new Set(["choices", "list", "rows", "pairs", "group", "schema", "quorum", "body", "expression"]);
/** Their problems stand at their parts. */
const PARTED = new Set(["rows", "pairs", "group", "schema", "list", "body"]);
/** No template stands in their place. */
const NO_TEMPLATES = new Set(["group", "body", "expression"]);

/** Whether the control can show the value; a text where none belongs stays visible as JSON. */
function canShow(widget: string, value: Json | undefined, shape: Shape): boolean {
  if (value === undefined) return true;
  if (TEXTS.has(widget)) return typeof value === "string";
  if (widget === "number" || widget === "seconds") return typeof value === "number" || typeof value === "string";
  if (widget === "switch") return typeof value === "boolean";
  if (widget === "select") return typeof value !== "object";
  if (widget === "list")
    return Array.isArray(value)
      ? value.every((each) => typeof each !== "object")
      : typeof value !== "object" && shape.takes.has(typeof value === "string" ? "string" : "integer");
  if (widget === "quorum") return typeof value === "number" || isObject(value);
  if (widget === "choices" || widget === "rows") return Array.isArray(value);
  if (["pairs", "group", "schema", "body"].includes(widget)) return isObject(value);
  if (widget === "expression") return typeof value === "string";
  return true;
}

export interface ValuedProps {
  spot: Spot;
  shape: Shape;
  keepsEmpty?: boolean;
  isBare?: boolean;
  /** No expression may stand there. */
  isFixed?: boolean;
  tools?: React.ReactNode;
}

/** Whether a `/` was typed just now that asks for the list, in a field for texts. */
function asksForList(was: Json | undefined, now: Json | undefined, widget: string): boolean {
  if (!TEXTS.has(widget) || typeof now !== "string" || !now.endsWith("/")) return false;
  return now.length === (typeof was === "string" ? was.length : 0) + 1 && slashAt(now, now.length, true) !== null;
}

/** One field: its control, or the expression in its place, and the switch between the two. */
export function Valued({ spot, shape, keepsEmpty, isBare, isFixed, tools }: ValuedProps) {
  const around = useContext(Reads);
  const reads = isFixed || NO_TEMPLATES.has(shape.widget) ? null : around;
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const all = useBuilder((now) => now.problems);
  const [wantsFx, setWantsFx] = useState(false);
  const [isTypedInto, setIsTypedInto] = useState(false);
  const isFx =
    reads !== null &&
    (wantsFx || isExpression(spot.value)) &&
    (spot.value === undefined || typeof spot.value === "string");
  const known = CONTROLS[shape.widget] && canShow(shape.widget, spot.value, shape) ? shape.widget : "code";
  const Control = CONTROLS[known];
  const problems = problemsAt(all, spot.field, isFx || !PARTED.has(known));
  const isEmpty = shape.isRequired && (spot.value === undefined || spot.value === "");
  const guarded: Spot = {
    ...spot,
    set: (value, typing) => {
      // Somebody who types {{ or asks for the list by / goes on in the editor for expressions.
      if (typing && reads && (isExpression(value) || asksForList(spot.value, value, known))) {
        setWantsFx(true);
        setIsTypedInto(true);
      }
      spot.set(value, typing);
    },
  };
  const takes = useTakes(
    reads && !NO_TEMPLATES.has(known) && (isFx || !SEVERAL.has(known))
      ? {
          label: shape.title,
          place: { ...reads, field: spot.field },
          insert: (path) => {
            const text = isFx || TEXTS.has(known) ? spot.value : undefined;
            spot.set(`${typeof text === "string" ? text : ""}{{ ${path} }}`);
            setWantsFx(true);
          },
        }
      : null,
  );
  const flip = () => {
    const literal = otherSide.get<Json>(`${spot.key} literal`);
    const expression = otherSide.get<string>(`${spot.key} fx`);
    if (!isFx) {
      otherSide.keep(`${spot.key} literal`, spot.value);
      const wanted =
        expression !== undefined && asLiteral(expression) === undefined && spot.value === literal
          ? expression
          : asExpression(spot.value);
      if (wanted !== (spot.value ?? "")) spot.set(wanted || undefined);
      setIsTypedInto(true);
    } else {
      const text = typeof spot.value === "string" ? spot.value : "";
      otherSide.keep(`${spot.key} fx`, text);
      const back = asLiteral(text);
      const next = back === undefined ? literal : back === "" ? undefined : back;
      if (next !== spot.value) spot.set(isExpression(next) ? undefined : next);
      setIsTypedInto(false);
    }
    setWantsFx(!isFx);
  };
  const fx = reads && mayWrite && !NO_TEMPLATES.has(known) && (
    <button
      type="button"
      className="fx"
      aria-pressed={isFx}
      title={isFx ? "Use a fixed value" : "Use an expression"}
      onClick={flip}
    >
      <span aria-hidden="true">fx</span>
      <span className="sr-only">Expression for {shape.title}</span>
    </button>
  );
  const aside = (
    <>
      {fx}
      {tools}
    </>
  );
  if (isFx && reads) {
    return (
      <Frame
        title={shape.title}
        field={spot.field}
        help={shape.help}
        isRequired={shape.isRequired}
        isEmpty={isEmpty}
        problems={problems}
        tools={aside}
        isBare={isBare}
        takes={takes}
        isGroup
      >
        {(ids) => (
          <Expression
            mode="template"
            value={typeof spot.value === "string" ? spot.value : ""}
            onChange={(text) => {
              // Emptied, it stays the editor in which one types.
              setWantsFx(true);
              spot.set(text || keepsEmpty ? text : undefined, true);
            }}
            label={shape.title}
            ids={ids}
            place={{ ...reads, field: spot.field }}
            expects={shape}
            isLong={shape.widget === "textarea"}
            autoFocus={isTypedInto}
          />
        )}
      </Frame>
    );
  }
  if (known === "switch") {
    return (
      <Frame
        title={shape.title}
        field={spot.field}
        help={shape.help}
        problems={problems}
        tools={aside}
        isBare={isBare}
        takes={takes}
        isInline
      >
        {(ids) => <Control spot={guarded} shape={shape} ids={ids} />}
      </Frame>
    );
  }
  return (
    <Frame
      title={shape.title}
      field={spot.field}
      help={shape.help}
      isRequired={shape.isRequired}
      isEmpty={isEmpty}
      isGroup={SEVERAL.has(known)}
      problems={problems}
      tools={aside}
      isBare={isBare}
      takes={takes}
    >
      {(ids) => <Control spot={guarded} shape={shape} ids={ids} keepsEmpty={keepsEmpty} />}
    </Frame>
  );
}
