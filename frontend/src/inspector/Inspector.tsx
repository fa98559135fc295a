import { useEffect, useLayoutEffect, useRef } from "react";
import { say, theEdge, theOne, useBuilder } from "../store";
import "./fields/holders";
import { EdgeForm } from "./EdgeForm";
import { Several } from "./Several";
import { SettingsForm } from "./SettingsForm";
import { StepForm } from "./StepForm";
import { controlOf, emptyFields } from "./going";
import { lasting } from "./rename";
import "../style/inspector.css";
import "../style/expressions.css";

const FIRST = "input:not([type=hidden]), select, textarea, .cm-content, button";

/** What is selected, as a form; the workflow itself where nothing is. */
export function Inspector() {
  const doc = useBuilder((now) => now.doc);
  const one = useBuilder(theOne);
  const edge = useBuilder(theEdge);
  const count = useBuilder((now) => now.selected.nodes.length + now.selected.edges.length + now.selected.notes.length);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const focus = useBuilder((now) => now.focus);
  const pane = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!focus || !pane.current) return;
    if (focus.what === "title") {
      const title = pane.current.querySelector<HTMLInputElement>("[data-title]");
      title?.focus();
      title?.select();
    } else if (focus.what === "empty") {
      const [field] = emptyFields(pane.current);
      if (field) field.focus();
      else say("Every required field here is filled in.");
    } else if (focus.what === "inspector") {
      const wrong = pane.current.querySelector<HTMLElement>("[aria-invalid=true]");
      (
        controlOf(pane.current, focus.field) ??
        wrong ??
        pane.current.querySelector<HTMLElement>("[data-first]") ??
        pane.current.querySelector<HTMLElement>(FIRST)
      )?.focus();
    }
  }, [focus]);

  // Another form begins at its top, however far down the one before was read; a new id is the same step.
  const form = one !== null ? `step ${lasting(one)}` : `edge ${edge} ${count}`;
  useLayoutEffect(() => {
    const scrolled = pane.current?.parentElement;
    if (scrolled) scrolled.scrollTop = 0;
  }, [form]);

  const shown =
    one !== null && Object.hasOwn(doc.nodes, one) ? (
      <StepForm key={`step ${lasting(one)}`} id={one} />
    ) : edge !== null && (Object.hasOwn(doc.edges, edge) || edge.includes("@")) ? (
      <EdgeForm key={`edge ${edge}`} edge={edge} />
    ) : count > 0 ? (
      <Several />
    ) : (
      <SettingsForm />
    );
  return (
    <div className="inspector" ref={pane}>
      <fieldset className="insp-all" disabled={!mayWrite}>
        {shown}
      </fieldset>
    </div>
  );
}
