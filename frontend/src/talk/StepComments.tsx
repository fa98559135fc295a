import { useEffect, useMemo, useRef } from "react";
import { Section } from "../inspector/Section";
import { tally, threadsOf } from "../model/talk";
import { useBuilder } from "../store";
import { Compose } from "./Compose";
import { ThreadView } from "./ThreadView";

/** The last wish to see comments that was fulfilled: the form of another step doesn't open them for it. */
let fulfilled = 0;

/** What is said of one step: what is open, a field to say more, and what is resolved. */
export function StepComments({ id }: { id: string }) {
  const comments = useBuilder((now) => now.comments);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const focus = useBuilder((now) => now.focus);
  const asked = useRef(0);
  const wish = focus?.what === "comments" && focus.count > fulfilled ? focus.count : 0;
  if (wish) asked.current = wish;
  useEffect(() => {
    if (wish) fulfilled = wish;
  }, [wish]);
  const said = useMemo(() => comments.filter((each) => each.step === id), [comments, id]);
  const threads = useMemo(() => threadsOf(said), [said]);
  const open = threads.filter((thread) => !thread.isResolved);
  const resolved = threads.filter((thread) => thread.isResolved);
  const { open: count, resolved: settled } = tally(said);
  const title = count ? `Comments (${count})` : "Comments";
  const summary = count ? "" : settled ? `${settled} resolved` : "";
  return (
    <Section title={title} summary={summary} asked={asked.current} takesFocus={!mayWrite}>
      <div className="step-comments">
        {open.map((thread) => (
          <ThreadView key={thread.id} thread={thread} />
        ))}
        {!threads.length && !mayWrite && <p className="quiet small">No comments on this step yet.</p>}
        {mayWrite && <Compose step={id} count={count} />}
        {resolved.length > 0 && (
          <details className="resolved-threads">
            <summary>{settled} resolved</summary>
            {resolved.map((thread) => (
              <ThreadView key={thread.id} thread={thread} />
            ))}
          </details>
        )}
      </div>
    </Section>
  );
}
