/** A labelled line of text, with what is wrong with it. */

import type { KeyboardEvent } from "react";
import { Frame } from "../fields/Frame";

interface TextFieldProps {
  title: string;
  help?: string;
  value: string;
  /** Why the text can't stay as it is; empty: it can. */
  fault: string;
  className?: string;
  placeholder?: string;
  maxLength?: number;
  isNumber?: boolean;
  onChange: (text: string) => void;
  /** The field is left, or Enter is pressed in it. */
  onCommit?: () => void;
}

export function TextField({ title, help, value, fault, isNumber, onChange, onCommit, ...input }: TextFieldProps) {
  const problems = fault ? [{ code: "text", severity: "error" as const, node: null, field: "", message: fault }] : [];
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !onCommit) return;
    event.preventDefault();
    onCommit();
  };
  return (
    <Frame title={title} help={help} problems={problems}>
      {(ids) => (
        <input
          {...input}
          type="text"
          inputMode={isNumber ? "decimal" : undefined}
          id={ids.id}
          aria-describedby={ids.describedBy}
          aria-invalid={ids.isInvalid || undefined}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onCommit}
          onKeyDown={pressed}
        />
      )}
    </Frame>
  );
}
