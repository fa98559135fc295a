import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import { faceOf } from "../model/catalogue";
import { inOrder, titleOf } from "../model/graph";
import { goTo, set, useBuilder, wantFocus } from "../store";

/** The search for a step of the draft: Ctrl+F, part of its title, its id or its kind, Enter. */
export function FindDialog() {
  const isOpen = useBuilder((now) => now.finding);
  return isOpen ? <Steps /> : null;
}

function Steps() {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const kindOf = (id: string) => faceOf(catalogue, doc.nodes[id].type);
  const find = (search: string): Groups<string> => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const ids = inOrder(doc).map((row) => row.id);
    const said = (id: string) => `${titleOf(doc, id)} ${id} ${kindOf(id).title}`.toLowerCase();
    return [["", ids.filter((id) => words.every((word) => said(id).includes(word)))]];
  };
  const take = (id: string, close: () => void) => {
    close();
    goTo(id);
    // On a phone another pane may be the one that is seen.
    wantFocus("canvas");
  };
  return (
    <SearchDialog
      title="Find a step"
      icon="search"
      list="Steps"
      find={find}
      keyOf={(id) => id}
      show={(id) => (
        <>
          <span className="step-icon" data-group={kindOf(id).group}>
            <Icon name={kindOf(id).icon} />
          </span>
          <span>
            <strong>{titleOf(doc, id)}</strong> <small>{kindOf(id).title}</small>
          </span>
        </>
      )}
      none="No matching steps."
      verb="go to it"
      take={take}
      onClose={() => set({ finding: false })}
    />
  );
}
