import { Avatar } from "./Avatar";
import { titleOf } from "./model/graph";
import { type Person, described, hereInWords } from "./model/people";
import type { Doc } from "./model/document";
import { goTo, useBuilder } from "./store";

const MOST = 4;

/** Somebody's name, and the step at which they are. */
function where(person: Person, doc: Doc): string {
  const titles = person.steps.filter((id) => Object.hasOwn(doc.nodes, id)).map((id) => titleOf(doc, id));
  return `${described(person)}${titles.length ? `: ${titles.join(", ")}` : ""}`;
}

/** Who else has this draft open; pressing somebody leads to the step at which they are. */
export function Here() {
  const people = useBuilder((now) => now.people);
  const doc = useBuilder((now) => now.doc);
  const rest = people.slice(MOST);
  const go = (person: Person) => {
    const step = person.steps.find((id) => Object.hasOwn(doc.nodes, id));
    if (step) goTo(step);
  };
  return (
    <div className="here">
      <span className="sr-only" role="status">
        {hereInWords(people)}
      </span>
      {people.length > 0 && (
        <ul aria-label="Also here">
          {people.slice(0, MOST).map((person) => (
            <li key={person.username}>
              <button type="button" aria-label={where(person, doc)} onClick={() => go(person)}>
                <Avatar person={person} />
                <span className="here-name" aria-hidden="true">
                  {where(person, doc)}
                </span>
              </button>
            </li>
          ))}
          {rest.length > 0 && <Several people={rest} count={`+${rest.length}`} />}
          {people.length > 1 && <Several people={people} count={`${people.length}`} className="here-count" />}
        </ul>
      )}
    </div>
  );
}

/** Those for whom there is no room, by their number. */
function Several({ people, count, className }: { people: Person[]; count: string; className?: string }) {
  const names = people.map(described).join(", ");
  return (
    <li className={className}>
      <button type="button" aria-label={names}>
        <span className="avatar" aria-hidden="true">
          {count}
        </span>
        <span className="here-name" aria-hidden="true">
          {names}
        </span>
      </button>
    </li>
  );
}
