import { Icon } from "../Icon";
import { homeOf } from "../model/bodies";
import { faceOf } from "../model/catalogue";
import { remove, reorder } from "../model/commands";
import type { Doc } from "../model/document";
import { endsInWords } from "../model/outcomes";
import { type Arrow, neighbours, titleOf } from "../model/graph";
import { wayWords } from "../model/words";
import { act, goTo, select, set, state, useBuilder, wantFocus } from "../store";
import { Tool } from "./fields/Frame";

/** The form of a way takes the place of the step's, and the focus with it. */
function edit(key: string): void {
  select({ edges: [key] });
  wantFocus("inspector");
}

/** Where a step leads, in the order in which the ways are tried. */
export function LeadsTo({ id, children }: { id: string; children?: React.ReactNode }) {
  const doc = useBuilder((now) => now.doc);
  const home = homeOf(doc, id);
  const ends = useBuilder((now) => endsInWords(now.doc, now.catalogue, id));
  const ways = neighbours(doc).out.get(id) ?? [];
  const edges = ways.filter((arrow) => arrow.timer === undefined);
  const move = (key: string, by: -1 | 1) =>
    act(
      `Move the connection to ${titleOf(doc, doc.edges[key].to)} ${by < 0 ? "up" : "down"}`,
      reorder(state().doc, "edges", key, by),
    );
  return (
    <section className="insp-part" aria-labelledby="leads-to">
      <h3 id="leads-to">Leads to</h3>
      {ways.length === 0 && !ends && (
        <p className="quiet small">Nothing yet. {home === null ? "The run" : "The item"} ends here.</p>
      )}
      <ol className="insp-ways">
        {ways.map((arrow) => {
          const name = titleOf(doc, arrow.to);
          const at = edges.indexOf(arrow);
          return (
            <li key={arrow.key}>
              <Way
                doc={doc}
                arrow={arrow}
                other={arrow.to}
                label={`Edit the connection to ${name}`}
                onClick={() => edit(arrow.key)}
              />
              <span className="row-tools">
                {edges.length > 1 && at >= 0 && (
                  <>
                    <Tool
                      icon="arrow-up"
                      label={`Check the connection to ${name} earlier`}
                      disabled={at === 0}
                      onClick={() => move(arrow.key, -1)}
                    />
                    <Tool
                      icon="arrow-down"
                      label={`Check the connection to ${name} later`}
                      disabled={at === edges.length - 1}
                      onClick={() => move(arrow.key, 1)}
                    />
                  </>
                )}
                <Tool
                  icon="x"
                  label={`Remove the connection to ${name}`}
                  onClick={() =>
                    act(`Remove the connection to ${name}`, remove(state().doc, { nodes: [], edges: [arrow.key] }))
                  }
                />
              </span>
            </li>
          );
        })}
      </ol>
      {ends && <p className="quiet small">{ends}.</p>}
      <button type="button" className="button plain small" onClick={() => set({ connecting: id })}>
        <Icon name="spline" />
        Connect to another step
      </button>
      {children}
    </section>
  );
}

/** Which steps lead here. */
export function ComesFrom({ id }: { id: string }) {
  const doc = useBuilder((now) => now.doc);
  const ways = neighbours(doc).into.get(id) ?? [];
  if (ways.length === 0) return null;
  return (
    <section className="insp-part" aria-labelledby="comes-from">
      <h3 id="comes-from">Comes from</h3>
      <ul className="insp-ways">
        {ways.map((arrow) => (
          <li key={arrow.key}>
            <Way
              doc={doc}
              arrow={arrow}
              other={arrow.from}
              label={`Go to ${titleOf(doc, arrow.from)}`}
              onClick={() => goTo(arrow.from)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Way({
  doc,
  arrow,
  other,
  label,
  onClick,
}: {
  doc: Doc;
  arrow: Arrow;
  other: string;
  label: string;
  onClick: () => void;
}) {
  const catalogue = useBuilder((now) => now.catalogue);
  const face = faceOf(catalogue, doc.nodes[other].type);
  const words = wayWords(doc, arrow);
  return (
    <button type="button" className="way" title={label} onClick={onClick}>
      <Icon name={face.icon} />
      <span>
        {words && <small>{words}</small>}
        <span>{titleOf(doc, other)}</span>
        <span className="sr-only">: {label}</span>
      </span>
    </button>
  );
}
