import { type Change, reference, said } from "../../model/data";

const SAID: Record<Change["kind"], string> = { added: "new", changed: "changed", removed: "gone" };

/** In what an output differs from the pinned one, value by value. */
export function Differences({ found: { changes, isCut } }: { found: { changes: Change[]; isCut: boolean } }) {
  if (changes.length === 0) return <p className="data-none">The same as the pinned output.</p>;
  return (
    <div className="data-scroll" role="region" aria-label="Changes from the pinned output" tabIndex={0}>
      <ul className="data-changes">
        {changes.map(({ keys, kind, was, now }) => {
          const path = reference("", keys).replace(/^\./, "") || "(all)";
          return (
            <li key={path}>
              <code>{path}</code> <small className="quiet">{SAID[kind]}</small>
              {was !== undefined && <del>{said(was)}</del>}
              {now !== undefined && <ins>{said(now)}</ins>}
            </li>
          );
        })}
      </ul>
      {isCut && <p className="data-none">There are more changes than these {changes.length}.</p>}
    </div>
  );
}
