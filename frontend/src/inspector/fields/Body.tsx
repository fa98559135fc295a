import { useContext, useState } from "react";
import { Icon } from "../../Icon";
import { openAdd } from "../../keys";
import { homeOf } from "../../model/bodies";
import { faceOf } from "../../model/catalogue";
import { AROUND, type Form, type FormContent, formOf, formed, held } from "../../model/forms";
import { inOrder, titleOf } from "../../model/graph";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { spokenOf } from "../../model/talk";
import { act, goTo, state, useBuilder } from "../../store";
import { Params } from "../Params";
import { RetryField } from "../RetryField";
import { Section } from "../Section";
import { type Shape, shapesOf } from "../schema";
import { type Spot, problemsAt } from "../spot";
import { Faults, Frame } from "./Frame";
import { TypePick } from "./TypePick";
import { Unknown } from "./Unknown";
import { Valued } from "./Valued";
import { Reads } from "./reads";
import { otherSide } from "./kept";
import type { ControlProps } from "./simple";

const FORMS: [Form, string][] = [
  ["steps", "Several steps"],
  ["step", "One step"],
  ["workflow", "A workflow"],
];
const OF_FORM: Record<Form, string[]> = {
  steps: ["steps", "edges"],
  step: ["type", "title", "params", ...AROUND],
  workflow: ["workflow", "version", "input"],
};

/** What a container does for each of its items: steps that stand in it, one step, or a run of a workflow. */
export function BodyControl({ spot, shape }: ControlProps) {
  const id = useContext(Reads)?.node ?? "";
  const doc = useBuilder((now) => now.doc);
  const problems = useBuilder((now) => now.problems);
  const [picked, setPicked] = useState<Form | null>(null);
  const form = formOf(doc, id) ?? picked;
  const shapes = Object.fromEntries(shapesOf(shape.schema, shape.root).map((each) => [each.name, each]));
  const pick = (next: Form) => {
    setPicked(next);
    if (next === form) return;
    const now = state();
    if (form !== null) otherSide.keep(`${spot.key} ${form}`, held(now.doc, id));
    const kept = otherSide.get<FormContent>(`${spot.key} ${next}`) ?? null;
    const title = FORMS.find(([each]) => each === next)?.[1].toLowerCase();
    act(`Make it ${title} in ${titleOf(now.doc, id)}`, formed(now.doc, id, next, kept, spokenOf(now.comments)));
  };
  return (
    <div className="insp-forms">
      <div className="switch" role="group" aria-label={`${shape.title}: what is done`}>
        {FORMS.map(([each, words]) => (
          <button key={each} type="button" aria-pressed={each === form} onClick={() => pick(each)}>
            {words}
          </button>
        ))}
      </div>
      <Faults id={`faults of ${spot.key}`} problems={problemsAt(problems, spot.field, false)} />
      {form === "steps" && <Inside id={id} spot={spot} />}
      {form === "step" && <One id={id} spot={spot} shapes={shapes} />}
      {form === "workflow" && <Run id={id} spot={spot} shapes={shapes} />}
      {form !== null && isObject(spot.value) && <Unknown spot={spot} known={OF_FORM[form]} isOpen={false} />}
    </div>
  );
}

interface Part {
  id: string;
  spot: Spot;
}

/** The steps that stand in it, each a way to its own form. */
function Inside({ id, spot }: Part) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const problems = useBuilder((now) => now.problems);
  const steps = inOrder(doc).filter((row) => homeOf(doc, row.id) === id);
  return (
    <>
      {steps.length > 0 && (
        <ul className="insp-ways">
          {steps.map((row) => (
            <li key={row.id}>
              <button type="button" className="way" onClick={() => goTo(row.id)}>
                <Icon name={faceOf(catalogue, doc.nodes[row.id].type).icon} />
                <span>{titleOf(doc, row.id)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {mayWrite && (
        <button type="button" className="button plain small" onClick={() => openAdd({ inside: id })}>
          <Icon name="plus" />
          {steps.length ? "Add a step at the end" : "Add the first step"}
        </button>
      )}
      <Faults id={`faults of ${spot.key} steps`} problems={problemsAt(problems, `${spot.field}.steps`, false)} />
    </>
  );
}

/** One step, in a few fields. */
function One({ id, spot, shapes }: Part & { shapes: Record<string, Shape> }) {
  const catalogue = useBuilder((now) => now.catalogue);
  const problems = useBuilder((now) => now.problems);
  const type = spot.at("type", "the step type");
  const name = typeof type.value === "string" ? type.value : "";
  return (
    <>
      <Frame
        title={shapes.type.title}
        help={catalogue[name]?.help}
        problems={problemsAt(problems, type.field, true)}
        isRequired
        isEmpty={!name}
      >
        {(ids) => <TypePick ids={ids} value={name} onChange={(next) => type.set(next)} />}
      </Frame>
      <Reads value={{ node: id, place: "body", base: spot.at("params").field }}>
        {name && <Params spot={spot.at("params")} type={name} />}
      </Reads>
      <Section title="More" hasProblems={AROUND.some((each) => problemsAt(problems, spot.at(each).field, true).length)}>
        <RetryField
          spot={spot.at("retry", "the retries")}
          shape={{ ...shapes.retry, fallback: catalogue[name]?.retry }}
        />
        {["timeout_seconds", "queue"].map((each) => (
          <Valued key={each} spot={spot.at(each, shapes[each].title)} shape={shapes[each]} isFixed />
        ))}
      </Section>
    </>
  );
}

/** A run of a workflow. */
function Run({ id, spot, shapes }: Part & { shapes: Record<string, Shape> }) {
  const input: Json | undefined = isObject(spot.value) ? spot.value.input : undefined;
  return (
    <>
      <Valued spot={spot.at("workflow", "the workflow")} shape={{ ...shapes.workflow, isRequired: true }} isFixed />
      <Valued spot={spot.at("version", "the version")} shape={shapes.version} isFixed />
      <Reads value={{ node: id, place: "body", base: spot.at("input").field }}>
        <Valued
          key={typeof input}
          spot={spot.at("input", "the input")}
          shape={{ ...shapes.input, widget: isObject(input) || input === undefined ? "pairs" : "code" }}
        />
      </Reads>
    </>
  );
}
