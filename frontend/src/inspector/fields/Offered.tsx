import { type ReactNode, useId, useState } from "react";
import { useAnswer } from "../answers";
import { type ControlProps, TextControl, placeholder, told } from "./simple";

export interface Offer {
  name: string;
  /** What is said of it beside the name, in the list. */
  words: string;
  /** What is said of it below the field when it is chosen. */
  about: ReactNode;
}

interface Props extends ControlProps {
  /** What the field says while nothing is in it and its shape says nothing. */
  empty: string;
  /** Those that there are, for what was typed. */
  find: (typed: string, signal: AbortSignal) => Promise<Offer[]>;
  /** Whether the list is another one for each text. */
  isSearched?: boolean;
}

const QUIET_MS = 250;

/** A name that is chosen among those that there are; another one can be typed, too. */
export function OfferedControl({ spot, shape, ids, empty, find, isSearched = false }: Props) {
  const listId = useId();
  const name = typeof spot.value === "string" ? spot.value : "";
  // What is there already is said at once; the list is asked for by whoever comes to the field.
  const [isWanted, setIsWanted] = useState(name !== "");
  const listed = useAnswer(isWanted ? (signal) => find(name, signal) : null, [isSearched ? name : ""], {
    wait: (isAnswered) => (isAnswered ? QUIET_MS : 0),
    keeps: true,
  });
  if (spot.value !== undefined && typeof spot.value !== "string")
    return <TextControl spot={spot} shape={shape} ids={ids} />;
  const known = listed?.find((each) => each.name === name);
  return (
    <>
      <input
        type="text"
        {...told(ids, shape)}
        list={listId}
        autoComplete="off"
        spellCheck={false}
        value={name}
        placeholder={placeholder(shape) ?? empty}
        onFocus={() => setIsWanted(true)}
        onChange={(event) => spot.set(event.target.value || undefined, true)}
      />
      <datalist id={listId}>
        {(listed ?? []).map((each) => (
          <option key={each.name} value={each.name}>
            {each.words}
          </option>
        ))}
      </datalist>
      {known && <p className="help">{known.about}</p>}
    </>
  );
}
