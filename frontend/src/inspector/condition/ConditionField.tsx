import { useState } from "react";
import { inWords } from "../../model/words";
import { Expression } from "../expression/Expression";
import { Preview } from "../expression/Preview";
import { type ScopePlace, useShown } from "../expression/scope";
import type { Ids } from "../fields/Frame";
import { Simple } from "./Simple";
import { parsed } from "./clauses";

interface Props {
  value: string;
  ids: Ids;
  place: ScopePlace;
  onChange: (text: string, typing: boolean) => void;
}

/** A condition: put together from parts, or written; the two are the same text. */
export function ConditionField({ value, ids, place, onChange }: Props) {
  const condition = parsed(value);
  const [wantsText, setWantsText] = useState(condition === null);
  // Who asks for the text goes on in it.
  const [isAsked, setIsAsked] = useState(false);
  const isText = wantsText || condition === null;
  return (
    <div className="condition">
      <div className="switch" role="group" aria-label="Condition editor">
        <button
          type="button"
          aria-pressed={!isText}
          disabled={condition === null}
          title={condition === null ? "This condition is too complex for the simple form" : undefined}
          onClick={() => setWantsText(false)}
        >
          Simple
        </button>
        <button
          type="button"
          aria-pressed={isText}
          onClick={() => {
            setWantsText(true);
            setIsAsked(true);
          }}
        >
          Expression
        </button>
      </div>
      {isText || !condition ? (
        <Expression
          mode="cel"
          value={value}
          onChange={(text) => onChange(text, true)}
          label="Condition"
          ids={ids}
          place={place}
          autoFocus={isAsked}
        />
      ) : (
        <>
          <Simple
            condition={condition}
            place={place}
            describedBy={ids.describedBy}
            isInvalid={ids.isInvalid}
            onChange={onChange}
          />
          <Gives place={place} value={value} />
        </>
      )}
      {value && (
        <p className="in-words">
          In words: <strong>{inWords(value)}</strong>
        </p>
      )}
    </div>
  );
}

function Gives({ place, value }: { place: ScopePlace; value: string }) {
  return <Preview id="condition-gives" shown={useShown(place, value)} />;
}
