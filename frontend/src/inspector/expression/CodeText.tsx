import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "react";
import type { Ref } from "react";
import { flushSync } from "react-dom";
import { useBuilder } from "../../store";
import type { Editor, Language } from "./editor";
import type { Scope } from "./scope";
import type { TestValue } from "./target";

export interface CodeHandle {
  insert: (path: string) => void;
  focus: () => void;
}

export interface CodeTextProps {
  language: Language;
  value: string;
  onChange: (text: string) => void;
  label: string;
  id: string;
  describedBy?: string;
  isInvalid?: boolean;
  autoFocus?: boolean;
  isLong?: boolean;
  hint?: string;
  scope?: () => Promise<Scope | null>;
  onFocus?: () => void;
  /** A value of a test run was dropped: whether it can be read here. */
  takes?: (value: TestValue) => boolean;
  handle?: Ref<CodeHandle>;
}

/** A text that is code: a plain one until the editor is there, and where it can't be had. */
export function CodeText(props: CodeTextProps) {
  const {
    language,
    value,
    onChange,
    label,
    id,
    describedBy,
    isInvalid = false,
    autoFocus,
    isLong = false,
    hint,
    scope,
    onFocus,
    handle,
  } = props;
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const [isThere, setIsThere] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<Editor | null>(null);
  const now = useRef(props);
  now.current = props;
  const attributes: Record<string, string> = {
    id,
    "aria-label": label,
    ...(describedBy ? { "aria-describedby": describedBy } : {}),
    ...(isInvalid ? { "aria-invalid": "true" } : {}),
  };

  useEffect(() => {
    let isGone = false;
    void import("./editor").then(
      ({ mount }) => {
        if (isGone || !host.current) return;
        const hadFocus = plain.current !== null && plain.current === document.activeElement;
        // What is hidden takes no focus.
        host.current.hidden = false;
        editor.current = mount(host.current, {
          value: now.current.value,
          cursor: hadFocus ? plain.current?.selectionEnd : undefined,
          language,
          isLong,
          isReadOnly: !mayWrite,
          attributes,
          hint,
          onChange: (text) => now.current.onChange(text),
          onFocus: () => now.current.onFocus?.(),
          takes: (value) => now.current.takes?.(value) ?? false,
          scope: scope ? () => now.current.scope?.() ?? Promise.resolve(null) : undefined,
        });
        if (
          hadFocus ||
          (autoFocus &&
            (document.activeElement === document.body ||
              host.current.closest(".insp-field, .insp-pair, .insp-mapping")?.contains(document.activeElement)))
        )
          editor.current.focus();
        editor.current.offer();
        // At once: a Tab would end in the plain text, and be lost with it.
        flushSync(() => setIsThere(true));
      },
      () => undefined,
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);
  useLayoutEffect(() => {
    if (autoFocus) plain.current?.setSelectionRange(value.length, value.length);
  }, []);
  useLayoutEffect(() => editor.current?.set(value), [value]);
  useEffect(() => editor.current?.attributes(attributes), [describedBy, isInvalid, label, isThere]);
  useImperativeHandle(handle, () => ({
    insert: (path) => {
      if (editor.current) editor.current.insert(path);
      else onChange(`${value}${language === "template" ? `{{ ${path} }}` : path}`);
    },
    focus: () => (editor.current ? editor.current.focus() : plain.current?.focus()),
  }));
  return (
    <div className="code-text">
      <div ref={host} hidden={!isThere} />
      {!isThere && (
        <textarea
          ref={plain}
          id={id}
          className="code"
          rows={Math.min(14, Math.max(isLong || language === "json" ? 3 : 1, value.split("\n").length))}
          spellCheck={false}
          autoFocus={autoFocus}
          readOnly={!mayWrite}
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={isInvalid || undefined}
          value={value}
          onFocus={onFocus}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  );
}
