import { useEffect, useId, useMemo, useRef, useState } from "react";
import { Icon } from "../../Icon";
import { short } from "../schema";
import { type Scope, type ScopePlace, sampleWords, useScope } from "./scope";

interface Option {
  group: string;
  insert: string;
  name: string;
  detail: string;
  sample: string;
  isSure: boolean;
}

function optionsOf(scope: Scope | null, withFunctions: boolean): Option[] {
  if (!scope) return [];
  const values = scope.entries.map((entry) => ({
    group: entry.from,
    insert: entry.path,
    name: entry.title ? `${entry.title} · ${entry.path}` : entry.path,
    detail: entry.type,
    sample: entry.sample === undefined ? "" : short(entry.sample, 80),
    isSure: entry.always,
  }));
  if (!withFunctions) return values;
  return [
    ...values,
    ...scope.functions.map(({ name, signature, help, example }) => ({
      group: "Functions",
      insert: example || `${name}()`,
      name: signature || name,
      detail: "",
      sample: help,
      isSure: true,
    })),
  ];
}

interface Props {
  place: ScopePlace;
  title: string;
  withFunctions?: boolean;
  onPick: (path: string) => void;
  onClose: () => void;
}

/** A list of what can be read, to search in and choose from: for who does not type expressions. */
export function Pick({ place, title, withFunctions = false, onPick, onClose }: Props) {
  const id = useId();
  const scope = useScope(place, true);
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const picked = useRef(false);
  const all = useMemo(() => optionsOf(scope, withFunctions), [scope, withFunctions]);
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter((each) =>
    wanted.every((word) => `${each.group} ${each.name} ${each.sample}`.toLowerCase().includes(word)),
  );
  const chosen = found[Math.min(at, found.length - 1)];
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    // What a browser gives back here is a promise by now, and no function to clean up.
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, search]);
  const take = (option: Option) => {
    picked.current = true;
    dialog.current?.close();
    onPick(option.insert);
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen) take(chosen);
    }
  };
  let group = "";
  return (
    <dialog
      ref={dialog}
      className="add-dialog pick-dialog"
      aria-label={title}
      onClose={() => !picked.current && onClose()}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div className="add-head">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen ? `${id}-${found.indexOf(chosen)}` : undefined}
          aria-label={`${title}: search`}
          placeholder={title}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="What can be read here" className="add-list">
        {found.length === 0 && <p className="quiet small">{scope ? "There is no such value." : "One moment…"}</p>}
        {found.map((option, place) => {
          const isFirst = option.group !== group;
          group = option.group;
          return (
            <div key={`${option.group} ${option.insert}`} role="presentation">
              {isFirst && (
                <h3 role="presentation" aria-hidden="true">
                  {option.group}
                </h3>
              )}
              <div
                id={`${id}-${place}`}
                role="option"
                aria-selected={option === chosen}
                className="add-option pick-option"
                onMouseMove={() => setAt(place)}
                onClick={() => take(option)}
              >
                <span>
                  <strong>{option.name}</strong>{" "}
                  <small className="pick-type">
                    {option.detail}
                    {!option.isSure && ", may be missing"}
                  </small>
                  {option.sample && <small>{option.sample}</small>}
                </span>
              </div>
            </div>
          );
        })}
      </div>
      <p className="add-foot quiet small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> insert <kbd>Esc</kbd> close{" "}
        {scope?.sample && <span>· values {sampleWords(scope.sample)}</span>}
      </p>
    </dialog>
  );
}
