import { Icon } from "../Icon";
import { type Groups, SearchDialog } from "../SearchDialog";
import { faceOf } from "../model/catalogue";
import { connect, usualCondition } from "../model/commands";
import { cardLines, inOrder, titleOf, whyNot } from "../model/graph";
import { act, say, select, set, state, useBuilder } from "../store";

interface Target {
  id: string;
  why: string | null;
}

/** Where the selected step leads to: type a name, or go through the steps; those that can't be say why. */
export function ConnectDialog() {
  const from = useBuilder((now) => now.connecting);
  return from ? <Targets from={from} /> : null;
}

function Targets({ from }: { from: string }) {
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const find = (search: string): Groups<Target> => {
    const wanted = search.toLowerCase();
    const condition = usualCondition(doc, catalogue, from);
    const all = inOrder(doc)
      .filter(({ id }) => id !== from && `${titleOf(doc, id)} ${id}`.toLowerCase().includes(wanted))
      .map(({ id }) => ({ id, why: whyNot(doc, from, id, condition) }));
    return [["", [...all.filter(({ why }) => !why), ...all.filter(({ why }) => why)]]];
  };
  const take = ({ id, why }: Target, close: () => void) => {
    if (why) return say(why, "bad");
    const { changes, key } = connect(state().doc, from, id, usualCondition(state().doc, state().catalogue, from));
    close();
    if (act(`Connect ${titleOf(doc, from)} to ${titleOf(doc, id)}`, changes) && key) {
      select({ nodes: [from] });
      say(`Connected ${titleOf(doc, from)} to ${titleOf(doc, id)}.`);
    }
  };
  return (
    <SearchDialog
      title={`Connect ${titleOf(doc, from)} to a step`}
      icon="spline"
      list="Steps"
      find={find}
      keyOf={({ id }) => id}
      isDisabled={({ why }) => why !== null}
      show={({ id, why }) => {
        const face = faceOf(catalogue, doc.nodes[id].type);
        return (
          <>
            <span className="step-icon" data-group={face.group}>
              <Icon name={face.icon} />
            </span>
            <span>
              <strong>{why ? titleOf(doc, id) : cardLines(doc, id)[0]}</strong>{" "}
              <small>{why ?? cardLines(doc, id)[1]}</small>
            </span>
          </>
        );
      }}
      none="No matching steps."
      verb="connect"
      take={take}
      onClose={() => set({ connecting: null })}
    />
  );
}
