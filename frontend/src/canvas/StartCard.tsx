import { BaseEdge, type EdgeProps, Handle, type NodeProps, Position, getSmoothStepPath } from "@xyflow/react";
import { memo } from "react";
import { Icon } from "../Icon";
import type { StartNode } from "./startNodes";

/** Something that starts runs; it leads to its page. */
export const StartCard = memo(function StartCard({ data }: NodeProps<StartNode>) {
  const { icon, kind, name, does, is_on: isOn, path } = data;
  const words = (
    <>
      <Icon name={icon} />
      <span className="step-words">
        <strong>{name ? `${kind}: ${name}` : kind}</strong>
        <small>{isOn ? does : `off · ${does}`}</small>
      </span>
    </>
  );
  const title = `${kind} ${name}: ${does}${isOn ? "" : " (off)"}`;
  return (
    <div className={`start-card ${isOn ? "" : "is-off"}`} data-kind={kind} title={title}>
      {path ? (
        <a className="nodrag nopan" href={path}>
          {words}
        </a>
      ) : (
        words
      )}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
});

/** The line from it to a first step. */
export const StartLine = memo(function StartLine(props: EdgeProps) {
  const [path] = getSmoothStepPath({ ...props, borderRadius: 10, offset: 24 });
  return <BaseEdge id={props.id} path={path} markerEnd={props.markerEnd} className="flow-line start" />;
});
