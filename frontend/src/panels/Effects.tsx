import { useMemo } from "react";
import type { Catalogue } from "../model/catalogue";
import type { NodeBody } from "../model/document";
import { titleOf } from "../model/graph";
import { type Json, isObject } from "../model/json";
import { useBuilder } from "../store";
import { type Chosen, outcomesOf } from "./asked";

interface Choices {
  choices: Chosen;
  choose: (choices: Chosen) => void;
}

/** What happens for real, and what people are taken to decide. */
export function Effects({ choices, choose }: Choices) {
  const { live, outcomes } = choices;
  const doc = useBuilder((now) => now.doc);
  const catalogue = useBuilder((now) => now.catalogue);
  const outside = useMemo(
    () =>
      Object.keys(doc.nodes).filter(
        (id) => catalogue[doc.nodes[id].type]?.has_side_effects || catalogue[doc.nodes[id].type]?.waits,
      ),
    [doc.nodes, catalogue],
  );
  const pins = doc.layout.pins ?? {};
  const sent = outside.filter((id) => onlyReads(catalogue, doc.nodes[id]) && !(id in pins));
  const effects = outside.filter((id) => !sent.includes(id));
  const people = effects.filter((id) => catalogue[doc.nodes[id].type]?.asks_people);
  const real = live.filter((id) => effects.includes(id)).length;
  return (
    <>
      {sent.length > 0 && (
        <p className="quiet small test-sent">
          Sent for real because they only read: {sent.map((id) => titleOf(doc, id)).join(", ")}. Pin an output to skip a
          request in tests.
        </p>
      )}
      {effects.length > 0 && (
        <details className="test-effects">
          <summary>
            {effects.length} step{effects.length === 1 ? "" : "s"} with outside effects{" "}
            {real ? `(${real} for real)` : effects.length === 1 ? "is skipped" : "are skipped"}
          </summary>
          <ul>
            {effects.map((id) => (
              <li key={id}>
                <label>
                  <input
                    type="checkbox"
                    checked={live.includes(id)}
                    onChange={(event) =>
                      choose({
                        live: event.target.checked ? [...live, id] : live.filter((each) => each !== id),
                        outcomes,
                      })
                    }
                  />{" "}
                  {titleOf(doc, id)} for real
                </label>
                {people.includes(id) && !live.includes(id) && (
                  <select
                    aria-label={`Outcome of ${titleOf(doc, id)}`}
                    value={outcomes[id] ?? ""}
                    onChange={(event) => choose({ live, outcomes: chosen(outcomes, id, event.target.value) })}
                  >
                    <option value="">First outcome</option>
                    {outcomesOf(doc.nodes[id].params as Json).map((name) => (
                      <option key={name} value={name}>
                        {name}
                      </option>
                    ))}
                  </select>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** A request that asks and changes nothing: the server sends it in a test, too. */
function onlyReads(catalogue: Catalogue, node: NodeBody): boolean {
  const type = catalogue[node.type];
  const params = isObject(node.params) ? node.params : {};
  const shapes = isObject(type?.params_schema.properties) ? type.params_schema.properties : {};
  return Object.entries(type?.read_only_params ?? {}).some(([name, choices]) => {
    const shape = shapes[name];
    const value = params[name] ?? (isObject(shape) ? shape.default : undefined);
    return typeof value === "string" && choices.some((choice) => choice.toUpperCase() === value.toUpperCase());
  });
}

function chosen(outcomes: Record<string, string>, id: string, name: string): Record<string, string> {
  const { [id]: _old, ...others } = outcomes;
  return name ? { ...others, [id]: name } : others;
}
