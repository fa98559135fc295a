/** Pure: where a `/` that was typed asks for the list of values and functions, and what of a function is typed by hand. */

/**
 * The place of the `/` that asks for the list before `at`, or null. Within an expression one asks where a value is
 * expected and divides elsewhere; in a text it asks at the beginning of a word.
 */
export function slashAt(text: string, at: number, isText: boolean): number | null {
  let place = at - 1;
  while (place >= 0 && /[\w.]/.test(text[place])) place -= 1;
  if (text[place] !== "/") return null;
  if (isText) return place === 0 || /\s/.test(text[place - 1]) ? place : null;
  let last = place - 1;
  while (last >= 0 && /\s/.test(text[last])) last -= 1;
  return last < 0 || /[({[,&|=<>+*%?:!-]/.test(text[last]) ? place : null;
}

/** So many options are shown at once: all that most drafts have. */
export const MOST_SHOWN = 1000;

/** What stands over the first group of a list: its name, and that there is more than can be seen. */
export function headOf(group: string, count: number): string {
  if (count <= MOST_SHOWN) return group;
  return `${group} (${count} in all, ${MOST_SHOWN} shown: keep typing to find the others)`;
}

const FIXED = new Set(["in"]);

/**
 * A signature with the names that stand for something in `#{}`, to be filled in one after the other:
 * `list.map(item, value)` is `#{list}.map(#{item}, #{value})`.
 */
export function blanks(signature: string): string {
  return signature.replace(/[A-Za-z_]\w*(\()?/g, (word, call?: string) =>
    call !== undefined || FIXED.has(word) ? word : `#{${word}}`,
  );
}

/** What of a function's signature stands behind the value that it is asked of: `.map(item, value)`; null for others. */
export function method(signature: string): string | null {
  const found = /^[A-Za-z_]\w*(\.\w+\(.*)$/.exec(signature);
  return found ? found[1] : null;
}
