import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "../Icon";
import type { Place } from "../model/document";
import { LABEL_MOST } from "../model/labels";
import { type Spot, pathOf } from "../model/routes";
import { select, set, useBuilder } from "../store";
import type { FlowEdge } from "./nodes";

/** The line and where its label and its button stand: as they were found, or plainly while one of its steps is being moved. */
function drawn(props: EdgeProps<FlowEdge>): { path: string; label: Spot; plus: Place; start: Place } {
  const route = props.data?.route;
  const isAt = (point: Place | undefined, x: number, y: number) =>
    point !== undefined && Math.abs(point.x - x) < 10 && Math.abs(point.y - y) < 2;
  const { below } = route ?? { below: { out: 0, into: 0 } };
  if (
    route &&
    isAt(route.points[0], props.sourceX, props.sourceY + below.out) &&
    isAt(route.points.at(-1), props.targetX, props.targetY + below.into)
  ) {
    // A line begins and ends at the rims of the circles, where it begins and ends at their height.
    const points = [...route.points];
    if (!below.out) points[0] = { x: props.sourceX, y: points[0].y };
    if (!below.into) points[points.length - 1] = { x: props.targetX, y: points[points.length - 1].y };
    return { path: pathOf(points), label: route.label, plus: route.plus, start: points[0] };
  }
  const { sourceX, sourceY, sourcePosition, targetX, targetY, targetPosition } = props;
  const [path, x, y] = getSmoothStepPath({
    sourceX,
    sourceY,
    sourcePosition,
    targetX,
    targetY,
    targetPosition,
    borderRadius: 10,
    offset: 24,
  });
  return {
    path,
    label: { x, y, width: LABEL_MOST },
    plus: { x, y: y + 24 },
    start: { x: sourceX, y: sourceY },
  };
}

/** The mark of a deadline stands on its line, beside the circle where lines begin. */
const TIMER_AT = 14;

function middleAt({ x, y }: Place): { transform: string } {
  return { transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` };
}

/** One edge, with its condition in words and a way to add a step on it. */
export const FlowLine = memo(function FlowLine(props: EdgeProps<FlowEdge>) {
  const { id, data, selected, markerEnd } = props;
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const { path, label, plus, start } = drawn(props);
  const kind = data?.kind ?? "plain";
  const words = data?.words ?? "";
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        markerEnd={markerEnd}
        interactionWidth={24}
        className={`flow-line ${kind} ${data?.mark ? `is-${data.mark}` : ""}`}
      />
      {kind === "timer" && (
        <EdgeLabelRenderer>
          <span
            className={`flow-timer ${data?.ends ? "ends" : ""}`}
            style={middleAt({ x: start.x + TIMER_AT, y: start.y })}
            aria-hidden="true"
          >
            <Icon name="timer" />
          </span>
        </EdgeLabelRenderer>
      )}
      {words && (
        <EdgeLabelRenderer>
          <div
            className={`flow-label nodrag nopan ${kind} ${selected ? "is-selected" : ""}`}
            style={{ ...middleAt(label), maxWidth: label.width }}
          >
            <button
              type="button"
              tabIndex={-1}
              className="flow-words"
              title={words}
              onClick={() => select({ edges: [id] })}
            >
              {words}
            </button>
          </div>
        </EdgeLabelRenderer>
      )}
      {selected && mayWrite && kind !== "timer" && (
        <EdgeLabelRenderer>
          <div className="flow-label nodrag nopan" style={middleAt(plus)}>
            <button
              type="button"
              className="flow-add"
              aria-label="Add a step here"
              title="Add a step here (A)"
              onClick={(event) => set({ adding: { where: { edge: id }, from: event.currentTarget } })}
            >
              <Icon name="plus" />
            </button>
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
});
