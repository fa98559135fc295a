import { ask } from "../../api";
import { state } from "../../store";
import { useAnswer } from "../answers";

interface Named {
  name: string;
  words: string;
}

interface Member {
  username: string;
  name: string;
}

interface Group {
  name: string;
  members: string[];
}

const MOST = 50;
/** The groups of a tenant are few, and are read at once. */
const MOST_GROUPS = 200;
const QUIET_MS = 250;

async function people(typed: string, signal: AbortSignal): Promise<Named[]> {
  const url = `${state().boot.urls.members}?limit=${MOST}${typed ? `&q=${encodeURIComponent(typed)}` : ""}`;
  const { results } = await ask<{ results: Member[] }>(url, { automatic: true, signal });
  return results.map(({ username, name }) => ({ name: username, words: name }));
}

async function groups(_typed: string, signal: AbortSignal): Promise<Named[]> {
  const url = `${state().boot.urls.groups}?limit=${MOST_GROUPS}`;
  const { results } = await ask<{ results: Group[] }>(url, { automatic: true, signal });
  return results.map(({ name, members }) => ({
    name,
    words: members.length === 1 ? "1 member" : `${members.length} members`,
  }));
}

const FINDERS: Record<string, typeof people> = { people, groups };

/** The names that a field of `kind` (`people`, `groups`) offers for what was typed; `typed` is null until somebody is there. */
export function NameOptions({ id, kind, typed }: { id: string; kind: string; typed: string | null }) {
  const find = FINDERS[kind];
  const text = typed?.trim() ?? "";
  const isAsked = find !== undefined && typed !== null && text.length <= 150 && !text.includes("{{");
  const found = useAnswer(isAsked ? (signal) => find(text, signal) : null, [kind, kind === "people" ? text : ""], {
    wait: (isAnswered) => (isAnswered ? QUIET_MS : 0),
    keeps: true,
  });
  return (
    <datalist id={id}>
      {(found ?? []).map(({ name, words }) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </datalist>
  );
}
