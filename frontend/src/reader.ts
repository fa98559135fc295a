/** Moments in the time zone and as the page's reader writes them: by their settings, otherwise as the browser does. */

const { zone, locale } = document.documentElement.dataset;

function written(at: string, parts: Intl.DateTimeFormatOptions): string {
  const moment = new Date(at);
  try {
    return moment.toLocaleString(locale || [], { ...parts, timeZone: zone || undefined });
  } catch {
    // The server knows time zones that this browser does not.
    return moment.toLocaleString([], parts);
  }
}

/** The time of day of a moment. */
export function timeOf(at: string): string {
  return written(at, { hour: "2-digit", minute: "2-digit" });
}

/** A moment with its day. */
export function momentOf(at: string): string {
  return written(at, { dateStyle: "medium", timeStyle: "short" });
}
