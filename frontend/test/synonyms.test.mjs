// Step types are found by the words that people have for them, in the palette and by Ctrl+K.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";

const WORDS = {
  branch: "Decision",
  if: "Decision",
  switch: "Decision",
  email: "Send an e-mail",
  notify: "Send an e-mail",
  timer: "Wait",
  delay: "Wait",
  sleep: "Wait",
  code: "External job",
  approval: "Ask for an approval",
  "sign-off": "Ask for an approval",
  webhook: "HTTP request",
  http: "HTTP request",
  api: "HTTP request",
  loop: "Repeat",
  "for each": "For each item",
  split: "Parallel paths",
  merge: "Join paths",
};

test("the palette and Ctrl+K know the words that people have", async () => {
  const island = await open({ nodes: [{ id: "a", type: "noop" }] });
  const asked = (search) => {
    const found = [];
    const { CustomEvent } = island.page.defaultView;
    island.page.dispatchEvent(new CustomEvent("handoff:find", { detail: { search, found } }));
    return found;
  };
  await until(() => asked("wait").length);
  for (const [word, title] of Object.entries(WORDS)) {
    const names = asked(word).map((each) => each.name);
    assert.ok(names.includes(`Add: ${title}`), `${word}: ${names}`);
  }
  assert.deepEqual(
    asked("until")
      .slice(0, 2)
      .map((each) => each.name),
    ["Add: Repeat", "Add: Wait"],
  );
  asked("sleep")[0].run();
  await until(() => Object.values(island.store.state().doc.nodes).some((node) => node.type === "wait"));
});
