/** Asking the server while somebody types: a moment after the last letter, and only what was asked last counts. */

import { useEffect, useState } from "react";

interface How {
  /** How long to wait; by whether there is an answer already. */
  wait: (isAnswered: boolean) => number;
  /** The last answer stays until there is another one: a question that fails, or is not asked, takes nothing away. */
  keeps?: boolean;
}

/** The answer to a question that is asked again when what it is about is another one; null while nobody knows. */
export function useAnswer<T>(
  question: ((signal: AbortSignal) => Promise<T | null>) | null,
  about: unknown[],
  { wait, keeps = false }: How,
): T | null {
  const [answer, setAnswer] = useState<T | null>(null);
  useEffect(() => {
    if (question === null) {
      if (!keeps) setAnswer(null);
      return undefined;
    }
    const stop = new AbortController();
    const take = (found: T | null) => {
      // A later question has taken the place of one that was given up.
      if (!stop.signal.aborted && (found !== null || !keeps)) setAnswer(found);
    };
    const timer = window.setTimeout(
      () =>
        question(stop.signal).then(take, () => {
          take(null);
        }),
      wait(answer !== null),
    );
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [question === null, ...about]);
  return answer;
}
