import { useRef, useState } from "react";
import { Icon } from "../Icon";
import { Words } from "../Words";
import { Refused } from "../api";
import { jump, whose } from "../panels/Problems";
import { act, goTo, say, set, useBuilder } from "../store";
import { type Finding, type Mend, type Readiness, listed, send } from "./readiness";
import { counted } from "../model/words";

interface Mending {
  /** The dialog closes, so that the field can be seen. */
  leave: () => void;
  /** Something was mended on the server. */
  again: () => void;
  /** Whether open runs are moved once the draft is published. */
  moves: boolean;
  setMoves: (moves: boolean) => void;
}

/** All findings: first those that block publishing. */
export function Findings({ answer, ...mending }: { answer: Readiness } & Mending) {
  const blocking = answer.findings.filter(({ severity }) => severity === "error");
  const others = answer.findings.filter(({ severity }) => severity !== "error");
  return (
    <>
      {blocking.length > 0 && (
        <Group
          title={`${counted(blocking.length, "finding blocks", "findings block")} publishing`}
          findings={blocking}
          {...mending}
        />
      )}
      {others.length > 0 && (
        <Group
          title={`${counted(others.length, "warning does", "warnings do")} not block publishing`}
          findings={others}
          {...mending}
        />
      )}
    </>
  );
}

function Group({ title, findings, ...mending }: { title: string; findings: Finding[] } & Mending) {
  return (
    <section className="readiness" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {findings.map((finding, at) => (
          <Row key={`${finding.code} ${finding.field} ${at}`} finding={finding} {...mending} />
        ))}
      </ul>
    </section>
  );
}

function Row({ finding, ...mending }: { finding: Finding } & Mending) {
  const doc = useBuilder((now) => now.doc);
  const { mend } = finding;
  const isOfStep = finding.node !== null || finding.field !== "";
  return (
    <li data-severity={finding.severity}>
      <Icon name={finding.severity === "error" ? "circle-alert" : "triangle-alert"} />
      <div>
        <p>
          {isOfStep && <strong>{whose(finding, doc)}: </strong>}
          <Words problem={finding} />
        </p>
        {!mend.allowed && mend.people.length > 0 && (
          <p className="quiet small">You may not change this. Ask {listed(mend.people)}.</p>
        )}
        {mend.allowed && <Press finding={finding} {...mending} />}
      </div>
    </li>
  );
}

function Press({ finding, leave, again, moves, setMoves }: { finding: Finding } & Mending) {
  const mayWrite = useBuilder((now) => now.boot.may_write && now.cannot === null);
  const { mend, fix } = finding;
  if (mend.kind === "request")
    return mend.after_publish ? (
      <label className="moves">
        <input type="checkbox" checked={moves} onChange={(event) => setMoves(event.target.checked)} /> {mend.title} once
        it is published
      </label>
    ) : (
      <Request mend={mend} again={again} />
    );
  if (mend.kind === "page")
    return (
      <a className="button plain small" href={mend.path ?? ""} target="_blank" rel="noopener">
        {mend.title}
        <span className="sr-only"> (opens a new tab)</span>
      </a>
    );
  if (mend.kind === "fix" && fix) {
    return (
      mayWrite && (
        <button type="button" className="button plain small" onClick={() => act(fix.title, fix.changes)}>
          <Icon name="wand-sparkles" />
          {mend.title}
        </button>
      )
    );
  }
  const go = () => {
    leave();
    if (finding.code === "starts_apart" && finding.node !== null) {
      goTo(finding.node);
      set({ connectingTo: finding.node });
      return;
    }
    jump(finding);
    // The form shows what `validate` finds.
    if (!finding.validates) say(finding.message.replaceAll("`", ""));
  };
  return (
    <button type="button" className="button plain small" onClick={go}>
      {mend.title}
    </button>
  );
}

/** A press that asks the server, for one of several where there are. */
function Request({ mend, again }: { mend: Mend; again: () => void }) {
  const [choice, setChoice] = useState(0);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState("");
  // A second press may come before the button is drawn as disabled.
  const isSent = useRef(false);
  const press = async () => {
    if (isSent.current) return;
    isSent.current = true;
    setIsBusy(true);
    setError("");
    try {
      await send(mend, choice);
      again();
    } catch (why) {
      setError(why instanceof Refused ? why.message : "The server is not responding. Nothing was changed.");
    } finally {
      isSent.current = false;
      setIsBusy(false);
    }
  };
  return (
    <div className="press">
      {mend.choices.length > 1 && (
        <select aria-label="To whom" value={choice} onChange={(event) => setChoice(Number(event.target.value))}>
          {mend.choices.map(({ title }, at) => (
            <option key={title} value={at}>
              {title}
            </option>
          ))}
        </select>
      )}
      <button type="button" className="button plain small" disabled={isBusy} onClick={() => void press()}>
        {mend.title}
        {mend.choices.length === 1 && <span className="sr-only">: {mend.choices[0].title}</span>}
      </button>
      {error && (
        <p className="bad-words" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
