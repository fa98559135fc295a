/**
 * The graph of a run: the canvas, to look at. The page has the steps as a list, in the order of the work and kept up to date
 * by the server; here each gets its place, and the ways between them are drawn and marked as taken or not.
 */

import { allPlaced } from "../canvas/layout";
import { keyed } from "../model/document";
import { knowTypes } from "../model/graph";
import { type Frame, type PictureSource, drawn } from "../picture/drawn";
import { zoomable } from "../picture/zoom";
import { draggable } from "./drag";
import { markWays, putSteps, takeSpots } from "./steps";
import "../style/colours.css";
import "../style/picture.css";

const READABLE = 0.6;
/** What somebody looks for first where the graph is larger than its place. */
const FIRST = ["[aria-current]", "[data-failed]", "[data-status=RUNNING], [data-status=WAITING]"];

const part = <E extends HTMLElement>(id: string) => document.getElementById(id) as E | null;

async function show(source: PictureSource): Promise<void> {
  knowTypes(Object.entries(source.faces).map(([name, face]) => ({ name, title: face.title })));
  const { doc } = await allPlaced(keyed(source.definition, source.layout));
  const picture = await drawn(doc, source.faces, source.sprite);
  // By now they may look at the run in another way.
  const [card, view, board, behind] = ["graph", "graph-view", "graph-board", "graph-drawn"].map((id) => part(id));
  if (!card || !view || !board || !behind) return;
  const spots = takeSpots(card, picture.board);
  behind.replaceChildren(picture.board);
  const frame: Frame = { ...picture.frame };
  frame.height += putSteps(card, spots, frame);
  Object.assign(board.style, { width: `${frame.width}px`, height: `${frame.height}px` });
  card.dataset.drawn = "";
  markWays(card);
  const lookAt = zoomable(card, view, board, frame, READABLE);
  draggable(view);
  // It is in sight when the page comes.
  const first = FIRST.map((one) => card.querySelector(one)).find((one) => one !== null);
  if (first) lookAt(...middleOf(view, first));
  // The server has put the list right: steps that are new get a place, and ways what became of them.
  document.body.addEventListener("htmx:afterSwap", () => {
    putSteps(card, spots, picture.frame);
    markWays(card);
  });
}

/** How far the view is scrolled when the step is in the middle of it. */
function middleOf(view: HTMLElement, step: Element): [left: number, top: number] {
  const [around, own] = [view.getBoundingClientRect(), step.getBoundingClientRect()];
  return [
    view.scrollLeft + own.left + own.width / 2 - around.left - view.clientWidth / 2,
    view.scrollTop + own.top + own.height / 2 - around.top - view.clientHeight / 2,
  ];
}

const source = part("graph-told")?.textContent;
// Where it can't be drawn the list stays, which says the same.
if (source)
  show(JSON.parse(source) as PictureSource).catch((fault: unknown) => {
    part("graph-drawn")?.replaceChildren();
    delete part("graph")?.dataset.drawn;
    throw fault;
  });
