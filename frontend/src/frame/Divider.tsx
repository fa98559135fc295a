import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { useBuilder } from "../store";
import { LEAST, type Side, most, setPanel, togglePanel } from "./sizes";

const NAMES: Record<Side, string> = { left: "Width of the steps", right: "Width of the form", bottom: "Height below" };
const PANELS: Record<Side, string> = { left: ".builder-left", right: ".builder-right", bottom: ".bottom-panel" };
const STEP = 16;
/** Which way each arrow leads: towards the canvas a panel gets larger. */
const LARGER: Record<Side, string> = { left: "ArrowRight", right: "ArrowLeft", bottom: "ArrowUp" };
const SMALLER: Record<Side, string> = { left: "ArrowLeft", right: "ArrowRight", bottom: "ArrowDown" };

/** The line between a panel and the canvas: pulled by mouse or moved by arrows; two clicks make it as it was at first. */
export function Divider({ side }: { side: Side }) {
  const { size } = useBuilder((now) => now.panels[side]);
  const [shown, setShown] = useState<number>(LEAST[side]);
  const from = useRef<{ at: number; size: number } | null>(null);
  const now = () => {
    const box = document.querySelector(PANELS[side])?.getBoundingClientRect();
    return size ?? ((side === "bottom" ? box?.height : box?.width) || LEAST[side]);
  };
  useLayoutEffect(() => setShown(Math.round(now())), [size]);
  const at = (event: PointerEvent) => (side === "bottom" ? event.clientY : event.clientX);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.shiftKey ? 4 * STEP : STEP;
    const sizes: Record<string, number> = {
      [LARGER[side]]: now() + by,
      [SMALLER[side]]: now() - by,
      Home: LEAST[side],
      End: most(side),
    };
    if (event.key !== "Enter" && !(event.key in sizes)) return;
    event.preventDefault();
    if (event.key === "Enter") togglePanel(side);
    else setPanel(side, { size: sizes[event.key] });
  };
  return (
    <div
      className="divider"
      data-side={side}
      role="separator"
      tabIndex={0}
      aria-label={NAMES[side]}
      aria-orientation={side === "bottom" ? "horizontal" : "vertical"}
      aria-valuemin={LEAST[side]}
      aria-valuemax={most(side)}
      aria-valuenow={shown}
      aria-valuetext={`${shown} pixels`}
      title="Drag to resize; double-click to reset"
      onKeyDown={onKeyDown}
      onDoubleClick={() => setPanel(side, { size: null })}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture?.(event.pointerId);
        from.current = { at: at(event), size: now() };
      }}
      onPointerMove={(event) => {
        if (!from.current) return;
        const moved = (at(event) - from.current.at) * (side === "left" ? 1 : -1);
        if (moved) setPanel(side, { size: from.current.size + moved });
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onPointerCancel={() => {
        from.current = null;
      }}
    />
  );
}
