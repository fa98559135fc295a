import { useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../Icon";
import type { StepType } from "../model/catalogue";
import { titleOf } from "../model/graph";
import { set, useBuilder } from "../store";
import { found } from "./Palette";
import { wantFocus } from "../keys";
import { addHere, recent } from "./adding";

/** The search for a step: `A` or `/`, arrows, Enter. */
export function AddDialog() {
  const adding = useBuilder((now) => now.adding);
  return adding ? <Search key={JSON.stringify(adding.where)} /> : null;
}

function Search() {
  const adding = useBuilder((now) => now.adding);
  const catalogue = useBuilder((now) => now.catalogue);
  const doc = useBuilder((now) => now.doc);
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const groups = useMemo(() => {
    const all = found(catalogue, search);
    const last = search ? [] : recent().map((name) => catalogue[name]);
    return last.length ? ([["Used last", last], ...all] as [string, StepType[]][]) : all;
  }, [catalogue, search]);
  const flat = groups.flatMap(([, types]) => types);
  const chosen = flat[Math.min(at, flat.length - 1)];
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(
    () => void dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [at, search],
  );

  // Closed by itself, the dialog gives the focus back to where it was.
  const close = () => set({ adding: null });
  const take = (type: StepType) => {
    const isFromOutline = adding?.from?.closest(".builder-left") !== null;
    dialog.current?.close();
    addHere(type.name, adding?.where);
    // At once: later it would take the focus from wherever the next key has led.
    if (isFromOutline) wantFocus("outline");
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 6, PageUp: -6 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(flat.length - 1, at + step)));
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      take(chosen);
    }
  };
  const where = adding?.where;
  const title = where?.edge
    ? `Add a step between ${titleOf(doc, doc.edges[where.edge]?.from)} and ${titleOf(doc, doc.edges[where.edge]?.to)}`
    : where?.after
      ? `Add a step after ${titleOf(doc, where.after)}`
      : where?.before
        ? `Add a step before ${titleOf(doc, where.before)}`
        : "Add a step";
  let place = -1;
  return (
    <dialog
      ref={dialog}
      className="add-dialog"
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="add-head">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="add-list"
          aria-activedescendant={chosen ? `add-${flat.indexOf(chosen)}` : undefined}
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
      <div id="add-list" role="listbox" aria-label="Step types" className="add-list">
        {flat.length === 0 && <p className="quiet">No step is called that or does that.</p>}
        {groups.map(([name, types]) => (
          <div key={name} role="group" aria-label={name}>
            <h2 aria-hidden="true">{name}</h2>
            {types.map((type) => {
              place += 1;
              const own = place;
              return (
                <div
                  key={type.name}
                  id={`add-${own}`}
                  role="option"
                  aria-selected={type === chosen && own === Math.min(at, flat.length - 1)}
                  className="add-option"
                  onMouseMove={() => setAt(own)}
                  onClick={() => take(type)}
                >
                  <span className="step-icon" data-group={type.group}>
                    <Icon name={type.icon} />
                  </span>
                  <span>
                    <strong>{type.title}</strong> <small>{type.help}</small>
                  </span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p className="add-foot quiet small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> add <kbd>Esc</kbd> close
      </p>
    </dialog>
  );
}
