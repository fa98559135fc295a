import { useMemo, useState } from "react";
import { Icon } from "../Icon";
import { inOrder, titleOf } from "../model/graph";
import { type Thread, tally, threadsOf } from "../model/talk";
import { goTo, useBuilder, wantFocus } from "../store";
import { ThreadView } from "./ThreadView";

/** All that is said of the steps of this draft, in the order of the work; at the end of steps that are gone. */
export function Comments() {
  const comments = useBuilder((now) => now.comments);
  const doc = useBuilder((now) => now.doc);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const [isResolved, setIsResolved] = useState(false);
  const threads = useMemo(() => threadsOf(comments), [comments]);
  // In comments, as at the steps.
  const count = tally(comments);
  const shown = threads.filter((thread) => thread.isResolved === isResolved);
  const order = useMemo(() => inOrder(doc).map((row) => row.id), [doc.nodes, doc.edges]);
  const there = order.filter((id) => shown.some((thread) => thread.step === id));
  const gone = shown.filter((thread) => !Object.hasOwn(doc.nodes, thread.step));
  return (
    <div className="all-comments">
      <div className="switch" role="group" aria-label="Which comments">
        <button type="button" aria-pressed={!isResolved} onClick={() => setIsResolved(false)}>
          Open ({count.open})
        </button>
        <button type="button" aria-pressed={isResolved} onClick={() => setIsResolved(true)}>
          Resolved ({count.resolved})
        </button>
      </div>
      {!shown.length && (
        <p className="panel-empty">
          <Icon name="message-square" />{" "}
          {isResolved
            ? "No resolved comments yet."
            : mayWrite
              ? "No open comments. Select a step and press M to comment on it."
              : "No open comments."}
        </p>
      )}
      {there.map((id) => (
        <OfStep key={id} title={titleOf(doc, id)} threads={shown.filter((thread) => thread.step === id)} go={id} />
      ))}
      {gone.length > 0 && <OfStep title="On deleted steps" threads={gone} go={null} />}
    </div>
  );
}

function OfStep({ title, threads, go }: { title: string; threads: Thread[]; go: string | null }) {
  const goThere = () => {
    if (go === null) return;
    goTo(go);
    wantFocus("comments");
  };
  return (
    <section aria-label={title}>
      <h2>
        {go === null ? (
          title
        ) : (
          <button type="button" className="link" onClick={goThere}>
            {title}
          </button>
        )}
      </h2>
      {threads.map((thread) => (
        <div key={thread.id}>
          {go === null && <code>{thread.step}</code>}
          <ThreadView thread={thread} />
        </div>
      ))}
    </section>
  );
}
