import { type Person, colourOf, described, initials, nameOf } from "./model/people";

/** Somebody as initials in a circle; its words stand beside it, or are read aloud only. */
export function Avatar({ person }: { person: Pick<Person, "username" | "name"> & { may_edit?: boolean } }) {
  return (
    <span
      className="avatar"
      data-colour={colourOf(person.username)}
      data-reading={person.may_edit === false || undefined}
      aria-hidden="true"
    >
      {initials(nameOf(person))}
    </span>
  );
}

const MOST = 3;

/** Who else is at a step. */
export function At({ people }: { people: Person[] }) {
  if (!people.length) return null;
  const names = people.map(described).join(", ");
  return (
    <span className="at-step" title={names}>
      {people.slice(0, MOST).map((person) => (
        <Avatar key={person.username} person={person} />
      ))}
      {people.length > MOST && (
        <span className="avatar" aria-hidden="true">
          +{people.length - MOST}
        </span>
      )}
      <span className="sr-only">, {names} here</span>
    </span>
  );
}
