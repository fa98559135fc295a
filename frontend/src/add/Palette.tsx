import { useMemo, useState } from "react";
import { Icon } from "../Icon";
import type { Catalogue, StepType } from "../model/catalogue";
import { useBuilder } from "../store";
import { Snippets } from "./Snippets";
import { fitting } from "../model/snippets";
import { addHere } from "./adding";
import { DRAGGED_TYPE } from "./dragged";

/** How well a type answers a search: words that begin so count, and those of its title most ("form" is not "transform"). */
function rank(type: StepType, search: string): number {
  const title = type.title.toLowerCase();
  if (title.startsWith(search)) return 0;
  if (title.includes(` ${search}`)) return 1;
  if (type.name.split(/[._]/).some((word) => word.startsWith(search)) || type.keywords.includes(search)) return 2;
  return type.keywords.some((word) => word.startsWith(search)) ? 3 : 4;
}

/** Step types by group; those whose title, help, name or keywords have every word of the search, the best answer first. */
export function found(catalogue: Catalogue, search: string): [string, StepType[]][] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, StepType[]>();
  const wanted = search.trim().toLowerCase();
  const types = Object.values(catalogue);
  if (wanted) types.sort((one, other) => rank(one, wanted) - rank(other, wanted));
  for (const type of types) {
    const text = `${type.title} ${type.name} ${type.help} ${type.group_title} ${type.keywords.join(" ")}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    groups.set(type.group_title, [...(groups.get(type.group_title) ?? []), type]);
  }
  return [...groups];
}

/** All step types, to be dragged onto the canvas or pressed. */
export function Palette() {
  const catalogue = useBuilder((now) => now.catalogue);
  const [search, setSearch] = useState("");
  const snippets = useBuilder((now) => now.boot.snippets);
  const groups = useMemo(() => found(catalogue, search), [catalogue, search]);
  return (
    <div className="palette-list">
      <label className="side-search">
        <Icon name="search" />
        <input
          type="search"
          value={search}
          placeholder="Search steps"
          aria-label="Search steps"
          onChange={(event) => setSearch(event.target.value)}
        />
      </label>
      {groups.length === 0 && fitting(snippets, search).length === 0 && (
        <p className="quiet small">No matching steps.</p>
      )}
      {groups.map(([title, types]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul>
            {types.map((type) => (
              <li key={type.name}>
                <button
                  type="button"
                  className="palette-step"
                  draggable
                  title={type.help}
                  onDragStart={(event) => {
                    event.dataTransfer.setData(DRAGGED_TYPE, type.name);
                    event.dataTransfer.effectAllowed = "copy";
                  }}
                  onClick={() => addHere(type.name)}
                >
                  <span className="step-icon" data-group={type.group}>
                    <Icon name={type.icon} />
                  </span>
                  <span>
                    <strong>{type.title}</strong>
                    <small>{type.help}</small>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Snippets search={search} />
    </div>
  );
}
