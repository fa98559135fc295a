import { Icon } from "../../Icon";
import { Tool } from "../../inspector/fields/Frame";
import { insertInto, useField } from "../../inspector/expression/target";
import { shown } from "../asked";
import type { Json } from "../../model/json";
import { say, useBuilder } from "../../store";
import type { Root } from "./Value";

/** Puts a text into the clipboard, and says whether it is there. */
export async function copied(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    say("The browser doesn't allow copying here.", "bad");
  }
}

/** A value as one copies it: a text as it is, all else as JSON. */
export function plain(value: Json): string {
  return typeof value === "string" ? value : value === null ? "null" : shown(value);
}

/** What can be done with the value that is chosen: copy it or its path, put it into a field. */
export function Bar({ root, path, value, said }: { root: Root | null; path: string; value: Json; said: string }) {
  const field = useField((now) => now.field);
  const mayWrite = useBuilder((now) => now.boot.may_write);
  return (
    <div className="data-bar">
      <code title={path}>
        <bdi>{path || "(all)"}</bdi>
      </code>
      <Tool icon="copy" label={`Copy the value: ${said}`} onClick={() => void copied(plain(value), "the value")} />
      {path && <Tool icon="link" label={`Copy the path: ${path}`} onClick={() => void copied(path, path)} />}
      {root && mayWrite && (
        <button
          type="button"
          className="button ghost small"
          disabled={!field}
          title={field ? undefined : "Choose a field of a step first, or drag a value there"}
          onClick={() => field && insertInto(field, { ...root, path })}
        >
          <Icon name="corner-down-right" />
          Insert
          <span className="sr-only">{field ? ` into ${field.label}` : " into a field"}</span>
          {field && (
            <span className="data-into" aria-hidden="true">
              into {field.label}
            </span>
          )}
        </button>
      )}
    </div>
  );
}
