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
  const lookAt = zoomable(card, view, board, frame);
  lookAt(0, aboveFirst(view));
  card.dataset.drawn = "";
}

/** How far the view is scrolled down when the first step, the topmost of the leftmost ones, is in sight. */
function aboveFirst(view: HTMLElement): number {
  const boxes = [...view.querySelectorAll(".picture-step")].map((step) => step.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.filter((box) => box.left < left + 1).map((box) => box.top));
  return boxes.length
    ? Math.max(0, view.scrollTop + top - view.getBoundingClientRect().top - view.clientHeight / 3)
    : 0;
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
