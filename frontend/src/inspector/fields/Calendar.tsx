import { ask } from "../../api";
import { state } from "../../store";
import { type Listed, calendarWords } from "../../model/calendars";
import { type Offer, OfferedControl } from "./Offered";
import type { ControlProps } from "./simple";

/** More calendars than are listed are hardly kept; their names can be typed. */
const MOST = 200;

async function find(_typed: string, signal: AbortSignal): Promise<Offer[]> {
  const url = `${state().boot.urls.calendars}?limit=${MOST}`;
  const { results } = await ask<{ results: Listed[] }>(url, { automatic: true, signal });
  return results.map((calendar) => {
    const words = calendarWords(calendar);
    return { name: calendar.name, words, about: words };
  });
}

/** The name of a working calendar, chosen among those that there are; none is the default calendar, or none at all. */
export function CalendarControl(props: ControlProps) {
  return <OfferedControl {...props} empty="Name of a working calendar" find={find} />;
}
