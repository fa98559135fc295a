// Layout and routes of large documents are found by a worker; without one here, as those of small ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const [{ keyed }, meanwhile, apart] = await load("model/document.ts", "canvas/meanwhile.ts", "canvas/apart.ts");

const chain = (count) => {
  const nodes = Array.from({ length: count }, (_, n) => ({ id: `n${n}`, type: "noop" }));
  const edges = nodes.slice(1).map(({ id }, n) => ({ from: `n${n}`, to: id }));
  return keyed({ nodes, edges }, {});
};

/** Does what a worker would, and notes what it was asked; `fails`: it can't. */
function workers(fails = false) {
  const asked = [];
  globalThis.Worker = class {
    constructor(address) {
      asked.push(address);
    }
    postMessage(data) {
      const copy = structuredClone(data);
      if (fails) this.onerror({ message: "no worker" });
      else this.onmessage({ data: structuredClone(apart.found(copy)) });
    }
    terminate() {
      asked.push("ended");
    }
  };
  return asked;
}

test("few steps are laid out at once, many by a worker that ends", async (t) => {
  const asked = workers();
  t.after(() => delete globalThis.Worker);
  const few = await meanwhile.laid(chain(3));
  assert.deepEqual([Object.keys(few), asked], [["n0", "n1", "n2"], []]);
  const many = chain(50);
  const places = await meanwhile.laid(many);
  assert.deepEqual(places, apart.found({ doc: many, only: [] }));
  assert.deepEqual(asked, [apart.address, "ended"]);
  const routes = await meanwhile.routed({ ...many, layout: { nodes: places } });
  assert.equal(routes.size, 49);
});

test("where a worker can't, the page does it", async (t) => {
  const asked = workers(true);
  t.after(() => delete globalThis.Worker);
  assert.equal(Object.keys(await meanwhile.laid(chain(50))).length, 50);
  assert.deepEqual(asked, [apart.address, "ended"]);
});
