import { useMemo, useRef } from "react";
import { type Groups, SearchDialog } from "../../SearchDialog";
import { short } from "../schema";
import { type Scope, type ScopePlace, sampleWords, useScope } from "./scope";

interface Option {
  group: string;
  insert: string;
  name: string;
  detail: string;
  sample: string;
  isSure: boolean;
}

function optionsOf(scope: Scope | null, withFunctions: boolean): Option[] {
  if (!scope) return [];
  const values = scope.entries.map((entry) => ({
    group: entry.from,
    insert: entry.path,
    name: entry.title ? `${entry.title} · ${entry.path}` : entry.path,
    detail: entry.type,
    sample: entry.sample === undefined ? "" : short(entry.sample, 80),
    isSure: entry.always,
  }));
  if (!withFunctions) return values;
  return [
    ...values,
    ...scope.functions.map(({ name, signature, help, example }) => ({
      group: "Functions",
      insert: example || `${name}()`,
      name: signature || name,
      detail: "",
      sample: help,
      isSure: true,
    })),
  ];
}

interface Props {
  place: ScopePlace;
  title: string;
  withFunctions?: boolean;
  onPick: (path: string) => void;
  onClose: () => void;
}

/** A list of what can be read, to search in and choose from: for who does not type expressions. */
export function Pick({ place, title, withFunctions = false, onPick, onClose }: Props) {
  const scope = useScope(place, true);
  const picked = useRef(false);
  const all = useMemo(() => optionsOf(scope, withFunctions), [scope, withFunctions]);
  const find = (search: string): Groups<Option> => {
    const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = new Map<string, Option[]>();
    for (const option of all) {
      const text = `${option.group} ${option.name} ${option.sample}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) continue;
      groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
    }
    return [...groups];
  };
  const take = (option: Option, close: () => void) => {
    picked.current = true;
    close();
    onPick(option.insert);
  };
  return (
    <SearchDialog
      className="pick-dialog"
      title={title}
      label={`${title}: search`}
      icon="search"
      list="Available values"
      find={find}
      keyOf={(option) => option.insert}
      show={(option) => (
        <span>
          <strong>{option.name}</strong>{" "}
          <small className="pick-type">
            {option.detail}
            {!option.isSure && ", may be missing"}
          </small>
          {option.sample && <small>{option.sample}</small>}
        </span>
      )}
      none={scope ? "No matching values." : "Loading…"}
      verb="insert"
      foot={scope?.sample && <span>· values {sampleWords(scope.sample)}</span>}
      take={take}
      onClose={() => !picked.current && onClose()}
    />
  );
}
