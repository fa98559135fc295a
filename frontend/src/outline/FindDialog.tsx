import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import { faceOf } from "../model/catalogue";
import { cardLines, inOrder, titleOf } from "../model/graph";
import { isSearched } from "./searched";
import { goTo, set, state, useBuilder, wantFocus } from "../store";

const MOST_OFFERED = 20;

/** What Ctrl+K is told of the steps of the draft: their titles, and how one gets there. */
export function offerSteps(): () => void {
  const offer = (event: Event) => {
    const { found, search } = (event as CustomEvent<Offer>).detail;
    const { doc, catalogue } = state();
    if (!search) return;
    const ids = inOrder(doc).map((row) => row.id);
    for (const id of ids.filter((each) => isSearched(doc, catalogue, each, search)).slice(0, MOST_OFFERED)) {
      const run = () => {
        set({ view: "canvas" });
        goTo(id);
        wantFocus("canvas");
      };
      found.push({ name: titleOf(doc, id), about: `Step: ${faceOf(catalogue, doc.nodes[id].type).title}`, run });
    }
  };
  document.addEventListener("handoff:find", offer);
  return () => document.removeEventListener("handoff:find", offer);
}

interface Offer {
  search: string;
  found: { name: string; about: string; run: () => void }[];
}

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
    const ids = inOrder(doc).map((row) => row.id);
    return [["", ids.filter((id) => isSearched(doc, catalogue, id, search))]];
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
            <strong>{cardLines(doc, id)[0]}</strong> <small>{cardLines(doc, id)[1]}</small>
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
