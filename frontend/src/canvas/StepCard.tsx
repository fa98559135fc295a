import { Handle, Position, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { At } from "../Avatar";
import { Icon } from "../Icon";
import { stepsInWords } from "../model/folding";
import { isObject } from "../model/json";
import { commentsInWords } from "../model/talk";
import { fold } from "../folds";
import { set } from "../store";
import type { StepNode } from "./nodes";
import { counted } from "../model/words";

function joinWords(join: unknown): string | null {
  if (join === "all") return "waits for all";
  if (join === "any") return "first one wins";
  if (isObject(join as never)) return `waits for ${(join as { n_of?: number }).n_of ?? "?"}`;
  return null;
}

/** One step on the canvas. */
export const StepCard = memo(function StepCard({ id, data, selected, isConnectable }: NodeProps<StepNode>) {
  const join = joinWords(data.body.join);
  const trouble = data.errors ? "has-errors" : data.warnings ? "has-warnings" : "";
  const isFrame = data.holds !== null && !data.isCollapsed;
  const isEmpty = data.holds === 0;
  return (
    <div
      className={`step-card ${isFrame ? "holds-steps" : ""} ${data.isCollapsed ? "is-collapsed" : ""} ${trouble} ${selected ? "is-selected" : ""} ${data.mark ? `is-${data.mark}` : ""}`}
      data-group={data.group}
      data-heat={data.heat ?? undefined}
      title={data.heatInWords || undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={isConnectable} />
      <span className="step-icon">
        <Icon name={data.icon} />
      </span>
      <span className="step-words">
        <strong>{data.lines[0]}</strong>
        <small>
          {data.lines[1]}
          {data.isCollapsed && ` · ${stepsInWords(data.holds ?? 0)}`}
        </small>
      </span>
      {data.holds !== null && data.holds > 0 && (
        <button
          type="button"
          className="fold nodrag nopan"
          tabIndex={-1}
          aria-expanded={!data.isCollapsed}
          aria-label={data.isCollapsed ? `Open ${data.title}` : `Collapse ${data.title}`}
          title={data.isCollapsed ? "Open (F)" : "Collapse to a card (F)"}
          onClick={() => fold(id)}
        >
          <Icon name={data.isCollapsed ? "chevron-right" : "chevron-down"} />
        </button>
      )}
      <At people={data.people} />
      <span className="step-badges">
        {data.status && data.status !== "PENDING" && (
          <em className="badge status" data-status={data.status} title={data.farInWords || undefined}>
            {data.far ?? data.status.toLowerCase()}
          </em>
        )}
        {data.mark && <em className="badge mark">{data.mark}</em>}
        {data.errors > 0 && (
          <em className="badge bad" title={`${counted(data.errors, "error")} to fix before publishing`}>
            <Icon name="circle-alert" />
            {data.errors > 1 ? data.errors : ""}
          </em>
        )}
        {data.errors === 0 && data.warnings > 0 && (
          <em className="badge wait" title={counted(data.warnings, "warning")}>
            <Icon name="triangle-alert" />
          </em>
        )}
        {data.isPinned && (
          <em className="badge" title="Output pinned for tests">
            <Icon name="pin" />
          </em>
        )}
        {data.comments > 0 && (
          <em className="badge" title={commentsInWords(data.comments)}>
            <Icon name="message-square" />
            {data.comments}
          </em>
        )}
        {join && <em className="badge">{join}</em>}
      </span>
      <span className="step-attached">
        {data.due && (
          <em className="attached due" title={`Its deadline: ${data.due}`}>
            <Icon name="timer" />
            {data.due}
          </em>
        )}
        {data.undo && (
          <em className="attached undo" title={`If the run fails later, it is undone by: ${data.undo}`}>
            <Icon name="undo-2" />
            {data.undo}
          </em>
        )}
        {data.ends && (
          <button
            type="button"
            className="attached port-end nodrag nopan"
            tabIndex={-1}
            title={isConnectable ? `${data.ends}. Add a step (A)` : data.ends}
            disabled={!isConnectable}
            onClick={(event) => set({ adding: { where: { after: id }, from: event.currentTarget } })}
          >
            {data.ends}
          </button>
        )}
      </span>
      <Handle type="source" position={Position.Right} isConnectable={isConnectable} />
      {isEmpty && isConnectable && (
        <button
          type="button"
          className="first-inside nodrag nopan"
          tabIndex={-1}
          title="Add a step in here (Shift+A)"
          onClick={(event) => set({ adding: { where: { inside: id }, from: event.currentTarget } })}
        >
          <Icon name="plus" />
          Add the first step
        </button>
      )}
      {data.isOpenEnd && isConnectable && (
        <button
          type="button"
          className="open-end nodrag nopan"
          tabIndex={-1}
          aria-label={`Add a step after ${data.title}`}
          title="Add a step after this one (A)"
          onClick={(event) => set({ adding: { where: { after: id }, from: event.currentTarget } })}
        >
          <Icon name="plus" />
        </button>
      )}
    </div>
  );
});
