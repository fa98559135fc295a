// What is seen of a workflow when the builder opens.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ beginning }, { WIDTH, HEIGHT }] = await load("canvas/opening.ts", "model/boxes.ts");
const ROOM = { width: 800, height: 500 };
const at = (x, y) => ({ x, y, w: WIDTH, h: HEIGHT });
const row = (count, by = 300) => Array.from({ length: count }, (_, place) => at(100 + place * by, 50));
const open = (places, room = ROOM) => beginning(places, room, 0.18, 0.6);

test("what fits at a size that can be read is fitted, and so is what nobody has room for yet", () => {
  assert.equal(open(row(3)), null);
  assert.equal(open([]), null);
  assert.equal(open(row(40), { width: 0, height: 0 }), null);
});

test("of a long workflow the beginning is seen, at its middle", () => {
  const { x, y, zoom } = open(row(12));
  assert.deepEqual([x + 100 * zoom, zoom], [40, 0.6]);
  assert.equal(Math.round(y + (50 + HEIGHT / 2) * zoom), 250);
});

test("of one that is too high as well the first step is in sight, a third from the top", () => {
  const places = [...row(12), at(400, -3000), at(400, 900)];
  const { y, zoom } = open(places);
  assert.equal(Math.round(y + (50 + HEIGHT / 2) * zoom), 167);
  const flat = [...row(12), at(400, -250)];
  const all = open(flat);
  assert.equal(Math.round(all.y + ((-250 + 50 + HEIGHT) / 2) * all.zoom), 250);
});
