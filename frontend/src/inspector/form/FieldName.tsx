import { useState } from "react";
import { TextField } from "./TextField";

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
    <TextField
      title="Name"
      help="The name used in expressions."
      className="code"
      value={text}
      fault={fault}
      onChange={setText}
      onCommit={commit}
    />
  );
}
