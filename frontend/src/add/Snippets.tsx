import { Icon } from "../Icon";
import { fitting } from "../model/snippets";
import { useBuilder } from "../store";
import { addGroupHere } from "./adding";
import { DRAGGED_TYPE, GROUP } from "./dragged";

/** Groups of steps that are ready made: one press puts all of them behind the selected step, or on the selected connection. */
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
              draggable
              onDragStart={(event) => {
                event.dataTransfer.setData(DRAGGED_TYPE, `${GROUP}${snippet.name}`);
                event.dataTransfer.effectAllowed = "copy";
              }}
              onClick={() => addGroupHere(snippet)}
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
