import { type ReactNode, useEffect, useId, useRef } from "react";

interface Props {
  title: string;
  className?: string;
  /** Why it could not be done. */
  error?: string;
  /** What it was opened for is done or given up. */
  onClose: () => void;
  /** What can be done, beside giving up. */
  foot: (close: () => void) => ReactNode;
  /** What the button says that closes it. */
  closes?: string;
  children: ReactNode;
}

/** A question with its fields, what went wrong, and what can be done; its first field has the focus. */
export function AskDialog({ title, className, error, onClose, foot, closes = "Cancel", children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // What has the focus by itself may be a heading that is opened or a box that scrolls.
    dialog.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, []);
  const close = () => dialog.current?.close();
  return (
    <dialog ref={dialog} className={`ask-dialog ${className ?? ""}`} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
      <div className="form-foot">
        {foot(close)}
        <button type="button" className="button plain" onClick={close}>
          {closes}
        </button>
      </div>
    </dialog>
  );
}

/** A text that is code, such as JSON, in a dialog. */
export function CodeField(props: { label: string; rows: number; value: string; onChange: (text: string) => void }) {
  const { label, rows, value, onChange } = props;
  return (
    <label className="field">
      <span className="label">{label}</span>
      <textarea
        className="code"
        rows={rows}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
