import { useEffect, useRef, useState } from "react";
import { Icon } from "../Icon";
import type { Json } from "../model/json";

/** What a step is to give in tests, written by hand: for what a test does not do, such as a job or a signal. */
export function PinDialog({
  title,
  value,
  pin,
  done,
}: {
  title: string;
  value: Json;
  pin: (value: Json) => void;
  done: () => void;
}) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const [error, setError] = useState("");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const save = () => {
    try {
      pin(JSON.parse(text) as Json);
      dialog.current?.close();
    } catch (why) {
      setError(`This is not valid JSON: ${(why as Error).message}`);
    }
  };
  return (
    <dialog ref={dialog} className="ask-dialog" aria-labelledby="pin-title" onClose={done}>
      <h2 id="pin-title">What {title} gives in tests</h2>
      <p className="quiet small">Used in tests only, never in runs of a published version.</p>
      <label className="field">
        <span className="label">Output as JSON</span>
        <textarea
          className="code"
          rows={8}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
      <div className="form-foot">
        <button type="button" className="button" onClick={save}>
          <Icon name="pin" />
          Pin
        </button>
        <button type="button" className="button plain" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
