// What a test run skips, checked against the vectors that the server's tests check, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { load, source } from "./load.mjs";

const told = (name) => JSON.parse(readFileSync(join(source, "../../tests/workflows", name), "utf8"));
const [{ keyed }, { shares }] = await load("model/document.ts", "model/trials.ts");
const catalogue = Object.fromEntries(told("palette.json").step_types.map((type) => [type.name, type]));

for (const { name, nodes, ...expected } of told("trial_vectors.json")) {
  test(name, () => {
    const found = [...shares(catalogue, keyed({ nodes, edges: [] }, {}))];
    const of = (wanted) => found.filter(([, share]) => share === wanted).map(([id]) => id);
    assert.deepEqual({ effects: of("effects"), waits: of("waits"), sent: of("sent") }, expected);
  });
}
