import { useRef, useState } from "react";
import { Icon } from "../../Icon";
import type { Ids } from "../fields/Frame";
import type { Shape } from "../schema";
import { CodeText, type CodeHandle } from "./CodeText";
import { Pick } from "./Pick";
import { Preview } from "./Preview";
import { type ScopePlace, scopeAt, useShown } from "./scope";
import { insertable, useRemembered } from "./target";

export interface ExpressionProps {
  /** A text with {{ }}, or an expression without. */
  mode: "template" | "cel";
  value: string;
  onChange: (text: string) => void;
  label: string;
  ids: Ids;
  place: ScopePlace;
  expects?: Shape;
  isLong?: boolean;
  autoFocus?: boolean;
}

/** An expression, with what it can read and what it gives. */
export function Expression({ mode, value, onChange, label, ids, place, isLong, autoFocus }: ExpressionProps) {
  const [isPicking, setIsPicking] = useState(false);
  const code = useRef<CodeHandle>(null);
  // Among params, what has no braces is a text: the server is asked for what the expression gives.
  const isPlain = mode === "cel" && (place.place === "params" || place.place === "body");
  const shown = useShown(place, isPlain && value ? `{{ ${value} }}` : value);
  const remember = useRemembered({ label, place, insert: (path) => code.current?.insert(path) });
  const previewId = `${ids.id}-shown`;
  const described = [ids.describedBy, previewId].filter(Boolean).join(" ");
  return (
    // What is dropped on it is no matter of what it is in.
    <div className="expression" data-takes="no">
      <CodeText
        handle={code}
        language={mode}
        value={value}
        onChange={onChange}
        label={label}
        id={ids.id}
        describedBy={described}
        isInvalid={ids.isInvalid || shown?.error?.code === "bad_expression"}
        isLong={isLong}
        autoFocus={autoFocus}
        hint={mode === "template" ? "Text, / or {{ a value }}" : "/ for values and functions"}
        scope={() => scopeAt(place)}
        onFocus={remember}
        takes={(value) => insertable(value, place)}
      />
      <div className="expression-foot">
        <Preview id={previewId} shown={shown} />
        <button type="button" className="button ghost small" aria-haspopup="dialog" onClick={() => setIsPicking(true)}>
          <Icon name="braces" />
          Insert…
        </button>
      </div>
      {isPicking && (
        <Pick
          place={place}
          title={`Insert into ${label}`}
          withFunctions
          onPick={(path) => {
            setIsPicking(false);
            code.current?.insert(path);
          }}
          onClose={() => {
            setIsPicking(false);
            code.current?.focus();
          }}
        />
      )}
    </div>
  );
}
