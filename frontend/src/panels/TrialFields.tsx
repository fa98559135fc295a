import { type RefObject, useEffect, useRef } from "react";
import type { TrialForms } from "./trialForms";

interface Props {
  forms: TrialForms;
  form: RefObject<HTMLFormElement | null>;
  /** The title of the step that is tested alone. */
  title: string;
  hasInput: boolean;
  /** A row more or less, a file out: `add NAME`; empty: the fields depend on what was typed. */
  edit: (edit: string) => void;
  typed: () => void;
}

/** The fields that the server made for the input of a test run, and for what the selected step reads of others. */
export function TrialFields({ forms, form, title, hasInput, edit, typed }: Props) {
  return (
    <form
      ref={form}
      className="test-fields"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const { submitter } = event.nativeEvent as SubmitEvent;
        if (submitter instanceof HTMLButtonElement && submitter.name === "edit") edit(submitter.value);
      }}
      onInput={typed}
      onChange={(event) => {
        const fields = (event.target as Element).closest(".form-fields");
        if (fields?.hasAttribute("hx-post")) edit("");
      }}
    >
      {/* Enter in a field changes nothing: a form's first button is the one that it would press. */}
      <button type="submit" disabled hidden />
      {hasInput && forms.input && <Fields html={forms.input.html} errors={forms.input.errors} />}
      {forms.reads && (
        <fieldset className="test-reads">
          <legend>What {title} reads</legend>
          <p className="help">For a test of this step alone. A step whose fields are empty gives sample values.</p>
          <Fields html={forms.reads.html} errors={forms.reads.errors} />
        </fieldset>
      )}
    </form>
  );
}

function Fields({ html, errors }: { html: string; errors: string[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    place.current.innerHTML = html;
    // What asks for moments by the clock of this browser.
    document.body.dispatchEvent(new Event("htmx:afterSwap"));
    const next = place.current.querySelector<HTMLElement>("[autofocus]");
    (next ?? place.current.querySelector<HTMLElement>("[aria-invalid=true]"))?.focus();
  }, [html]);
  return (
    <>
      {errors.map((error) => (
        <p key={error} className="bad-words" role="alert">
          {error}
        </p>
      ))}
      <div ref={place} />
    </>
  );
}
