import { counted } from "./words";

/** What is said of steps: comments in threads, what is open, and mentions in a text that is being written. Pure. */

export interface Comment {
  id: number;
  thread: number;
  step: string;
  text: string;
  by: string;
  by_name: string;
  at: string;
  resolved_at: string | null;
  resolved_by: string | null;
  resolved_by_name: string | null;
}

export interface Thread {
  id: number;
  step: string;
  isResolved: boolean;
  /** The oldest first. */
  comments: Comment[];
}

export const MOST_SIGNS = 2000;

/** Comments as their threads, the one in which something was said last first. */
export function threadsOf(comments: Comment[]): Thread[] {
  const found = new Map<number, Thread>();
  for (const comment of [...comments].sort((one, other) => one.id - other.id)) {
    const { thread: id, step, resolved_at: at } = comment;
    const thread = found.get(id) ?? { id, step, isResolved: at !== null, comments: [] };
    thread.comments.push(comment);
    found.set(id, thread);
  }
  const newest = (thread: Thread) => thread.comments.at(-1)?.id ?? 0;
  return [...found.values()].sort((one, other) => newest(other) - newest(one));
}

/** Ids under which something was said of a step, whether or not it is still there: a new step gets none of them. */
export function spokenOf(comments: Comment[]): Record<string, true> {
  return Object.fromEntries(comments.map(({ step }) => [step, true]));
}

/** How many comments are open, and how many are resolved. */
export function tally(comments: Comment[]): { open: number; resolved: number } {
  const open = comments.filter(({ resolved_at: at }) => at === null).length;
  return { open, resolved: comments.length - open };
}

/** How many comments of each step are open. */
export function openCounts(comments: Comment[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { step, resolved_at: at } of comments) if (at === null) found.set(step, (found.get(step) ?? 0) + 1);
  return found;
}

/** How many are open, said. */
export function commentsInWords(count: number): string {
  return counted(count, "open comment");
}

const NAME = /[\p{L}\p{N}_.+-]/u;

/** Where the mention begins that is being written at the caret, and what of it is there; null for none. */
export function mentionAt(text: string, caret: number): { at: number; typed: string } | null {
  let at = caret;
  while (at > 0 && caret - at < 150 && NAME.test(text[at - 1])) at -= 1;
  if (text[at - 1] !== "@" || (at > 1 && /[\p{L}\p{N}_.@+-]/u.test(text[at - 2]))) return null;
  return { at: at - 1, typed: text.slice(at, caret) };
}

/** A text with somebody mentioned in place of what was typed of it, and where the caret is then. */
export function withMention(text: string, caret: number, username: string): { text: string; caret: number } {
  const found = mentionAt(text, caret);
  const start = found ? found.at : caret;
  const said = `@${username} `;
  const rest = text.slice(caret);
  return { text: text.slice(0, start) + said + rest.replace(/^ /, ""), caret: start + said.length };
}

/** A text in pieces, its mentions apart. */
export function pieces(text: string): { text: string; isMention: boolean }[] {
  const parts = text.split(/((?<![\p{L}\p{N}_.@+-])@[\p{L}\p{N}_.@+-]{1,150})/u);
  return parts.map((part, at) => ({ text: part, isMention: at % 2 === 1 })).filter((part) => part.text);
}
