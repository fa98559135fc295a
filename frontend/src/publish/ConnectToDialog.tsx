import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import { faceOf } from "../model/catalogue";
import { connect, usualCondition } from "../model/commands";
import { cardLines, inOrder, titleOf, whyNot } from "../model/graph";
import { act, say, select, set, state, useBuilder } from "../store";

interface Source {
  id: string;
  why: string | null;
}

/** Which step leads to one that starts apart. */
export function ConnectToDialog() {
  const to = useBuilder((now) => now.connectingTo);
  const isThere = useBuilder((now) => to !== null && Object.hasOwn(now.doc.nodes, to));
  return to !== null && isThere ? <Sources to={to} /> : null;
}

function Sources({ to }: { to: string }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const find = (search: string): Groups<Source> => {
    const wanted = search.toLowerCase();
    const all = inOrder(doc)
      .filter(({ id }) => id !== to && `${titleOf(doc, id)} ${id}`.toLowerCase().includes(wanted))
      .map(({ id }) => ({ id, why: whyNot(doc, id, to) }));
    return [["", all.filter(({ why }) => !why)]];
  };
  const take = ({ id }: Source, close: () => void) => {
    const now = state();
    const { changes } = connect(now.doc, id, to, usualCondition(now.doc, now.catalogue, id));
    close();
    if (!act(`Connect ${titleOf(doc, id)} to ${titleOf(doc, to)}`, changes)) return;
    select({ nodes: [to] });
    say(`Connected ${titleOf(doc, id)} to ${titleOf(doc, to)}.`);
  };
  return (
    <SearchDialog
      title={`Connect a step to ${titleOf(doc, to)}`}
      icon="spline"
      list="Steps"
      find={find}
      keyOf={({ id }) => id}
      show={({ id }) => {
        const face = faceOf(catalogue, doc.nodes[id].type);
        return (
          <>
            <span className="step-icon" data-group={face.group}>
              <Icon name={face.icon} />
            </span>
            <span>
              <strong>{cardLines(doc, id)[0]}</strong> <small>{cardLines(doc, id)[1]}</small>
            </span>
          </>
        );
      }}
      none="No step can lead to it."
      verb="connect"
      take={take}
      onClose={() => set({ connectingTo: null })}
    />
  );
}
