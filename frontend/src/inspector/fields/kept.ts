/** What was typed and is no value yet, and what a field held before it became an expression: never thrown away. */

const texts = new Map<string, string>();
const literals = new Map<string, unknown>();

export const unfinished = {
  get: (key: string) => texts.get(key),
  keep: (key: string, text: string) => void texts.set(key, text),
  forget: (key: string) => void texts.delete(key),
};

/** The other side of the switch between literal and expression. */
export const otherSide = {
  get: <T>(key: string) => literals.get(key) as T | undefined,
  keep: (key: string, value: unknown) => void literals.set(key, value),
};
