// The rules of changes, checked against the vectors that the server's tests check, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { load, source } from "./load.mjs";

const vectors = JSON.parse(readFileSync(join(source, "../../tests/workflows/change_vectors.json"), "utf8"));
const [{ apply, inverses, diff }] = await load("model/changes.ts");

for (const { name, before, changes, after, undone = before } of vectors) {
  test(name, () => {
    const made = apply(before, changes);
    assert.deepEqual(ordered(made), ordered(after));
    if (after === null) return;
    assert.deepEqual(ordered(apply(made, diff(made, before))), ordered(before), "a difference leads back");
    assert.deepEqual(ordered(apply(made, inverses(changes))), ordered(undone), "an undo leads back");
  });
}

/** The order of nodes and edges counts, that of other keys does not. */
function ordered(doc) {
  return doc && { ...doc, nodes: Object.entries(doc.nodes), edges: Object.entries(doc.edges) };
}
