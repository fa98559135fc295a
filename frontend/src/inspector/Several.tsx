import { Icon } from "../Icon";
import { duplicate, groupSelected, removeSelected, tidySelected } from "../keys";
import { faceOf } from "../model/catalogue";
import { ungroup } from "../model/commands";
import { titleOf } from "../model/graph";
import { act, goTo, state, useBuilder } from "../store";

function counted(count: number, one: string, many: string): string {
  return count ? `${count} ${count === 1 ? one : many}` : "";
}

/** Several things at once, and what can be done with them. */
export function Several() {
  const selected = useBuilder((now) => now.selected);
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const said = [
    counted(selected.nodes.length, "step", "steps"),
    counted(selected.edges.length, "connection", "connections"),
    counted(selected.notes.length, "note", "notes"),
  ]
    .filter(Boolean)
    .join(", ");
  const isGrouped = Object.values(doc.layout.groups ?? {}).some((group) =>
    group.nodes.some((id) => selected.nodes.includes(id)),
  );
  const hasCopies = selected.nodes.length + selected.notes.length > 0;
  return (
    <>
      <header className="insp-head">
        <h2>{said} selected</h2>
      </header>
      <div className="insp-part insp-actions">
        {selected.nodes.length > 0 && (
          <>
            <button type="button" className="button plain small" title="Group (G)" onClick={groupSelected}>
              <Icon name="group" />
              Group
            </button>
            {isGrouped && (
              <button
                type="button"
                className="button plain small"
                title="Ungroup (Shift+G)"
                onClick={() => act("Ungroup", ungroup(state().doc, selected.nodes))}
              >
                <Icon name="ungroup" />
                Ungroup
              </button>
            )}
            <button type="button" className="button plain small" title="Tidy (L)" onClick={() => void tidySelected()}>
              <Icon name="layout-dashboard" />
              Tidy
            </button>
          </>
        )}
        {hasCopies && (
          <button type="button" className="button plain small" title="Duplicate (Ctrl+D)" onClick={duplicate}>
            <Icon name="copy" />
            Duplicate
          </button>
        )}
        <button type="button" className="button danger small" title="Delete (Del)" onClick={() => removeSelected()}>
          <Icon name="trash-2" />
          Delete
        </button>
      </div>
      {selected.nodes.length > 0 && (
        <ul className="insp-ways insp-part">
          {selected.nodes.map((id) => (
            <li key={id}>
              <button type="button" className="way" onClick={() => goTo(id)}>
                <Icon name={faceOf(catalogue, doc.nodes[id]?.type ?? "").icon} />
                <span>{titleOf(doc, id)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
