import { type RefObject, useEffect, useRef } from "react";
import { Tool } from "./Frame";

/** The list with one of its entries a place up or down. */
export function movedBy<T>(list: T[], from: number, by: -1 | 1): T[] {
  const next = [...list];
  next.splice(from + by, 0, ...next.splice(from, 1));
  return next;
}

/** A row up or down, by buttons. */
export function MoveTools({
  name,
  place,
  count,
  onMove,
}: {
  name: string;
  place: number;
  count: number;
  onMove: (by: -1 | 1) => void;
}) {
  return (
    <>
      <Tool icon="arrow-up" label={`Move ${name} up`} disabled={place === 0} onClick={() => onMove(-1)} />
      <Tool icon="arrow-down" label={`Move ${name} down`} disabled={place === count - 1} onClick={() => onMove(1)} />
    </>
  );
}

/** The focus goes with the row that was moved: the same button again moves it on. */
export function useFollowed<T extends HTMLElement>(): [RefObject<T | null>, (place: number, by: -1 | 1) => void] {
  const list = useRef<T>(null);
  const wanted = useRef<{ place: number; by: -1 | 1 } | null>(null);
  useEffect(() => {
    if (!wanted.current) return;
    const { place, by } = wanted.current;
    wanted.current = null;
    const [up, down] =
      list.current?.children[place]?.querySelectorAll<HTMLButtonElement>(":scope > .row-foot .row-tools button") ?? [];
    const [one, other] = by < 0 ? [up, down] : [down, up];
    (one?.disabled ? other : one)?.focus();
  });
  const follow = (place: number, by: -1 | 1) => {
    wanted.current = { place, by };
  };
  return [list, follow];
}
