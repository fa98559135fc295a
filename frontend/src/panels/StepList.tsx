import { type KeyboardEvent, useRef, useState } from "react";
import { Icon } from "../Icon";
import { around } from "../model/bodies";
import { faceOf } from "../model/catalogue";
import { lasted } from "../model/data";
import { titleOf } from "../model/graph";
import { own } from "../model/json";
import { useBuilder } from "../store";
import type { Shown } from "./Result";
import type { Trial } from "./asked";
import { countsInWords, farOver } from "./inner";

const WHY: Record<string, string> = {
  pinned: "pinned",
  side_effects: "skipped: it has outside effects",
  waits: "skipped the wait",
  outside: "stubbed",
};
const MARKS: Record<string, string> = {
  COMPLETED: "circle-check",
  FAILED: "circle-x",
  SKIPPED: "circle-dashed",
  CANCELLED: "ban",
  WAITING: "clock",
};
const PAGE = 200;

/** A step before the only one that is tested may give what it gave last, without a pin. */
function whyWords(why: string, isPinned: boolean): string {
  return why === "pinned" && !isPinned ? "as in the last test run" : WHY[why];
}

interface Props {
  trial: Trial;
  chosen: Shown;
  choose: (shown: Shown) => void;
}

/** What was asked for, the steps of a test run in their order, and what came out of it: arrows go from one to another. */
export function StepList({ trial, chosen, choose }: Props) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const [most, setMost] = useState(PAGE);
  const list = useRef<HTMLDivElement>(null);
  const stubbed = new Map(trial.stubbed.map((each) => [each.node, each]));
  const begun = trial.steps.flatMap((step, at) => (step.status === "PENDING" ? [] : [{ step, at }]));
  const order: Shown[] = ["settings", ...begun.slice(0, most).map(({ at }) => at), "output"];
  const onKeyDown = (event: KeyboardEvent) => {
    const at = order.indexOf(chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: order.length - 1 }[event.key];
    if (to === undefined || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(order.length - 1, to));
    choose(order[next]);
    list.current?.querySelectorAll<HTMLElement>("[role=option]")[next]?.focus();
  };
  const option = (shown: Shown) => ({
    role: "option",
    className: "test-step",
    "aria-selected": shown === chosen,
    tabIndex: shown === chosen || (!order.includes(chosen) && shown === "output") ? 0 : -1,
    onClick: () => choose(shown),
  });
  return (
    <div className="test-list">
      <div ref={list} role="listbox" aria-label="Steps of the test run" onKeyDown={onKeyDown}>
        <div {...option("settings")}>
          <span className="step-icon">
            <Icon name="settings-2" />
          </span>
          <span className="test-words">Input and settings</span>
        </div>
        {begun.slice(0, most).map(({ step, at }) => {
          const face = faceOf(catalogue, own(doc.nodes, step.node)?.type ?? "");
          const why = stubbed.get(step.node);
          const isPinned = Object.hasOwn(doc.layout.pins ?? {}, step.node);
          return (
            <div key={at} {...option(at)} data-depth={step.inner && Math.min(around(doc, step.node).length, 6)}>
              <span className="step-icon" data-group={face.group}>
                <Icon name={face.icon} />
              </span>
              <span className="test-words">
                {titleOf(doc, step.node)}
                {step.inner && (
                  <small className="quiet" title={countsInWords(step.inner)}>
                    {farOver(step.inner)}
                  </small>
                )}
                {!step.inner && typeof step.index === "number" && <small className="quiet"> {step.index + 1}</small>}
                {why && (
                  <small className="quiet">
                    {whyWords(why.why, isPinned)}
                    {why.made_up ? ", output made up" : ""}
                  </small>
                )}
              </span>
              {!step.inner && typeof step.duration_ms === "number" && (
                <small className="quiet">{lasted(step.duration_ms)}</small>
              )}
              <span className="test-mark" data-status={step.status} title={step.status.toLowerCase()}>
                <Icon name={MARKS[step.status] ?? "loader-circle"} />
                <span className="sr-only">{step.status.toLowerCase()}</span>
              </span>
            </div>
          );
        })}
        <div {...option("output")}>
          <span className="step-icon">
            <Icon name="target" />
          </span>
          <span className="test-words">Output of the run</span>
        </div>
      </div>
      {begun.length > most && (
        <button type="button" className="link data-none" onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, begun.length - most)} more of {(begun.length - most).toLocaleString("en")} steps
        </button>
      )}
    </div>
  );
}
