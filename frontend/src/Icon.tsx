import { state } from "./store";

/** An icon of the house's sprite. */
export function Icon({ name, className = "" }: { name: string; className?: string }) {
  return (
    <svg className={`icon ${className}`} aria-hidden="true" focusable="false">
      <use href={`${state().boot.sprite}#${name}`} />
    </svg>
  );
}
