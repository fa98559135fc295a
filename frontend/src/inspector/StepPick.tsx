import { titleOf } from "../model/graph";
import { useBuilder } from "../store";
import type { Ids } from "./fields/Frame";

interface Props {
  ids: Ids;
  value: string;
  /** Why a step can't be chosen; null where it can. */
  whyNot: (id: string) => string | null;
  onChange: (id: string) => void;
}

/** A choice of one step. Those that can't be chosen say why. */
export function StepPick({ ids, value, whyNot, onChange }: Props) {
  const doc = useBuilder((now) => now.doc);
  const steps = Object.keys(doc.nodes).map((id) => ({ id, why: id === value ? null : whyNot(id) }));
  const good = steps.filter((step) => step.why === null);
  const bad = steps.filter((step) => step.why !== null);
  return (
    <select
      id={ids.id}
      aria-labelledby={ids.labelId}
      aria-describedby={ids.describedBy}
      aria-invalid={ids.isInvalid || undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {!Object.hasOwn(doc.nodes, value) && <option value={value}>{value ? `${value} (missing)` : "Choose…"}</option>}
      {good.map(({ id }) => (
        <option key={id} value={id}>
          {titleOf(doc, id)}
        </option>
      ))}
      {bad.length > 0 && (
        <optgroup label="Not available">
          {bad.map(({ id, why }) => (
            <option key={id} value={id} disabled>
              {titleOf(doc, id)}: {why}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}
