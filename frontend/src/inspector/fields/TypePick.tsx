import { found } from "../../add/Palette";
import { useBuilder } from "../../store";
import type { Ids } from "./Frame";

interface Props {
  ids: Ids;
  value: string;
  onChange: (type: string) => void;
  autoFocus?: boolean;
}

/** A choice of one step type, by group. */
export function TypePick({ ids, value, onChange, autoFocus }: Props) {
  const catalogue = useBuilder((now) => now.catalogue);
  return (
    <select
      id={ids.id}
      autoFocus={autoFocus}
      aria-labelledby={ids.labelId}
      aria-describedby={ids.describedBy}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {!Object.hasOwn(catalogue, value) && <option value={value}>{value || "Choose…"}</option>}
      {found(catalogue, "").map(([group, types]) => (
        <optgroup key={group} label={group}>
          {types.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
