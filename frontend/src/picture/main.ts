/** The picture on the page of a workflow: drawn from what the page tells, fitted, to be zoomed and scrolled. */

import { allPlaced } from "../canvas/layout";
import { keyed } from "../model/document";
import { knowTypes } from "../model/graph";
import { type PictureSource, drawn } from "./drawn";
import { zoomable } from "./zoom";
import "../style/colours.css";
import "../style/picture.css";

async function show(card: HTMLElement, source: PictureSource): Promise<void> {
  knowTypes(Object.entries(source.faces).map(([name, face]) => ({ name, title: face.title })));
  const { doc } = await allPlaced(keyed(source.definition, source.layout));
  const { board, frame } = await drawn(doc, source.faces, source.sprite);
  const view = card.querySelector<HTMLElement>("[data-view]");
  if (!view) return;
  view.replaceChildren(board);
  zoomable(card, view, board, frame);
  card.dataset.drawn = "";
}

const card = document.querySelector<HTMLElement>("[data-picture]");
const source = document.getElementById("picture-told")?.textContent;
if (card && source) {
  // The picture says no more than the words below it: where it can't be drawn, they are shown.
  show(card, JSON.parse(source) as PictureSource).catch((fault: unknown) => {
    for (const part of card.querySelectorAll(".picture, .picture-zoom")) part.remove();
    card.querySelector("details")?.setAttribute("open", "");
    throw fault;
  });
}
