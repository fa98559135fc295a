import { useEffect, useId, useRef, useState } from "react";
import { Avatar } from "../Avatar";
import { lasting } from "../inspector/rename";
import { nameOf } from "../model/people";
import { MOST_SIGNS, mentionAt, withMention } from "../model/talk";
import { useBuilder } from "../store";
import { comment, readers } from "../comments";

interface Named {
  username: string;
  name: string;
}

const ASKS_MS = 150;
/** The last wish for the focus that was fulfilled: a field that comes later doesn't take it again. */
let fulfilled = 0;

/** What was typed and not sent, by step: another step is looked at meanwhile. */
const unsent = new Map<string, string>();

function inSight(list: HTMLElement | null): void {
  list?.scrollIntoView({ block: "nearest" });
}

/** Writing a comment below those that are open: Ctrl+Enter sends it, `@` names somebody. */
export function Compose({ step, count }: { step: string; count: number }) {
  const isReply = count > 0;
  const [text, setText] = useState(() => unsent.get(lasting(step)) ?? "");
  const [caret, setCaret] = useState(0);
  const [offered, setOffered] = useState<Named[]>([]);
  const [at, setAt] = useState(0);
  const focus = useBuilder((now) => now.focus);
  const field = useRef<HTMLTextAreaElement>(null);
  const all = useRef<HTMLDivElement>(null);
  const id = useId();
  const mention = mentionAt(text, caret);
  const typed = mention?.typed ?? null;

  useEffect(() => {
    if (focus?.what !== "comments" || focus.count <= fulfilled) return;
    fulfilled = focus.count;
    field.current?.focus();
    all.current?.scrollIntoView({ block: "nearest" });
  }, [focus]);
  useEffect(() => {
    if (text) unsent.set(lasting(step), text);
    else unsent.delete(lasting(step));
  }, [step, text]);
  useEffect(() => {
    // What comes above it pushes it out of sight under somebody's hands.
    if (document.activeElement === field.current) all.current?.scrollIntoView({ block: "nearest" });
  }, [count]);
  useEffect(() => {
    setOffered([]);
    setAt(0);
    if (typed === null) return undefined;
    let isOver = false;
    const timer = window.setTimeout(async () => {
      const found = await readers(typed);
      if (!isOver) setOffered(found);
    }, ASKS_MS);
    return () => {
      isOver = true;
      window.clearTimeout(timer);
    };
  }, [typed]);

  const take = (person: Named) => {
    const next = withMention(text, caret, person.username);
    setText(next.text);
    setCaret(next.caret);
    setOffered([]);
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(next.caret, next.caret);
    });
  };
  const send = async () => {
    if (!text.trim()) return;
    // The field is free at once: who goes on typing loses nothing, and gets back what was refused.
    setText("");
    setCaret(0);
    field.current?.focus();
    if (!(await comment(step, text))) setText((now) => (now ? `${text}\n${now}` : text));
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
      return;
    }
    if (!offered.length) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) setAt((at + by + offered.length) % offered.length);
    else if (event.key === "Enter" || event.key === "Tab") take(offered[at]);
    else if (event.key === "Escape") setOffered([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isOpen = offered.length > 0;
  return (
    <div className="compose" ref={all}>
      <label htmlFor={id}>{isReply ? "Reply" : "Comment"}</label>
      <textarea
        id={id}
        ref={field}
        value={text}
        rows={2}
        maxLength={MOST_SIGNS}
        placeholder="@ mentions somebody"
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-people` : undefined}
        aria-activedescendant={isOpen ? `${id}-${at}` : undefined}
        onChange={(event) => {
          setText(event.target.value);
          setCaret(event.target.selectionStart);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={() => setOffered([])}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <ul ref={inSight} className="compose-people" role="listbox" id={`${id}-people`} aria-label="People to mention">
          {offered.map((person, place) => (
            <li
              key={person.username}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === at}
              onMouseDown={(event) => {
                // The field keeps the focus.
                event.preventDefault();
                take(person);
              }}
            >
              <Avatar person={person} />
              <span>
                {nameOf(person)} {person.name && <small className="quiet">{person.username}</small>}
              </span>
            </li>
          ))}
        </ul>
      )}
      <span className="sr-only" role="status">
        {isOpen ? `${offered.length} ${offered.length === 1 ? "person" : "people"}, ${nameOf(offered[at])}` : ""}
      </span>
      <div className="compose-foot">
        <button type="button" className="button small" disabled={!text.trim()} onClick={() => void send()}>
          {isReply ? "Reply" : "Comment"}
        </button>
        <small className="quiet">Ctrl+Enter</small>
      </div>
    </div>
  );
}
