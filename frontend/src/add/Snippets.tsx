import { Icon } from "../Icon";
import { type Snippet, addSnippet, fitting } from "../model/snippets";
import { act, goTo, hasRoomFor, select, state, theOne, useBuilder } from "../store";

/** Puts a group into the draft, as one act, and selects its steps. */
function add(snippet: Snippet): void {
  if (!hasRoomFor(snippet.nodes.length)) return;
  const { doc, catalogue } = state();
  const made = addSnippet(doc, catalogue, snippet, theOne() ?? undefined);
  if (!act(`Add ${snippet.title}`, made.changes)) return;
  goTo(made.select[0]);
  select({ nodes: made.select });
}

/** Groups of steps that are ready made: one press puts all of them behind the selected step. */
export function Snippets({ search }: { search: string }) {
  const all = useBuilder((now) => now.boot.snippets);
  const shown = fitting(all, search);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Ready-made groups">
      <h2>Ready-made groups</h2>
      <ul>
        {shown.map((snippet) => (
          <li key={snippet.name}>
            <button
              type="button"
              className="palette-step palette-group"
              title={snippet.help}
              onClick={() => add(snippet)}
            >
              <span className="step-icon">
                <Icon name={snippet.icon} />
              </span>
              <span>
                <strong>{snippet.title}</strong>
                <small>{snippet.help}</small>
                <small className="palette-count">{snippet.nodes.length} steps</small>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
