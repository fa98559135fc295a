import { Panel } from "@xyflow/react";
import { Refused, Unreached, ask } from "../api";
import { type HeatBy, type HeatRow, LEVELS, percent } from "../model/heat";
import { say, set, state, useBuilder } from "../store";

const DAYS = 30;
const CHOICES: [HeatBy | null, string][] = [
  [null, "Off"],
  ["time", "Time"],
  ["failures", "Failures"],
];

/** Which steps take time or fail is shown on the canvas, or is not; the figures are asked for once. */
async function show(by: HeatBy | null): Promise<void> {
  const { boot, heat } = state();
  set({ heat: { ...heat, by } });
  if (by === null || heat.rows) return;
  const since = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  const asked = new URLSearchParams({ workflow: boot.name, by: "node", from: since });
  try {
    const { results } = await ask<{ results: HeatRow[] }>(`${boot.urls.telemetry}?${asked}`);
    set({ heat: { ...state().heat, rows: results } });
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreached)) throw error;
    set({ heat: { by: null, rows: null } });
    say(error.message, "bad");
  }
}

/** Where time goes, or what fails, in the runs of the last 30 days: a switch, and what the colours mean. */
export function HeatSwitch() {
  const { by, rows } = useBuilder((now) => now.heat);
  return (
    <Panel position="top-right" className="heat">
      <div className="switch" role="group" aria-label="Heat: where time goes, or what fails">
        <span aria-hidden="true">Heat</span>
        {CHOICES.map(([choice, words]) => (
          <button key={words} type="button" aria-pressed={by === choice} onClick={() => void show(choice)}>
            {words}
          </button>
        ))}
      </div>
      {by && (
        <div className="heat-legend" role="status">
          {rows === null ? (
            "Loading…"
          ) : rows.length === 0 ? (
            `No step has ended in the last ${DAYS} days.`
          ) : (
            <>
              Share of {by === "time" ? "the time" : "the failures"}, last {DAYS} days
              <ol>
                {["0", ...LEVELS.map(percent)].map((least, level) => (
                  <li key={least} data-heat={level}>
                    {level ? `≥ ${least}` : "less"}
                  </li>
                ))}
              </ol>
            </>
          )}
        </div>
      )}
    </Panel>
  );
}
