// What is masked and put back, checked against the vectors that the server's tests check, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { load, source } from "./load.mjs";

const vectors = JSON.parse(readFileSync(join(source, "../../tests/lib/masking_vectors.json"), "utf8"));
const [{ Unknown, isSecretName, masked, restored }] = await load("model/masking.ts");

test("names of secrets", () => {
  assert.deepEqual(vectors.secret.filter(isSecretName), vectors.secret);
  assert.deepEqual(vectors.plain.filter(isSecretName), []);
});

for (const { name, was, masked: expected } of vectors.values)
  test(`masked: ${name}`, () => {
    assert.deepEqual(masked(was), expected);
    assert.deepEqual(restored(masked(was), was), was);
  });

for (const { name, was, given, gives, unknown } of vectors.restored)
  test(`restored: ${name}`, () => {
    if (unknown === undefined) assert.deepEqual(restored(given, was), gives);
    else
      assert.throws(
        () => restored(given, was),
        (error) => error instanceof Unknown && error.message.startsWith(`${unknown} is`),
      );
  });
