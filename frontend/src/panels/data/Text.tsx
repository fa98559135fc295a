import { useMemo, useState } from "react";
import { pieces } from "../../model/data";
import type { Json } from "../../model/json";

const MOST = 20_000;

/** A value as JSON, from its beginning; what fits the search is marked. */
export function Text({ label, value, search }: { label: string; value: Json; search: string }) {
  const [most, setMost] = useState(MOST);
  const text = useMemo(() => JSON.stringify(value, null, 2), [value]);
  const parts = useMemo(() => pieces(text.slice(0, most), search), [text, most, search]);
  return (
    <>
      <pre tabIndex={0} role="region" aria-label={`${label} as JSON`}>
        {parts.map((part, at) => (part.isHit ? <mark key={at}>{part.text}</mark> : part.text))}
        {text.length > most && "…"}
      </pre>
      {text.length > most && (
        <button type="button" className="link data-none" onClick={() => setMost(most + 4 * MOST)}>
          Show more of {text.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}
