// Bodies as entries of a document, checked against the vectors that the server's tests check, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { load, source } from "./load.mjs";

const vectors = JSON.parse(readFileSync(join(source, "../../tests/workflows/body_vectors.json"), "utf8"));
const [{ definitionOf, keyed }] = await load("model/document.ts");

for (const { name, definition, document, folds_only: foldsOnly } of vectors) {
  test(name, () => {
    const doc = { ...document, settings: {}, layout: {} };
    assert.deepEqual(definitionOf(doc), definition);
    if (foldsOnly) return;
    const made = keyed(definition, {});
    assert.deepEqual(made, doc);
    for (const root of ["nodes", "edges"]) assert.deepEqual(Object.keys(made[root]), Object.keys(doc[root]));
  });
}
