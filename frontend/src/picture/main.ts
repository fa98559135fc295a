/** The picture on the page of a workflow: drawn from what the page tells, fitted, to be zoomed and scrolled. */

import { allPlaced } from "../canvas/layout";
import { keyed } from "../model/document";
import { knowTypes } from "../model/graph";
import type { JsonObject } from "../model/json";
import { type Face, drawn } from "./drawn";
import { zoomable } from "./zoom";
import "../style/colours.css";
import "../style/picture.css";

interface Told {
  definition: JsonObject;
  layout: JsonObject;
  faces: Record<string, Face>;
  sprite: string;
}

async function show(card: HTMLElement, told: Told): Promise<void> {
  knowTypes(Object.entries(told.faces).map(([name, face]) => ({ name, title: face.title })));
  const { doc } = await allPlaced(keyed(told.definition, told.layout));
  const { board, frame } = await drawn(doc, told.faces, told.sprite);
  const view = card.querySelector<HTMLElement>("[data-view]");
  if (!view) return;
  view.replaceChildren(board);
  zoomable(card, view, board, frame);
  card.dataset.drawn = "";
}

const card = document.querySelector<HTMLElement>("[data-picture]");
const told = document.getElementById("picture-told")?.textContent;
if (card && told) {
  // The picture says no more than the words below it: where it can't be drawn, they are shown.
  show(card, JSON.parse(told) as Told).catch((fault: unknown) => {
    for (const part of card.querySelectorAll(".picture, .picture-zoom")) part.remove();
    card.querySelector("details")?.setAttribute("open", "");
    throw fault;
  });
}
