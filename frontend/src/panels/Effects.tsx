import { useMemo } from "react";
import { titleOf } from "../model/graph";
import type { Json } from "../model/json";
import { shares } from "../model/trials";
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
  const share = useMemo(() => shares(catalogue, doc), [doc, catalogue]);
  const pins = doc.layout.pins ?? {};
  const sent = [...share.keys()].filter((id) => share.get(id) === "sent" && !(id in pins));
  const effects = [...share.keys()].filter((id) => !sent.includes(id));
  const people = effects.filter((id) => catalogue[doc.nodes[id].type]?.asks_people);
  const real = live.filter((id) => effects.includes(id)).length;
  const waits = effects.filter((id) => share.get(id) === "waits").length;
  const words = [counted(effects.length - waits, "step", " with outside effects"), counted(waits, "wait")];
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
            {words.filter(Boolean).join(" and ")}{" "}
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

function counted(count: number, one: string, which = ""): string {
  return count ? `${count} ${one}${count === 1 ? "" : "s"}${which}` : "";
}

function chosen(outcomes: Record<string, string>, id: string, name: string): Record<string, string> {
  const { [id]: _old, ...others } = outcomes;
  return name ? { ...others, [id]: name } : others;
}
