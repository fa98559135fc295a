/** Who else has the draft open, and at which step: asked and told now and then. Saving needs none of it. */

import { ask } from "./api";
import type { Person } from "./model/people";
import type { Comment } from "./model/talk";
import { set, state, theOne, useBuilder, uuid } from "./store";

interface News {
  revision: number;
  comments: number;
  people: Person[];
}

const ANSWER_MS = 5000;
/** Somebody who goes through the steps is told of where they stay. */
const STAYS_MS = 400;
const MOST_PAGES = 10;
const tab = uuid();

/** Says that this tab is here and at which step; gives the revision that the server has, null where it says nothing. */
export async function stay(): Promise<number | null> {
  try {
    const news = await ask<News>(`${state().boot.urls.api}/presence`, {
      automatic: true,
      method: "POST",
      body: { tab, step: theOne() },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    if (JSON.stringify(news.people) !== JSON.stringify(state().people)) set({ people: news.people });
    if (news.comments !== state().commentsNumber) await readComments(news.comments);
    return news.revision;
  } catch {
    // Who can't be asked tells of nobody; whether anything is saved is told by saving.
    if (state().people.length) set({ people: [] });
    return null;
  }
}

/** Tells the others where one is as soon as one stays there, and that one leaves. */
export function startTogether(): () => void {
  let timer: number | undefined;
  const left = () =>
    void ask(`${state().boot.urls.api}/presence`, {
      automatic: true,
      method: "POST",
      body: { tab, left: true },
      outlives: true,
    }).catch(() => undefined);
  const end = useBuilder.subscribe((now, was) => {
    if (theOne(now) === theOne(was)) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void (document.visibilityState === "visible" && stay()), STAYS_MS);
  });
  window.addEventListener("pagehide", left);
  return () => {
    end();
    window.removeEventListener("pagehide", left);
  };
}

async function readComments(number: number): Promise<void> {
  const comments: Comment[] = [];
  let url: string | null = `${state().boot.urls.api}/comments?limit=200`;
  for (let page = 0; url && page < MOST_PAGES; page += 1) {
    const found: { results: Comment[]; next: string | null } = await ask(url, { automatic: true });
    comments.push(...found.results);
    url = found.next;
  }
  set({ comments, commentsNumber: number });
}
