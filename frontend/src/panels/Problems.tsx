import { Icon } from "../Icon";
import { Words } from "../Words";
import type { Doc } from "../model/document";
import { titleOf } from "../model/graph";
import { type Problem, act, goTo, select, set, state, useBuilder, wantFocus } from "../store";

/** Goes to what a problem is about: its step, its edge, or the settings of the workflow. */
export function jump(problem: Problem): void {
  const { doc } = state();
  const edge = /^edges\[(\d+)\]/.exec(problem.field);
  if (edge) {
    const key = Object.keys(doc.edges)[Number(edge[1])];
    if (key) select({ edges: [key] });
    const from = key && doc.edges[key]?.from;
    if (from) set({ look: { node: from, count: (state().look?.count ?? 0) + 1 } });
  } else if (problem.node !== null && Object.hasOwn(doc.nodes, problem.node)) goTo(problem.node);
  else select({});
  wantFocus("inspector", problem.field);
}

/** What a problem is about: a step, a way, or the workflow. */
export function whose({ node, field }: Problem, doc: Doc): string {
  if (node !== null) return titleOf(doc, node);
  const edge = Object.values(doc.edges)[Number(/^edges\[(\d+)\]/.exec(field)?.[1] ?? -1)];
  return edge ? `${titleOf(doc, edge.from)} → ${titleOf(doc, edge.to)}` : "The workflow";
}

/** Everything that the server's validator finds, as it is now. */
export function Problems() {
  const problems = useBuilder((now) => now.problems);
  const doc = useBuilder((now) => now.doc);
  const mayWrite = useBuilder((now) => now.boot.may_write && now.cannot === null);
  if (problems.length === 0) {
    return (
      <p className="panel-empty">
        <Icon name="circle-check" />{" "}
        {Object.keys(doc.nodes).length ? "No problems. Ready to publish." : "Add a first step."}
      </p>
    );
  }
  return (
    <ul className="problem-list">
      {problems.map((problem, at) => (
        <li key={`${problem.field} ${problem.code} ${at}`} data-severity={problem.severity}>
          <button type="button" className="problem" onClick={() => jump(problem)}>
            <Icon name={problem.severity === "error" ? "circle-alert" : "triangle-alert"} />
            <span>
              <strong>{whose(problem, doc)}:</strong> <Words problem={problem} />
              <span className="sr-only">
                {problem.severity === "error" ? " (fix before publishing)" : " (warning)"}
              </span>
            </span>
          </button>
          {problem.fix && mayWrite && (
            <button
              type="button"
              className="button plain small"
              onClick={() => problem.fix && act(problem.fix.title, problem.fix.changes)}
            >
              <Icon name="wand-sparkles" />
              {problem.fix.title}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
