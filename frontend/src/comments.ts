/** What people say of the steps of a draft. */

import { Refused, ask } from "./api";
import { nameOf } from "./model/people";
import { stay } from "./presence";
import { goTo, say, set, state, theOne, wantFocus } from "./store";
import { send } from "./sync";

/** Does something to comments, and shows what there is then. False where it was refused, which is said. */
async function done(path: string, method: "POST" | "DELETE", body: Record<string, string> = {}): Promise<boolean> {
  try {
    await ask(`${state().boot.urls.api}/comments${path}`, { method, body });
  } catch (error) {
    say(error instanceof Error ? error.message : "The server is not responding.", "bad");
    return false;
  }
  await stay();
  return true;
}

/** Says something of a step. */
export async function comment(step: string, text: string): Promise<boolean> {
  // The server must know of the step, which may have been added just now.
  if (state().pending.length) await send();
  return done("", "POST", { step, text });
}

export const resolveThread = (id: number) => done(`/${id}/resolve`, "POST");
export const reopenThread = (id: number) => done(`/${id}/reopen`, "POST");
export const deleteComment = (id: number) => done(`/${id}`, "DELETE");

/** Who may be mentioned, as far as one may ask for people; else those who have said something here. */
export async function readers(q: string): Promise<{ username: string; name: string }[]> {
  try {
    const url = `${state().boot.urls.api}/readers?q=${encodeURIComponent(q)}`;
    return (await ask<{ results: { username: string; name: string }[] }>(url, { automatic: true })).results;
  } catch (error) {
    if (!(error instanceof Refused)) return [];
    const known = new Map(state().comments.map(({ by, by_name: name }) => [by, { username: by, name }]));
    const typed = q.toLowerCase();
    return [...known.values()].filter((one) => `${one.username} ${nameOf(one)}`.toLowerCase().includes(typed));
  }
}

/** To what is said of the selected step; to all comments where none is selected alone. */
export function goToComments(): void {
  if (theOne()) wantFocus("comments");
  else set({ panel: "comments" });
}

/** The step that the address names, as the mail of a mention does. */
export function goToAddressed(): void {
  const step = new URLSearchParams(window.location.search).get("step");
  if (step === null) return;
  if (Object.hasOwn(state().doc.nodes, step)) {
    goTo(step);
    wantFocus("comments");
  } else {
    set({ panel: "comments" });
    say("This step is gone. Its comments are kept under Comments.");
  }
}

/** What Ctrl+K is told of comments. */
export function offerComments(): () => void {
  const offer = (event: Event) => {
    const { found, search } = (event as CustomEvent<Offer>).detail;
    if (!search || !"comments on steps".includes(search.toLowerCase())) return;
    found.push({
      name: "Comments",
      about: "Comments on the steps",
      run: () => set({ view: "canvas", panel: "comments" }),
    });
  };
  document.addEventListener("handoff:find", offer);
  return () => document.removeEventListener("handoff:find", offer);
}

interface Offer {
  search: string;
  found: { name: string; about: string; run: () => void }[];
}
