import { useState } from "react";
import { Icon } from "../Icon";
import { openAdd } from "../keys";
import { Draft } from "../model/changes";
import { reconnect, remove, reorder } from "../model/commands";
import type { Doc, EdgeBody } from "../model/document";
import { edgeFieldOf, fieldOf } from "../model/bodies";
import { titleOf, whyNot } from "../model/graph";
import type { Json, JsonObject } from "../model/json";
import { outcomesOf } from "../model/outcomes";
import { act, goTo, select, state, useBuilder } from "../store";
import { StepPick } from "./StepPick";
import { Timers } from "./Timers";
import { ConditionField } from "./condition/ConditionField";
import { Faults, Frame, Tool } from "./fields/Frame";
import { Unknown } from "./fields/Unknown";
import { otherSide } from "./fields/kept";
import { docSpot, problemsAt } from "./spot";

type Mode = "always" | "when" | "branch" | "default" | "error";

const MODES: [Mode, string, string][] = [
  ["always", "Always", ""],
  ["when", "If…", "a condition is true"],
  ["branch", "On an outcome", "the decision of the step"],
  ["default", "Otherwise", "no other condition is true"],
  ["error", "On failure", "the step fails after all retries"],
];

function modeOf(edge: EdgeBody): Mode {
  if (edge.on) return "error";
  if (edge.default) return "default";
  if (typeof edge.branch === "string") return "branch";
  return typeof edge.when === "string" ? "when" : "always";
}

/** One way from a step to another. */
export function EdgeForm({ edge: key }: { edge: string }) {
  const doc = useBuilder((now) => now.doc);
  if (key.includes("@")) return <TimerForm edge={key} />;
  const edge = doc.edges[key];
  const field = edgeFieldOf(doc, key);
  const peers = Object.keys(doc.edges).filter((each) => doc.edges[each].from === edge.from);
  const at = peers.indexOf(key);
  const ends = (changed: { from?: string; to?: string }) => {
    const changes = reconnect(state().doc, key, changed);
    const made = changes.find((change) => change.path[0] === "edges" && change.to !== undefined);
    if (
      act(`Connect ${titleOf(doc, changed.from ?? edge.from)} to ${titleOf(doc, changed.to ?? edge.to)}`, changes) &&
      made
    )
      select({ edges: [made.path[1]] });
  };
  const { [key]: _own, ...others } = doc.edges;
  const without: Doc = { ...doc, edges: others };
  return (
    <>
      <header className="insp-head">
        <div className="insp-kind">
          <span className="step-icon">
            <Icon name="spline" />
          </span>
          <div>
            <h2>Connection</h2>
            <small>
              <Go id={edge.from} /> to <Go id={edge.to} />
            </small>
          </div>
        </div>
      </header>
      <div className="insp-part">
        <Taken edgeKey={key} edge={edge} field={field} />
      </div>
      {peers.length > 1 && (
        <div className="insp-part">
          <div className="row-head">
            <span>
              Checked as number {at + 1} of {peers.length} after {titleOf(doc, edge.from)}
            </span>
            <span className="row-tools">
              <Tool
                icon="arrow-up"
                label="Check earlier"
                disabled={at === 0}
                onClick={() => act("Check a connection earlier", reorder(state().doc, "edges", key, -1))}
              />
              <Tool
                icon="arrow-down"
                label="Check later"
                disabled={at === peers.length - 1}
                onClick={() => act("Check a connection later", reorder(state().doc, "edges", key, 1))}
              />
            </span>
          </div>
        </div>
      )}
      <div className="insp-part">
        <End
          title="From"
          field={`${field}.from`}
          value={edge.from}
          whyNot={(id) => whyNot(without, id, edge.to, edge)}
          onChange={(from) => ends({ from })}
        />
        <End
          title="To"
          field={`${field}.to`}
          value={edge.to}
          whyNot={(id) => whyNot(without, edge.from, id, edge)}
          onChange={(to) => ends({ to })}
        />
      </div>
      <EdgeActions edgeKey={key} />
      <Unknown
        spot={docSpot(doc, ["edges", key], field, "a field", "a connection")}
        known={["from", "to", "when", "branch", "default", "on"]}
        isOpen={false}
      />
    </>
  );
}

function Go({ id }: { id: string }) {
  const doc = useBuilder((now) => now.doc);
  return (
    <button type="button" className="link" onClick={() => goTo(id)}>
      {titleOf(doc, id)}
    </button>
  );
}

function End({
  title,
  field,
  value,
  whyNot: why,
  onChange,
}: {
  title: string;
  field: string;
  value: string;
  whyNot: (id: string) => string | null;
  onChange: (id: string) => void;
}) {
  const problems = useBuilder((now) => now.problems);
  return (
    <Frame title={title} problems={problemsAt(problems, field, true)}>
      {(ids) => <StepPick ids={ids} value={value} whyNot={why} onChange={onChange} />}
    </Frame>
  );
}

function EdgeActions({ edgeKey }: { edgeKey: string }) {
  const doc = useBuilder((now) => now.doc);
  const { from } = doc.edges[edgeKey];
  const gone = () => {
    if (
      act(
        `Remove the connection to ${titleOf(doc, doc.edges[edgeKey].to)}`,
        remove(state().doc, { nodes: [], edges: [edgeKey] }),
      )
    )
      goTo(from);
  };
  return (
    <div className="insp-part insp-actions">
      <button type="button" className="button plain small" onClick={() => openAdd({ edge: edgeKey })}>
        <Icon name="plus" />
        Add a step here
      </button>
      <button type="button" className="button danger small" onClick={gone}>
        <Icon name="trash-2" />
        Remove
      </button>
    </div>
  );
}

/** What says of an edge when it is taken: one of four, or none. */
const SAYS = ["when", "branch", "default", "on"] as const;

function setCondition(key: string, wanted: JsonObject, label: string, merge?: string): void {
  const draft = new Draft(state().doc);
  for (const name of SAYS) draft.set(["edges", key, name], wanted[name]);
  act(label, draft.changes, merge ? { merge, stays: true } : {});
}

function Taken({ edgeKey: key, edge, field }: { edgeKey: string; edge: EdgeBody; field: string }) {
  const doc = useBuilder((now) => now.doc);
  const problems = useBuilder((now) => now.problems);
  const [picked, setPicked] = useState<Mode | null>(null);
  const actual = modeOf(edge);
  // "If" without a condition yet is "always" for the draft: the form shows what somebody is about to say.
  const mode = picked !== null && actual === "always" && (picked === "when" || picked === "branch") ? picked : actual;
  const label = `Change when ${titleOf(doc, edge.to)} follows ${titleOf(doc, edge.from)}`;
  const pick = (next: Mode) => {
    otherSide.keep(`${key} ${mode}`, edge[mode] as Json);
    const kept = otherSide.get<string>(`${key} ${next}`);
    setPicked(next);
    const said: Record<Mode, JsonObject> = {
      always: {},
      when: kept ? { when: kept } : {},
      branch: kept ? { branch: kept } : {},
      default: { default: true },
      error: { on: "error" },
    };
    setCondition(key, said[next], label);
  };
  const own = problems.filter(
    (problem) => problem.field === field || ["default", "on"].some((name) => problem.field === `${field}.${name}`),
  );
  const several = SAYS.filter((name) => edge[name]).length > 1;
  return (
    <>
      <fieldset className="taken" aria-describedby={own.length ? "taken-faults" : undefined}>
        <legend>When it is followed</legend>
        {MODES.map(([name, title, help]) => (
          <label key={name} className="check">
            <input
              type="radio"
              name={`taken ${key}`}
              data-first={name === mode || undefined}
              checked={mode === name}
              onChange={() => pick(name)}
            />
            <span>
              {title} {help && <small>{help}</small>}
            </span>
          </label>
        ))}
      </fieldset>
      <Faults id="taken-faults" problems={own} />
      {several && (
        <p className="fault">
          Several conditions are set ({SAYS.filter((name) => edge[name]).join(", ")}); choose one.
        </p>
      )}
      {mode === "when" && (
        <Frame title="Condition" isGroup isEmpty={!edge.when} problems={problemsAt(problems, `${field}.when`, true)}>
          {(ids) => (
            <ConditionField
              value={typeof edge.when === "string" ? edge.when : ""}
              ids={ids}
              place={{ place: "when", edge: { from: edge.from, to: edge.to }, field: `${field}.when` }}
              onChange={(text, typing) => {
                setPicked("when");
                setCondition(key, text ? { when: text } : {}, label, typing ? `type edges/${key}/when` : undefined);
              }}
            />
          )}
        </Frame>
      )}
      {mode === "branch" && (
        <Frame
          title="Outcome"
          isEmpty={!edge.branch}
          help="The outcome of a task, or `branch` in the output of the step."
          problems={problemsAt(problems, `${field}.branch`, true)}
        >
          {(ids) => (
            <Outcome
              key={edge.from}
              from={edge.from}
              ids={ids}
              value={typeof edge.branch === "string" ? edge.branch : ""}
              onChange={(text, typing) => {
                setPicked("branch");
                setCondition(key, text ? { branch: text } : {}, label, typing ? `type edges/${key}/branch` : undefined);
              }}
            />
          )}
        </Frame>
      )}
    </>
  );
}

interface OutcomeProps {
  from: string;
  ids: { id: string; labelId: string; describedBy: string | undefined; isInvalid: boolean };
  value: string;
  onChange: (text: string, typing: boolean) => void;
}

function Outcome({ from, ids, value, onChange }: OutcomeProps) {
  const doc = useBuilder((now) => now.doc);
  const schema = useBuilder((now) => now.catalogue[doc.nodes[from]?.type]?.output_schema ?? null);
  const known = outcomesOf(doc, from, schema);
  const [isOther, setIsOther] = useState(known.length === 0);
  const aria = { "aria-describedby": ids.describedBy, "aria-invalid": ids.isInvalid || undefined };
  return (
    <>
      <select
        id={ids.id}
        {...aria}
        value={isOther ? "other" : value}
        hidden={known.length === 0}
        onChange={(event) => {
          const { value: chosen } = event.target;
          setIsOther(chosen === "other");
          if (chosen !== "other") onChange(chosen, false);
        }}
      >
        {!value && <option value="">Choose…</option>}
        {known.map((name) => (
          <option key={name} value={name}>
            {name.replace(/_/g, " ")}
          </option>
        ))}
        <option value="other">Other…</option>
      </select>
      {isOther && (
        <input
          type="text"
          id={known.length ? undefined : ids.id}
          {...aria}
          aria-label="Outcome name"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value, true)}
        />
      )}
    </>
  );
}

/** The way of a deadline or a reminder stands at its step. */
function TimerForm({ edge }: { edge: string }) {
  const doc = useBuilder((now) => now.doc);
  const [id] = edge.split("@");
  if (!Object.hasOwn(doc.nodes, id)) return null;
  const field = `${fieldOf(doc, id)}.boundary_timers`;
  return (
    <>
      <header className="insp-head">
        <h2>Deadlines and reminders</h2>
        <p className="help">
          Of <Go id={id} />
        </p>
      </header>
      <div className="insp-part">
        <Timers id={id} spot={docSpot(doc, ["nodes", id, "boundary_timers"], field, "the timers", titleOf(doc, id))} />
      </div>
    </>
  );
}
