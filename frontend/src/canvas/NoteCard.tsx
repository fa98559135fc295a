import { NodeResizer, type NodeProps } from "@xyflow/react";
import { memo } from "react";
import { setting } from "../model/changes";
import { act, state, useBuilder } from "../store";
import type { GroupNode } from "./groups";
import type { NoteNode } from "./nodes";

const COLOURS = ["yellow", "blue", "green", "red"];

function setNote(id: string, field: string, value: string | number, merge?: string): void {
  const change = setting(state().doc, ["layout", "notes", id, field], value);
  if (change) act("Change a note", [change], { merge, stays: merge !== undefined });
}

/** A sticky note. */
export const NoteCard = memo(function NoteCard({ id, data, selected }: NodeProps<NoteNode>) {
  const mayWrite = useBuilder((now) => now.boot.may_write);
  return (
    <div className="note-card" data-colour={data.color}>
      <NodeResizer
        isVisible={selected && mayWrite}
        minWidth={120}
        minHeight={60}
        onResizeEnd={(_, box) => {
          const draft = ["x", "y", "w", "h"].map((field, at) =>
            setting(state().doc, ["layout", "notes", id, field], Math.round([box.x, box.y, box.width, box.height][at])),
          );
          act(
            "Resize a note",
            draft.filter((change) => change !== null),
          );
        }}
      />
      <textarea
        className="nodrag nowheel"
        aria-label="Note"
        placeholder="Write a note"
        value={data.text}
        readOnly={!mayWrite}
        onChange={(event) => setNote(id, "text", event.target.value, `note:${id}`)}
      />
      {selected && mayWrite && (
        <span className="note-colours nodrag">
          {COLOURS.map((colour) => (
            <button
              key={colour}
              type="button"
              data-colour={colour}
              aria-label={`Make it ${colour}`}
              aria-pressed={colour === data.color}
              onClick={() => setNote(id, "color", colour)}
            />
          ))}
        </span>
      )}
    </div>
  );
});

/** The frame around a group; its title moves all of it. */
export const GroupFrame = memo(function GroupFrame({ id, data }: NodeProps<GroupNode>) {
  const mayWrite = useBuilder((now) => now.boot.may_write);
  const key = id.slice("group:".length);
  return (
    <div className="group-frame">
      <div className="group-title">
        <input
          aria-label="Group name"
          className="nodrag"
          value={data.title}
          readOnly={!mayWrite}
          onChange={(event) => {
            const change = setting(state().doc, ["layout", "groups", key, "title"], event.target.value);
            if (change) act("Rename a group", [change], { merge: `group:${key}`, stays: true });
          }}
        />
        <small>{data.count} steps</small>
      </div>
    </div>
  );
});
