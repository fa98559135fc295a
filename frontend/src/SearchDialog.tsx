import type { KeyboardEvent, ReactNode } from "react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { Icon } from "./Icon";

/** What fits a search, under its headings; an empty heading is none. */
export type Groups<Option> = [string, Option[]][];

interface Props<Option> {
  title: string;
  /** What the search is called, where that is not the title. */
  label?: string;
  icon: string;
  /** What the list is called. */
  list: string;
  className?: string;
  find: (search: string) => Groups<Option>;
  keyOf: (option: Option) => string;
  show: (option: Option) => ReactNode;
  isDisabled?: (option: Option) => boolean;
  /** What is said where nothing fits. */
  none: ReactNode;
  /** What Enter does, in a word, for the line at the foot. */
  verb: string;
  foot?: ReactNode;
  /** One was chosen; the dialog stays open until it is closed. */
  take: (option: Option, close: () => void) => void;
  onClose: () => void;
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 };

/** A dialog to search in and choose from: type, go through what fits by arrows, take one by Enter or a click. */
export function SearchDialog<Option>(props: Props<Option>) {
  const { title, label, icon, list, className, find, keyOf, show, isDisabled, none, verb, foot, take, onClose } = props;
  const id = useId();
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const groups = useMemo(() => find(search), [find, search]);
  const options = groups.flatMap(([, each]) => each);
  const place = Math.min(at, options.length - 1);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    // What a browser gives back here is a promise by now, and no function to clean up.
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, search]);
  const close = () => dialog.current?.close();
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (step) setAt(Math.max(0, Math.min(options.length - 1, place + step)));
    else if (options.length) take(options[place], close);
  };
  let next = 0;
  return (
    <dialog
      ref={dialog}
      className={`add-dialog ${className ?? ""}`}
      aria-label={title}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div className="add-head">
        <Icon name={icon} />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={options.length ? `${id}-${place}` : undefined}
          aria-label={label ?? title}
          placeholder={title}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={list} className="add-list">
        {options.length === 0 && <p className="quiet">{none}</p>}
        {groups.map(([name, each]) => (
          <div key={name} role={name ? "group" : "presentation"} aria-label={name || undefined}>
            {name && <h2 aria-hidden="true">{name}</h2>}
            {each.map((option) => {
              const own = next++;
              return (
                <div
                  key={keyOf(option)}
                  id={`${id}-${own}`}
                  role="option"
                  aria-selected={own === place}
                  aria-disabled={isDisabled?.(option) || undefined}
                  className="add-option"
                  // A list that moves under a mouse at rest is no move of the mouse: what is marked stays what Enter takes.
                  onMouseMove={(event) => (event.movementX || event.movementY) && setAt(own)}
                  onClick={() => take(option, close)}
                >
                  {show(option)}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p className="add-foot quiet small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> {verb} <kbd>Esc</kbd> close {foot}
      </p>
    </dialog>
  );
}
