import { type ReactNode, useEffect, useRef, useState } from "react";

interface Props {
  title: string;
  /** What is set in it, in one line; it stands beside the title while the section is closed. */
  summary?: string;
  isOpen?: boolean;
  hasProblems?: boolean;
  /** Rises whenever somebody wants to see it; it opens then. */
  asked?: number;
  children: ReactNode;
}

/** A part of the form. What has a problem opens by itself. */
export function Section({ title, summary, isOpen = false, hasProblems = false, asked = 0, children }: Props) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  // What opened by itself does not close under somebody's hands once the problem is gone.
  const opened = useRef(isOpen);
  opened.current ||= hasProblems;
  useEffect(() => {
    if (asked) setChosen(true);
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
      <summary>
        <h3>{title}</h3>
        {!open && summary && <span className="insp-summary">{summary}</span>}
      </summary>
      {open && <div className="insp-body">{children}</div>}
    </details>
  );
}
