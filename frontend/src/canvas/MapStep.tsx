import type { MiniMapNodeProps } from "@xyflow/react";
import { memo, useSyncExternalStore } from "react";

let lines = new Map<string, string>();
const listeners = new Set<() => void>();

/** The lines that lead away from each step, as paths. */
export function showLines(next: Map<string, string>): void {
  lines = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A step on the map, with the lines that lead away from it: so that branches are seen there, too. */
export const MapStep = memo(function MapStep({ id, x, y, width, height, className, borderRadius }: MiniMapNodeProps) {
  const path = useSyncExternalStore(subscribe, () => lines.get(id) ?? "");
  return (
    <>
      <rect
        className={`react-flow__minimap-node ${className}`}
        x={x}
        y={y}
        rx={borderRadius}
        ry={borderRadius}
        width={width}
        height={height}
      />
      {path && <path className="map-line" d={path} />}
    </>
  );
});
