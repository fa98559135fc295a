import { useState } from "react";
import { Avatar } from "../Avatar";
import { Icon } from "../Icon";
import { nameOf } from "../model/people";
import { type Comment, type Thread, pieces } from "../model/talk";
import { momentOf } from "../reader";
import { useBuilder } from "../store";
import { deleteComment, reopenThread, resolveThread } from "../comments";

/** What was said in a thread, and what can be done with it. */
export function ThreadView({ thread }: { thread: Thread }) {
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const last = thread.comments[thread.comments.length - 1];
  const by = last.resolved_by === null ? "" : last.resolved_by_name || last.resolved_by;
  return (
    <article className="thread" data-resolved={thread.isResolved || undefined}>
      <ol>
        {thread.comments.map((comment) => (
          <CommentItem key={comment.id} comment={comment} />
        ))}
      </ol>
      {(thread.isResolved || mayWrite) && (
        <footer>
          {thread.isResolved && last.resolved_at && (
            <small className="quiet">
              <Icon name="check" /> Resolved by {by}, {momentOf(last.resolved_at)}
            </small>
          )}
          {mayWrite && (
            <button
              type="button"
              className="button plain small"
              onClick={() => void (thread.isResolved ? reopenThread(last.id) : resolveThread(last.id))}
            >
              <Icon name={thread.isResolved ? "rotate-ccw" : "check"} />
              {thread.isResolved ? "Reopen" : "Resolve"}
            </button>
          )}
        </footer>
      )}
    </article>
  );
}

function CommentItem({ comment }: { comment: Comment }) {
  const { me, may_write: mayWrite } = useBuilder((now) => now.boot);
  const [isAsked, setIsAsked] = useState(false);
  const person = { username: comment.by, name: comment.by_name };
  return (
    <li className="said-of-step">
      <Avatar person={person} />
      <div>
        <p className="said-by">
          <strong>{nameOf(person)}</strong> <time dateTime={comment.at}>{momentOf(comment.at)}</time>
          {mayWrite && comment.by === me && (
            <button
              type="button"
              className="link"
              onBlur={() => setIsAsked(false)}
              onClick={() => (isAsked ? void deleteComment(comment.id) : setIsAsked(true))}
            >
              {isAsked ? "Delete for good?" : "Delete"}
            </button>
          )}
        </p>
        <p className="said-text">
          {pieces(comment.text).map((piece, at) =>
            piece.isMention ? <b key={at}>{piece.text}</b> : <span key={at}>{piece.text}</span>,
          )}
        </p>
      </div>
    </li>
  );
}
