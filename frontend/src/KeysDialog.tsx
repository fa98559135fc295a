import { useEffect, useRef } from "react";
import { KEYS } from "./keys";
import { set, useBuilder } from "./store";

const ARROWS: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

/** A key as it stands on a keyboard: `Shift+ArrowRight` is Shift+→. */
function written(name: string): string {
  return name
    .replace(/Arrow\w+$/, (arrow) => ARROWS[arrow] ?? arrow)
    .replace(/(^|\+)([a-z])$/, (_, before: string, letter: string) => before + letter.toUpperCase());
}

/** The keys and what they do. */
export function KeysDialog() {
  const isOpen = useBuilder((now) => now.showsKeys);
  return isOpen ? <Table /> : null;
}

function Table() {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The button stands at the end: with the focus there the list would be shown from its end.
    heading.current?.focus();
  }, []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      className="ask-dialog keys-dialog"
      aria-labelledby="builder-keys-title"
      onClose={() => set({ showsKeys: false })}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <h2 id="builder-keys-title" ref={heading} tabIndex={-1}>
        Keyboard shortcuts
      </h2>
      <dl>
        {[
          ...KEYS,
          { keys: ["Ctrl+c", "Ctrl+x", "Ctrl+v"], does: "Copy, cut or paste, also between workflows" },
          { keys: ["←↑↓→"], does: "Move the selected step (Shift: farther)" },
          { keys: ["F6", "Shift+F6"], does: "In the form: go to the next part, or the one before" },
          {
            keys: ["Enter", "Ctrl+Enter"],
            does: "In a field (of several lines: with Ctrl): go to the next required field that is empty, else back to the step",
          },
          { keys: ["Ctrl+k"], does: "Go to anything" },
        ].map((key) => (
          <div key={key.does}>
            <dt>
              {key.keys.map((name) => (
                <kbd key={name}>{written(name)}</kbd>
              ))}
            </dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
      <div className="form-foot">
        <button type="button" className="button plain" onClick={close}>
          Close
        </button>
      </div>
    </dialog>
  );
}
