import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import type { StepType } from "../model/catalogue";
import { titleOf } from "../model/graph";
import { type Adding, set, type State, useBuilder } from "../store";
import { addHere, recent } from "./adding";
import { found } from "./Palette";

function titleFor(doc: State["doc"], { edge, after, before }: Adding["where"]): string {
  if (edge) return `Add a step between ${titleOf(doc, doc.edges[edge]?.from)} and ${titleOf(doc, doc.edges[edge]?.to)}`;
  if (after) return `Add a step after ${titleOf(doc, after)}`;
  return before ? `Add a step before ${titleOf(doc, before)}` : "Add a step";
}

/** The search for a step: `A` or `/`, arrows, Enter. */
export function AddDialog() {
  const adding = useBuilder((now) => now.adding);
  return adding ? <Search key={JSON.stringify(adding.where)} adding={adding} /> : null;
}

function Search({ adding }: { adding: Adding }) {
  const catalogue = useBuilder((now) => now.catalogue);
  const doc = useBuilder((now) => now.doc);
  const title = titleFor(doc, adding.where);
  const find = (search: string): Groups<StepType> => {
    const last = search ? [] : recent().map((name) => catalogue[name]);
    const all = found(catalogue, search);
    return last.length ? [["Recently used", last], ...all] : all;
  };
  const take = (type: StepType, close: () => void) => {
    // Closed first, as it gives the focus back: then what is added takes it at once, before the next key.
    close();
    addHere(type.name, adding.where);
  };
  return (
    <SearchDialog
      title={title}
      label={`${title}: search`}
      icon="search"
      list="Step types"
      find={find}
      keyOf={(type) => type.name}
      show={(type) => (
        <>
          <span className="step-icon" data-group={type.group}>
            <Icon name={type.icon} />
          </span>
          <span>
            <strong>{type.title}</strong> <small>{type.help}</small>
          </span>
        </>
      )}
      none="No matching steps."
      verb="add"
      take={take}
      // Closed by itself, the dialog gives the focus back to where it was.
      onClose={() => set({ adding: null })}
    />
  );
}
