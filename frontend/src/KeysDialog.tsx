import { useEffect, useRef } from "react";
import { KEYS } from "./keys";
import { set, useBuilder } from "./store";

/** The keys and what they do. */
export function KeysDialog() {
  const isOpen = useBuilder((now) => now.showsKeys);
  return isOpen ? <Table /> : null;
}

function Table() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} className="ask-dialog keys-dialog" aria-labelledby="builder-keys-title" onClose={() => set({ showsKeys: false })} onClick={(event) => event.target === dialog.current && close()}>
      <h2 id="builder-keys-title">Keys</h2>
      <dl>
        {[...KEYS, { keys: ["Ctrl+c", "Ctrl+x", "Ctrl+v"], does: "Copy, cut, paste, also into another workflow" }, { keys: ["←↑↓→"], does: "Move the selected step (with Shift: further)" }, { keys: ["Ctrl+k"], does: "Go to anything" }].map((key) => (
          <div key={key.does}>
            <dt>
              {key.keys.map((name) => (
                <kbd key={name}>{name.length === 1 ? name.toUpperCase() : name.replace(/\+(\w)$/, (_, letter: string) => `+${letter.toUpperCase()}`)}</kbd>
              ))}
            </dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
      <div className="form-foot">
        <button type="button" className="button plain" autoFocus onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
