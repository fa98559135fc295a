import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "../Icon";
import { select, set, useBuilder } from "../store";
import type { FlowEdge } from "./nodes";

/** One edge, with its condition in words and a way to add a step on it. */
export const FlowLine = memo(function FlowLine(props: EdgeProps<FlowEdge>) {
  const { id, data, selected, markerEnd } = props;
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const [path, x, y] = getSmoothStepPath({
    sourceX: props.sourceX,
    sourceY: props.sourceY,
    sourcePosition: props.sourcePosition,
    targetX: props.targetX,
    targetY: props.targetY,
    targetPosition: props.targetPosition,
    borderRadius: 10,
    offset: 24,
  });
  const kind = data?.kind ?? "plain";
  const words = data?.words ?? "";
  return (
    <>
      <BaseEdge id={id} path={path} markerEnd={markerEnd} interactionWidth={24} className={`flow-line ${kind} ${data?.mark ? `is-${data.mark}` : ""}`} />
      {(words || selected) && (
        <EdgeLabelRenderer>
          <div className={`flow-label nodrag nopan ${kind} ${selected ? "is-selected" : ""}`} style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}>
            {words && (
              <button type="button" tabIndex={-1} className="flow-words" title={words} onClick={() => select({ edges: [id] })}>
                {words.length > 44 ? `${words.slice(0, 42)}…` : words}
              </button>
            )}
            {selected && mayWrite && kind !== "timer" && (
              <button
                type="button"
                className="flow-add"
                aria-label="Add a step here"
                title="Add a step here (A)"
                onClick={(event) => set({ adding: { where: { edge: id }, from: event.currentTarget } })}
              >
                <Icon name="plus" />
              </button>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
