/** Who else has the draft open: what they are called, and where they are. Pure. */

export interface Person {
  username: string;
  name: string;
  may_edit: boolean;
  /** What they have selected, in each of their tabs. */
  steps: string[];
}

export const COLOURS = 4;

/** What somebody is called. */
export function nameOf({ username, name }: { username: string; name: string }): string {
  return name || username;
}

/** One or two letters for somebody: of the first and the last of their names. */
export function initials(name: string): string {
  const words = name.split(/[\s._@+-]+/).filter(Boolean);
  const [first, last] = [words[0] ?? "?", words.length > 1 ? (words.at(-1) ?? "") : ""];
  return `${[...first][0]}${[...last][0] ?? ""}`.toUpperCase();
}

/** The colour that goes with somebody, the same on every page. */
export function colourOf(username: string): number {
  let sum = 0;
  for (const sign of username.toLowerCase()) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973;
  return sum % COLOURS;
}

/** Somebody with what they may do, where that is not to edit. */
export function described(person: Person): string {
  return `${nameOf(person)}${person.may_edit ? "" : " (reading)"}`;
}

/** Who is here, in a sentence; nothing where one is alone. */
export function hereInWords(people: Person[]): string {
  if (!people.length) return "";
  return `${people.map(described).join(", ")} ${people.length === 1 ? "is" : "are"} here too`;
}

/** Who is at which step. */
export function byStep(people: Person[]): Map<string, Person[]> {
  const found = new Map<string, Person[]>();
  for (const person of people) for (const step of person.steps) found.set(step, [...(found.get(step) ?? []), person]);
  return found;
}
