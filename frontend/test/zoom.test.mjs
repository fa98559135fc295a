// Where a picture lies in its view when the page comes: a view that has room below the picture, for the buttons.
import assert from "node:assert/strict";
import test from "node:test";
import { Window } from "happy-dom";
import { load } from "./load.mjs";

const [{ zoomable }] = await load("picture/zoom.ts");
const ROOM = 48;
const MOST = 500;

/** A picture of this size in a view that lays it out and scrolls as a browser does. */
function shown(width, height) {
  const { document } = new Window();
  globalThis.ResizeObserver = class {
    observe() {}
  };
  const [card, view, board] = ["section", "div", "div"].map((name) => document.createElement(name));
  const high = () => Math.min(parseFloat(view.style.height), MOST);
  const scale = () => Number(board.style.zoom);
  const at = { left: 0, top: 0 };
  const put = (left, top) => {
    at.left = Math.max(0, Math.min(left, width * scale() - 1100));
    at.top = Math.max(0, Math.min(top, height * scale() + ROOM - high()));
  };
  Object.defineProperties(view, {
    clientWidth: { get: () => 1100 },
    clientHeight: { get: high },
    scrollLeft: { get: () => at.left, set: (left) => put(left, at.top) },
    scrollTop: { get: () => at.top, set: (top) => put(at.left, top) },
    scrollTo: { value: put },
  });
  const lookAt = zoomable(card, view, board, { x: 0, y: 0, width, height }, 0.6);
  return { at, scale, lookAt };
}

test("a picture that there is room for lies at the top of it", () => {
  const { at, scale, lookAt } = shown(700, 246);
  assert.deepEqual([scale(), at], [1, { left: 0, top: 0 }]);
  lookAt(0, 30);
  assert.deepEqual(at, { left: 0, top: 0 }, "what is looked at is in sight already");
});

test("of one that is too high the middle is shown, and no more of the room than what is looked at needs", () => {
  const { at, scale, lookAt } = shown(700, 1500);
  assert.deepEqual([scale(), at.top], [0.6, 200]);
  lookAt(0, 350);
  assert.equal(at.top, 350);
  lookAt(0, 600);
  assert.equal(at.top, 400);
});
