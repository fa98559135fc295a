// People and groups are offered by their names in the fields that say who decides.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";

async function field(label) {
  const island = await open({
    nodes: [{ id: "ask", type: "human.approval", params: { title: "A", candidates: { users: [""], groups: [""] } } }],
  });
  island.server.members = [{ username: "eve", name: "Eve Sato" }];
  island.server.groups = [{ name: "Finance", members: ["eve", "bob"] }];
  island.store.select({ nodes: ["ask"] });
  const input = await until(() => {
    for (const fold of island.page.querySelectorAll(".inspector details:not([open])")) fold.open = true;
    return island.page.querySelector(`.inspector input[aria-label="${label}, 1"]`);
  });
  input.focus();
  const list = () => input.ownerDocument.getElementById(input.getAttribute("list"));
  await until(() => list()?.querySelector("option"));
  return [...list().querySelectorAll("option")].map((each) => [each.value, each.textContent]);
}

test("people are offered by username and name", async () => {
  assert.deepEqual(await field("People"), [["eve", "Eve Sato"]]);
});

test("groups are offered with the number of their members", async () => {
  assert.deepEqual(await field("Groups"), [["Finance", "2 members"]]);
});
