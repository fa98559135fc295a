/** A definition as a picture that only shows: the cards, lines, notes and frames of the canvas, as elements of the page. */

import { routed } from "../canvas/meanwhile";
import { around as containersOf, holdsSteps } from "../model/bodies";
import { type Box, boxOf } from "../model/boxes";
import { apply } from "../model/changes";
import type { Doc, Place } from "../model/document";
import { opened } from "../model/folding";
import { type Arrow, arrows, cardLines } from "../model/graph";
import { type JsonObject, own } from "../model/json";
import { type Route, pathOf } from "../model/routes";
import { wayWords } from "../model/words";
import { wayKind } from "../model/ways";

export interface Face {
  title: string;
  icon: string;
  group: string;
}

/** What a page says of what is to be drawn. */
export interface PictureSource {
  definition: JsonObject;
  layout: JsonObject;
  faces: Record<string, Face>;
  sprite: string;
}

/** How large the picture is, and where its upper left corner lies on the canvas. */
export interface Frame extends Place {
  width: number;
  height: number;
}

const ROOM = 32;
const FRAME = 24;
const FRAME_HEAD = 32;
const SVG = "http://www.w3.org/2000/svg";

/** The picture of a document whose steps all have a place. */
export async function drawn(
  given: Doc,
  faces: Record<string, Face>,
  sprite: string,
): Promise<{ board: HTMLElement; frame: Frame }> {
  // Nobody can open anything in a picture: all of it is shown.
  const doc = apply(given, opened(given, Object.keys(given.layout.collapsed ?? {}))) ?? given;
  const all = arrows(doc);
  const found = await routed(doc);
  const groups = frames(doc);
  const notes = Object.values(doc.layout.notes ?? {});
  const frame = around([
    ...Object.keys(doc.nodes).map((id) => boxOf(doc, id)),
    ...groups,
    ...notes,
    ...[...found.values()].flatMap((route) => route.points.map((point) => ({ ...point, w: 0, h: 0 }))),
  ]);
  const at = (element: HTMLElement, box: Box) => placed(element, { ...box, x: box.x - frame.x, y: box.y - frame.y });
  const board = made("div", "picture-board");
  for (const group of groups) board.append(at(made("div", "picture-group", group.title), group));
  for (const note of notes) {
    const card = at(made("p", "picture-note", note.text), note);
    card.dataset.colour = note.color;
    board.append(card);
  }
  // What holds others lies below the lines between those.
  const isHolding = (id: string) => holdsSteps(doc.nodes[id]);
  const ids = Object.keys(doc.nodes).toSorted(
    (one, other) => containersOf(doc, one).length - containersOf(doc, other).length,
  );
  const step = (id: string) => at(card(doc, id, own(faces, doc.nodes[id].type), sprite), boxOf(doc, id));
  board.append(...ids.filter(isHolding).map(step), lines(doc, all, found, frame));
  for (const arrow of all) {
    const words = wayWords(doc, arrow);
    const route = found.get(arrow.key);
    if (words && route) board.append(label(words, wayKind(doc, arrow), route, frame));
  }
  board.append(...ids.filter((id) => !isHolding(id)).map(step));
  board.style.width = `${frame.width}px`;
  board.style.height = `${frame.height}px`;
  return { board, frame };
}

function made(name: string, className: string, text = ""): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

function placed(element: HTMLElement, { x, y, w, h }: Box): HTMLElement {
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
  return element;
}

function around(boxes: Box[]): Frame {
  const [left, top, right, bottom] = boxes.reduce(
    ([l, t, r, b], { x, y, w, h }) => [Math.min(l, x), Math.min(t, y), Math.max(r, x + w), Math.max(b, y + h)],
    [Infinity, Infinity, -Infinity, -Infinity],
  );
  return { x: left - ROOM, y: top - ROOM, width: right - left + 2 * ROOM, height: bottom - top + 2 * ROOM };
}

function frames(doc: Doc): (Box & { title: string })[] {
  return Object.values(doc.layout.groups ?? {}).flatMap(({ title, nodes }) => {
    const inside = nodes.filter((id) => Object.hasOwn(doc.nodes, id)).map((id) => boxOf(doc, id));
    if (inside.length === 0) return [];
    const { x, y, width, height } = around(inside);
    const less = ROOM - FRAME;
    return [{ title, x: x + less, y: y + less - FRAME_HEAD, w: width - 2 * less, h: height - 2 * less + FRAME_HEAD }];
  });
}

function icon(name: string, sprite: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.append(use);
  return svg;
}

function card(doc: Doc, id: string, face: Face | undefined, sprite: string): HTMLElement {
  const card = made("div", `picture-step ${holdsSteps(doc.nodes[id]) ? "holds-steps" : ""}`);
  card.dataset.node = id;
  card.dataset.group = face?.group ?? "unknown";
  const mark = made("span", "picture-icon");
  mark.append(icon(face?.icon ?? "circle-help", sprite));
  const words = made("span", "picture-words");
  const [title, caption] = cardLines(doc, id);
  words.append(made("strong", "", title), made("small", "", caption));
  card.title = `${title}: ${caption}`;
  card.append(mark, words);
  // What the server found out with `engine/ports.py`.
  const { ends } = doc.nodes[id];
  if (typeof ends === "string" && ends) card.append(made("span", "picture-ends", ends));
  return card;
}

function label(words: string, kind: string, route: Route, frame: Frame): HTMLElement {
  const { x, y, width } = route.label;
  const label = made("span", `picture-label ${kind}`, words);
  Object.assign(label.style, { left: `${x - frame.x}px`, top: `${y - frame.y}px`, maxWidth: `${width}px` });
  label.title = words;
  return label;
}

function lines(doc: Doc, all: Arrow[], found: Map<string, Route>, frame: Frame): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "picture-lines");
  svg.setAttribute("viewBox", `${frame.x} ${frame.y} ${frame.width} ${frame.height}`);
  for (const arrow of all) {
    const route = found.get(arrow.key);
    if (!route) continue;
    const line = document.createElementNS(SVG, "path");
    line.setAttribute("class", `picture-line ${wayKind(doc, arrow)}`);
    line.setAttribute("d", pathOf(route.points));
    const { x, y } = route.points[route.points.length - 1];
    const head = document.createElementNS(SVG, "path");
    head.setAttribute("class", `picture-head ${wayKind(doc, arrow)}`);
    for (const each of [line, head]) Object.assign(each.dataset, { from: arrow.from, to: arrow.to });
    head.setAttribute("d", `M${x - 8},${y - 5} L${x},${y} L${x - 8},${y + 5} Z`);
    svg.append(line, head);
  }
  return svg;
}
