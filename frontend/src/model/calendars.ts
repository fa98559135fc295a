/** Working calendars in a few words: pure. */

export interface Listed {
  name: string;
  timezone: string;
  region: string;
  weekdays: number[];
  hours: { from: string; to: string };
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** `Mon to Fri, 09:00 to 17:00, Europe/Berlin, holidays of DE`. */
export function calendarWords({ timezone, region, weekdays, hours }: Listed): string {
  const time = hours.from === "00:00" && hours.to === "24:00" ? [] : [`${hours.from} to ${hours.to}`];
  return [weekdayWords(weekdays), ...time, timezone, ...(region ? [`holidays of ${region}`] : [])].join(", ");
}

/** Days of the week by their numbers (1 is Monday): three or more in a row are said by their ends. */
function weekdayWords(days: number[]): string {
  const runs: number[][] = [];
  for (const day of [...days].sort((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  const name = (day: number) => DAYS[day - 1];
  return runs
    .flatMap((run) => (run.length > 2 ? [`${name(run[0])} to ${name(run[run.length - 1])}`] : run.map(name)))
    .join(", ");
}
