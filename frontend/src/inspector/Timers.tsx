import { Icon } from "../Icon";
import { homeOf } from "../model/bodies";
import { reach, titleOf } from "../model/graph";
import type { Json, JsonObject } from "../model/json";
import { isObject } from "../model/json";
import { timerWords } from "../model/words";
import { act, state, useBuilder } from "../store";
import { setting } from "../model/changes";
import { StepPick } from "./StepPick";
import { Frame, Tool } from "./fields/Frame";
import { Unknown } from "./fields/Unknown";
import { Valued } from "./fields/Valued";
import { BUSINESS_DAYS, asDuration, ofDuration } from "./convert";
import { told } from "./fields/simple";
import { type Shape, shapesOf } from "./schema";
import { type Spot, problemsAt } from "./spot";

const DAY = 86400;

export function timersOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Why a timer of the step can't lead there. */
function whyNot(from: string, to: string): string | null {
  const { doc } = state();
  if (from === to) return "the step itself";
  if (homeOf(doc, from) !== homeOf(doc, to)) return "is not on the same level as this step";
  return reach(doc, to, "out").has(from) ? `comes before ${titleOf(doc, from)}` : null;
}

/** What happens when a step takes too long: another way, or a reminder beside it. */
export function Timers({ id, spot }: { id: string; spot: Spot }) {
  const doc = useBuilder((now) => now.doc);
  const timers = timersOf(spot.value);
  const target = Object.keys(doc.nodes).find((each) => whyNot(id, each) === null);
  const put = (next: Json[], label: string) => {
    const change = setting(state().doc, ["nodes", id, "boundary_timers"], next.length ? next : undefined);
    if (change) act(label, [change]);
  };
  return (
    <>
      {timers.length === 0 && (
        <p className="quiet small">
          A deadline moves on to another step when this one takes too long. A reminder runs another step while this one
          continues.
        </p>
      )}
      <ol className="insp-rows">
        {timers.map((timer, place) => (
          <Timer
            key={place}
            id={id}
            spot={spot.item(place)}
            timer={timer}
            onRemove={() =>
              put(
                timers.filter((_, at) => at !== place),
                `Remove a timer of ${titleOf(doc, id)}`,
              )
            }
          />
        ))}
      </ol>
      <div className="insp-actions">
        <button
          type="button"
          className="button plain small"
          disabled={!target}
          onClick={() =>
            target && put([...timers, { after_seconds: DAY, to: target }], `Add a deadline to ${titleOf(doc, id)}`)
          }
        >
          <Icon name="timer" />
          Add a deadline
        </button>
        <button
          type="button"
          className="button plain small"
          disabled={!target}
          onClick={() =>
            target &&
            put(
              [...timers, { after_seconds: DAY, interrupting: false, to: target }],
              `Add a reminder to ${titleOf(doc, id)}`,
            )
          }
        >
          <Icon name="bell" />
          Add a reminder
        </button>
      </div>
      {!target && <p className="help">First add a step that it can lead to.</p>}
    </>
  );
}

/** The same timer by days on which people work: as many as it has days, one at least. */
function inBusinessDays({ after_seconds: seconds, duration: _was, ...rest }: JsonObject): JsonObject {
  const days = typeof seconds === "number" ? Math.max(1, Math.round(seconds / DAY)) : 1;
  return { ...rest, duration: asDuration(String(days), BUSINESS_DAYS) };
}

function Timer({ id, spot, timer, onRemove }: { id: string; spot: Spot; timer: Json; onRemove: () => void }) {
  const schema = useBuilder((now) => now.boot.definition_schema.boundary_timer) as JsonObject;
  const problems = useBuilder((now) => now.problems);
  const shapes = Object.fromEntries(shapesOf(schema).map((shape) => [shape.name, shape])) as Record<string, Shape>;
  if (!isObject(timer)) return <Valued spot={spot} shape={{ ...shapes.to, title: "Timer", widget: "code" }} isFixed />;
  const isLength = timer.duration !== undefined && timer.duration !== null && timer.after_seconds === undefined;
  const working = typeof timer.duration === "string" && ofDuration(timer.duration)?.unit === BUSINESS_DAYS;
  const to = spot.at("to");
  const ends = spot.at("interrupting");
  return (
    <li>
      <div className="row-head">
        <strong>{timer.interrupting === false ? "Reminder" : "Deadline"}</strong>{" "}
        <span className="quiet">{timerWords(timer)}</span>
        <span className="row-tools">
          <Tool icon="trash-2" label={`Remove the timer, ${timerWords(timer)}`} onClick={onRemove} />
        </span>
      </div>
      <Valued
        key={isLength ? "length" : "seconds"}
        spot={spot.at(isLength ? "duration" : "after_seconds")}
        shape={{
          ...(isLength ? shapes.duration : shapes.after_seconds),
          title: "After",
          help: "Counted from when the step starts.",
        }}
        isFixed
      />
      {working ? (
        <Valued spot={spot.at("calendar")} shape={shapes.calendar} isFixed />
      ) : (
        <button type="button" className="link small" onClick={() => spot.set(inBusinessDays(timer))}>
          Count business days
        </button>
      )}
      <Frame title={shapes.to.title} problems={problemsAt(problems, to.field, true)}>
        {(ids) => (
          <StepPick
            ids={ids}
            value={typeof timer.to === "string" ? timer.to : ""}
            whyNot={(each) => whyNot(id, each)}
            onChange={(next) => to.set(next)}
          />
        )}
      </Frame>
      <Frame title="When it is reached" problems={problemsAt(problems, ends.field, true)}>
        {(ids) => (
          <select
            {...told(ids, shapes.interrupting)}
            value={timer.interrupting === false ? "no" : "yes"}
            onChange={(event) => ends.set(event.target.value === "no" ? false : undefined)}
          >
            <option value="yes">this step ends</option>
            <option value="no">this step continues (a reminder)</option>
          </select>
        )}
      </Frame>
      <Unknown spot={spot} known={["after_seconds", "duration", "calendar", "interrupting", "to"]} isOpen={false} />
    </li>
  );
}
