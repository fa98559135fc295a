import { useState } from "react";
import { Icon } from "../Icon";
import { AskDialog, CodeField } from "../frame/AskDialog";
import type { Json } from "../model/json";
import { Unknown, masked, restored } from "../model/masking";

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
  const [text, setText] = useState(JSON.stringify(masked(value), null, 2));
  const [error, setError] = useState("");
  const save = (close: () => void) => {
    try {
      pin(restored(JSON.parse(text) as Json, value));
      close();
    } catch (why) {
      setError(why instanceof Unknown ? why.message : `This is not valid JSON: ${(why as Error).message}`);
    }
  };
  return (
    <AskDialog
      title={`What ${title} gives in tests`}
      error={error}
      onClose={done}
      foot={(close) => (
        <button type="button" className="button" onClick={() => save(close)}>
          <Icon name="pin" />
          Pin
        </button>
      )}
    >
      <p className="quiet small">Used in tests only, never in runs of a published version.</p>
      <CodeField label="Output as JSON" rows={8} value={text} onChange={setText} />
    </AskDialog>
  );
}
