import { useState } from "react";
import { Frame } from "../fields/Frame";

/** What expressions call a field. */
export function FieldName({
  name,
  names,
  onRename,
}: {
  name: string;
  names: string[];
  onRename: (to: string) => void;
}) {
  const [text, setText] = useState(name);
  const [seen, setSeen] = useState(name);
  if (seen !== name) {
    setSeen(name);
    setText(name);
  }
  const isTaken = text !== name && names.includes(text);
  const fault = isTaken ? `${text} already exists.` : text ? "" : "Enter a name.";
  const commit = () => {
    if (!fault && text !== name) onRename(text);
  };
  return (
    <Frame
      title="Name"
      help="The name used in expressions."
      problems={fault ? [{ code: "name", severity: "error", node: null, field: "", message: fault }] : []}
    >
      {(ids) => (
        <input
          type="text"
          className="code"
          id={ids.id}
          aria-describedby={ids.describedBy}
          aria-invalid={ids.isInvalid || undefined}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            commit();
          }}
        />
      )}
    </Frame>
  );
}
