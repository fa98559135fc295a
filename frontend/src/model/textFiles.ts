/** Text files of spreadsheets: which encoding they have, and the mark by which spreadsheets know UTF-8. Pure. */

const MARK = "\ufeff";

/** The text of a file: UTF-8 or UTF-16 by its mark, UTF-8 without one, else what Excel writes in the West. */
export function textOf(content: ArrayBuffer): string {
  const [first, second] = new Uint8Array(content.slice(0, 2));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(content);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    return new TextDecoder("windows-1252").decode(content);
  }
}

/** What is saved: spreadsheets take CSV without the mark for text of the local code page. */
export function saved(text: string, format: string): string {
  return format === "csv" ? MARK + text : text;
}
