import { type Change, diff, isMove } from "../model/changes";
import type { Doc } from "../model/document";
import { titleOf } from "../model/graph";
import { type Json, own } from "../model/json";
import { edgeWords } from "../model/words";

/** What makes the draft of a version. Where steps stand is no difference. */
export function differences(before: Doc, doc: Doc): Change[] {
  return diff({ ...before, layout: {} }, { ...doc, layout: {} });
}

interface Props {
  version: number;
  before: Doc;
  doc: Doc;
  changes: Change[];
  /** Leads to what a change is about. */
  go?: (change: Change) => void;
}

/** Field by field what a version has, and the draft. */
export function Differences({ version, before, doc, changes, go }: Props) {
  if (changes.length === 0) return null;
  return (
    <table className="differences">
      <thead>
        <tr>
          <th scope="col">Where</th>
          <th scope="col">Version {version}</th>
          <th scope="col">Draft</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={`${change.path.join(".")} ${change.at ?? ""}`}>
            <th scope="row">
              {go ? (
                <button type="button" className="link" onClick={() => go(change)}>
                  {whereWords(change, before, doc)}
                </button>
              ) : (
                whereWords(change, before, doc)
              )}
            </th>
            <td>{valueWords(change, change.from, before)}</td>
            <td>{isMove(change) ? "moved in the order" : valueWords(change, change.to, doc)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The differences in a sentence: 2 steps added, 1 connection changed. */
export function differenceWords(changes: Change[]): string {
  const counts = new Map<string, Set<string>>();
  for (const change of changes) {
    const [root, key] = change.path;
    const what = root === "nodes" ? "step" : root === "edges" ? "connection" : "setting";
    const isWhole = root !== "settings" && change.path.length === 2;
    const how = isMove(change)
      ? "moved"
      : isWhole && change.from === undefined
        ? "added"
        : isWhole && change.to === undefined
          ? "removed"
          : "changed";
    const name = `${what} ${how}`;
    counts.set(name, (counts.get(name) ?? new Set()).add(key));
  }
  const said = [...counts].map(([name, keys]) => {
    const [what, how] = name.split(" ");
    return `${keys.size} ${what}${keys.size === 1 ? "" : "s"} ${how}`;
  });
  return said.join(", ") || "No differences";
}

function whereWords({ path }: Change, before: Doc, doc: Doc): string {
  const [root, key, ...rest] = path;
  if (root === "nodes")
    return [
      titleOf(Object.hasOwn(doc.nodes, key) ? doc : before, key),
      ...rest.filter((part) => part !== "params").map((part) => part.replace(/_/g, " ")),
    ].join(" › ");
  if (root === "edges") {
    const edge = own(doc.edges, key) ?? before.edges[key];
    const [from, to] = [edge.from, edge.to].map((id) => titleOf(Object.hasOwn(doc.nodes, id) ? doc : before, id));
    return [`${from} → ${to}`, ...rest].join(" › ");
  }
  return path.slice(1).join(" › ").replace(/_/g, " ");
}

function valueWords({ path }: Change, value: Json | undefined, doc: Doc): string {
  if (value === undefined) return "(nothing)";
  if (path[0] === "nodes" && path.length === 2) return "this step";
  if (path[0] === "edges" && path.length === 2) return edgeWords(doc.edges[path[1]] ?? (value as never)) || "always";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 158)}…` : text;
}
