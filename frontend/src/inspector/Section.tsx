import { type ReactNode, useEffect, useRef, useState } from "react";

interface Props {
  title: string;
  /** What is set in it, in one line; it stands beside the title while the section is closed. */
  summary?: string;
  isOpen?: boolean;
  hasProblems?: boolean;
  /** Rises whenever somebody wants to see it; it opens then. */
  asked?: number;
  /** Who asks for it goes on at its heading, as nothing in it takes the focus. */
  takesFocus?: boolean;
  children: ReactNode;
}

/** A part of the form. What has a problem opens by itself. */
export function Section({
  title,
  summary,
  isOpen = false,
  hasProblems = false,
  asked = 0,
  takesFocus,
  children,
}: Props) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  // What opened by itself does not close under somebody's hands once the problem is gone.
  const opened = useRef(isOpen);
  const heading = useRef<HTMLElement>(null);
  opened.current ||= hasProblems;
  useEffect(() => {
    if (!asked) return;
    setChosen(true);
    if (takesFocus) heading.current?.focus();
  }, [asked]);
  const open = chosen ?? opened.current;
  return (
    <details
      className="insp-section"
      open={open}
      onToggle={(event) => {
        const now = event.currentTarget.open;
        if (now !== open) setChosen(now);
      }}
    >
      <summary ref={heading}>
        <h3>{title}</h3>
        {!open && summary && <span className="insp-summary">{summary}</span>}
      </summary>
      {open && <div className="insp-body">{children}</div>}
    </details>
  );
}
