import { useState } from "react";
import { Icon } from "../../Icon";
import type { Json } from "../../model/json";
import { isObject } from "../../model/json";
import { secondsInWords } from "../../model/words";
import { anyShape, itemsOf, shapesOf, short } from "../schema";
import { Tool } from "./Frame";
import { MoveTools, movedBy, useFollowed } from "./Moving";
import { Unknown } from "./Unknown";
import { Valued } from "./Valued";
import type { ControlProps } from "./simple";

/** A list of objects, each a small form. Where a text may stand for one, it does as long as it is enough. */
export function RowsControl({ spot, shape }: ControlProps) {
  const kinds = itemsOf(shape);
  const object = kinds.find((each) => isObject(each.properties));
  const takesText = kinds.some((each) => each.type === "string");
  const shapes = object ? shapesOf(object, shape.root) : [];
  const first = shapes.find((each) => each.isRequired) ?? shapes[0];
  const values = Array.isArray(spot.value) ? spot.value : [];
  const [opened, setOpened] = useState<number | null>(null);
  const put = (next: Json[]) => spot.set(next.length ? next : undefined);
  const add = () => {
    setOpened(values.length);
    put([...values, takesText ? "" : {}]);
  };
  const [list, follow] = useFollowed<HTMLOListElement>();
  const move = (from: number, by: -1 | 1) => {
    put(movedBy(values, from, by));
    follow(from + by, by);
  };
  return (
    <>
      <ol className="insp-rows" ref={list}>
        {values.map((value, place) => {
          const own = spot.item(place);
          const says = isObject(value) ? (value[first?.name ?? ""] ?? value.name) : value;
          const name =
            (first?.widget === "seconds" && typeof says === "number" ? `after ${secondsInWords(says)}` : short(says)) ||
            `Row ${place + 1}`;
          const tools = (
            <span className="row-tools">
              <MoveTools name={name} place={place} count={values.length} onMove={(by) => move(place, by)} />
              <Tool
                icon="trash-2"
                label={`Remove ${name}`}
                onClick={() => put(values.filter((_, at) => at !== place))}
              />
            </span>
          );
          if (takesText && typeof value === "string") {
            return (
              <li key={place}>
                <Valued
                  spot={own}
                  shape={{ ...anyShape("row", `${shape.title}, ${place + 1}`, "", "text"), isRequired: true }}
                  isBare
                  keepsEmpty
                />
                <div className="row-foot">
                  {first && (
                    <button
                      type="button"
                      className="button ghost small"
                      onClick={() => own.set({ [first.name]: value })}
                    >
                      <Icon name="plus" />
                      More options
                    </button>
                  )}
                  {tools}
                </div>
              </li>
            );
          }
          return (
            <li key={place}>
              <details open={opened === place || values.length === 1 || undefined}>
                <summary>
                  <span>{name}</span>
                </summary>
                {isObject(value) && shapes.length ? (
                  <>
                    {shapes.map((each) => (
                      <Valued key={each.name} spot={own.at(each.name, each.title)} shape={each} />
                    ))}
                    <Unknown spot={own} known={shapes.map((each) => each.name)} isOpen={false} />
                  </>
                ) : (
                  <Valued spot={own} shape={anyShape("row", `${shape.title}, ${place + 1}`)} isBare />
                )}
              </details>
              <div className="row-foot">{tools}</div>
            </li>
          );
        })}
      </ol>
      <button type="button" className="button ghost small" onClick={add}>
        <Icon name="plus" />
        Add {values.length ? "another" : "one"}
        <span className="sr-only"> to {shape.title}</span>
      </button>
    </>
  );
}
