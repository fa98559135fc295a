// What stands against a field of the pipeline form, told as soon as it was left: the server checks the form as it would
// on publishing, and the fields that somebody has been in show what its answer shows. Nothing is saved.

import { loggedOut } from "../js/toasts.js";

const WAIT = 150;

export function tellProblems(form) {
  const touched = new Set();
  let timer;
  let asking;

  function field(element) {
    return element?.closest?.("[data-step] .field");
  }

  async function check() {
    asking?.abort();
    asking = new AbortController();
    const body = new FormData(form);
    body.set("do", "check");
    let text;
    try {
      const answer = await fetch(location.href, { method: "POST", body, signal: asking.signal });
      if (answer.status === 401) loggedOut();
      if (!answer.ok || answer.redirected) return;
      text = await answer.text();
    } catch {
      return; // Publishing says it, too.
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const id of touched) show(document.getElementById(id), page.getElementById(id));
  }

  function show(here, there) {
    const [mine, its] = [field(here), field(there)];
    if (!mine || !its) return;
    const fault = its.querySelector(":scope > .fault");
    mine.querySelector(":scope > .fault")?.remove();
    if (fault) mine.append(fault);
    mine.classList.toggle("wrong", Boolean(fault));
    for (const name of ["aria-invalid", "aria-describedby"]) {
      if (there.hasAttribute(name)) here.setAttribute(name, there.getAttribute(name));
      else here.removeAttribute(name);
    }
  }

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(check, WAIT);
  }

  form.addEventListener("change", (event) => {
    const left = field(event.target);
    const id = left?.matches("fieldset") ? left.id : event.target.id;
    if (!left || !id) return;
    touched.add(id);
    soon();
  });
  // What is wrong is told when a field was left; that it is right, as soon as it is.
  form.addEventListener("input", (event) => field(event.target)?.matches(".wrong") && soon());
}
