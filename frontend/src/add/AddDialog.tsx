import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import type { StepType } from "../model/catalogue";
import { titleOf } from "../model/graph";
import { type Adding, set, type State, state, useBuilder } from "../store";
import { type Snippet, fitting } from "../model/snippets";
import { addGroupHere, addHere, recent } from "./adding";
import { found } from "./Palette";

const MOST_OFFERED = 5;

/** A step type, or a group of steps. */
type Choice = StepType | Snippet;

const isGroup = (choice: Choice): choice is Snippet => "nodes" in choice;

function titleFor(doc: State["doc"], { edge, after, before, inside }: Adding["where"]): string {
  if (edge) return `Add a step between ${titleOf(doc, doc.edges[edge]?.from)} and ${titleOf(doc, doc.edges[edge]?.to)}`;
  if (inside) return `Add a step in ${titleOf(doc, inside)}`;
  if (after) return `Add a step after ${titleOf(doc, after)}`;
  return before ? `Add a step before ${titleOf(doc, before)}` : "Add a step";
}

/** What Ctrl+K is told of the step types: their titles and keywords; one that is chosen is added. */
export function offerTypes(): () => void {
  const offer = (event: Event) => {
    const { found: offers, search } = (event as CustomEvent<Offer>).detail;
    if (!search) return;
    const types = found(state().catalogue, search).flatMap(([, each]) => each);
    for (const { name, title } of types.slice(0, MOST_OFFERED)) {
      const run = () => {
        set({ view: "canvas" });
        addHere(name);
      };
      offers.push({ name: `Add: ${title}`, about: "Step type", run });
    }
  };
  document.addEventListener("handoff:find", offer);
  return () => document.removeEventListener("handoff:find", offer);
}

interface Offer {
  search: string;
  found: { name: string; about: string; run: () => void }[];
}

/** The search for a step: `A` or `/`, arrows, Enter. */
export function AddDialog() {
  const adding = useBuilder((now) => now.adding);
  return adding ? <Search key={JSON.stringify(adding.where)} adding={adding} /> : null;
}

function Search({ adding }: { adding: Adding }) {
  const catalogue = useBuilder((now) => now.catalogue);
  const doc = useBuilder((now) => now.doc);
  const snippets = useBuilder((now) => now.boot.snippets);
  const title = titleFor(doc, adding.where);
  const find = (search: string): Groups<Choice> => {
    const last: Choice[] = search ? [] : recent().map((name) => catalogue[name]);
    const groups = fitting(snippets, search);
    const all: Groups<Choice> = [...found(catalogue, search)];
    if (groups.length) all.push(["Ready-made groups", groups]);
    return last.length ? [["Recently used", last], ...all] : all;
  };
  const take = (choice: Choice, close: () => void) => {
    // Closed first, as it gives the focus back: then what is added takes it at once, before the next key.
    close();
    if (isGroup(choice)) addGroupHere(choice, adding.where);
    else addHere(choice.name, adding.where);
  };
  return (
    <SearchDialog
      title={title}
      label={`${title}: search`}
      icon="search"
      list="Step types and groups"
      find={find}
      keyOf={(choice) => (isGroup(choice) ? `group ${choice.name}` : choice.name)}
      show={(choice) => (
        <>
          <span className="step-icon" data-group={isGroup(choice) ? undefined : choice.group}>
            <Icon name={choice.icon} />
          </span>
          <span>
            <strong>{choice.title}</strong>{" "}
            <small>
              {isGroup(choice) && `${choice.nodes.length} steps. `}
              {choice.help}
            </small>
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
