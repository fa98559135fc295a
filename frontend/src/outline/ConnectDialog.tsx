import { useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../Icon";
import { faceOf } from "../model/catalogue";
import { connect, usualCondition } from "../model/commands";
import { inOrder, titleOf, whyNot } from "../model/graph";
import { act, say, select, set, state, useBuilder } from "../store";

/** Where the selected step leads to: type a name, or go through the steps; those that can't be say why. */
export function ConnectDialog() {
  const from = useBuilder((now) => now.connecting);
  return from ? <Targets from={from} /> : null;
}

function Targets({ from }: { from: string }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const targets = useMemo(() => {
    const wanted = search.toLowerCase();
    const all = inOrder(doc)
      .filter(({ id }) => id !== from && `${titleOf(doc, id)} ${id}`.toLowerCase().includes(wanted))
      .map(({ id }) => ({ id, why: whyNot(doc, from, id) }));
    return [...all.filter(({ why }) => !why), ...all.filter(({ why }) => why)];
  }, [doc, from, search]);
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(
    () => void dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [at, search],
  );
  const close = () => set({ connecting: null });
  const take = ({ id, why }: { id: string; why: string | null }) => {
    if (why) return say(why, "bad");
    const { changes, key } = connect(state().doc, from, id, usualCondition(state().doc, state().catalogue, from));
    dialog.current?.close();
    if (act(`Connect ${titleOf(doc, from)} with ${titleOf(doc, id)}`, changes) && key) {
      select({ nodes: [from] });
      say(`${titleOf(doc, from)} leads to ${titleOf(doc, id)} now.`);
    }
  };
  const title = `Where does ${titleOf(doc, from)} lead to?`;
  return (
    <dialog
      ref={dialog}
      className="add-dialog"
      aria-label={title}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="add-head">
        <Icon name="spline" />
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="connect-list"
          aria-activedescendant={targets.length ? `target-${at}` : undefined}
          aria-label={title}
          placeholder={title}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step) {
              event.preventDefault();
              setAt(Math.max(0, Math.min(targets.length - 1, at + step)));
            } else if (event.key === "Enter" && targets[at]) {
              event.preventDefault();
              take(targets[at]);
            }
          }}
        />
      </div>
      <div id="connect-list" role="listbox" aria-label="Steps" className="add-list">
        {targets.length === 0 && <p className="quiet">There is no such step.</p>}
        {targets.map((target, place) => {
          const face = faceOf(catalogue, doc.nodes[target.id].type);
          return (
            <div
              key={target.id}
              id={`target-${place}`}
              role="option"
              aria-selected={place === at}
              aria-disabled={target.why !== null}
              className="add-option"
              onMouseMove={() => setAt(place)}
              onClick={() => take(target)}
            >
              <span className="step-icon" data-group={face.group}>
                <Icon name={face.icon} />
              </span>
              <span>
                <strong>{titleOf(doc, target.id)}</strong> <small>{target.why ?? face.title}</small>
              </span>
            </div>
          );
        })}
      </div>
    </dialog>
  );
}
