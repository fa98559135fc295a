// When people are reminded, and when others are asked in their place: times in words, as their form builds them.
import assert from "node:assert/strict";
import test from "node:test";
import { hands } from "./hands.mjs";
import { open, until } from "./island.mjs";

test("times of reminders and escalation are set in words", async () => {
  const ask = { id: "ask", type: "human.approval", params: { title: "Ship it?", due_seconds: 86_400 } };
  const island = await open({ nodes: [ask] });
  const hand = hands(island);
  const params = async () => (await island.saved()).nodes[0].params;
  await hand.select("ask");
  await hand.press("Add one to Reminders");
  await hand.press("Add another to Reminders");
  assert.equal((await hand.field("Reminders, 2")).value, "2");
  await hand.amount("Reminders, 2", "36", "hours");
  assert.deepEqual((await params()).reminders, [86_400, 129_600]);
  await hand.press("Remove Reminders, 1");
  assert.deepEqual((await params()).reminders, [129_600]);
  await hand.press("Remove Reminders, 1");
  assert.ok(!("reminders" in (await params())));

  await hand.press("Add one to Escalation");
  await hand.amount("After", "2", "days");
  await until(() =>
    [...island.page.querySelectorAll(".inspector summary")].some((each) => each.textContent.includes("after 2 days")),
  );
  await hand.tick("Operator");
  assert.deepEqual((await params()).escalation, [{ after_seconds: 172_800, roles: ["operator"] }]);
});
