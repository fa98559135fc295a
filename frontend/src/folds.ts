/** Containers that are collapsed to a card and opened, and what is placed by eye while one is open for who looks alone. */

import type { Change } from "./model/changes";
import type { Doc } from "./model/document";
import { collapsed, foldChanges, opened } from "./model/folding";
import { titleOf } from "./model/graph";
import { isCollapsed } from "./model/levels";
import { type Acting, act, keepSelectionTrue, seen, set, state } from "./store";

/** Collapses a container to a card, or opens it; what is selected in it is the container then. */
export function fold(id: string): void {
  const { boot, doc, folds } = state();
  const isClosed = !isCollapsed(seen(), id);
  const { [id]: _own, ...others } = folds;
  // What somebody only looked into is collapsed in the draft already.
  const isSo = isCollapsed(doc, id) === isClosed;
  set({ folds: isSo || boot.may_write ? others : { ...folds, [id]: isClosed } });
  const [label, changes] = isClosed ? ["Collapse", collapsed(doc, id)] : ["Open", opened(doc, [id])];
  if (!isSo && boot.may_write) act(`${label} ${titleOf(doc, id)}`, changes);
  keepSelectionTrue();
}

/**
 * Does something to the draft as it is seen here: what is placed by eye stays where it was put, so what is open for who
 * placed it is open for everybody then. False where it does not fit.
 */
export function actAsSeen(label: string, changes: Change[], acting: Acting = {}): boolean {
  const { doc, folds } = state();
  return changes.length > 0 && act(label, [...foldChanges(doc, folds), ...changes], acting);
}

/** Does what is made of the draft; `isByEye`: of what is seen of it. Gives what was made; null where it does not fit. */
export function actOn<Made extends { changes: Change[] }>(
  label: string,
  isByEye: boolean,
  make: (doc: Doc) => Made,
): Made | null {
  const made = make(isByEye ? seen() : state().doc);
  return (isByEye ? actAsSeen : act)(label, made.changes) ? made : null;
}
