// Working calendars are chosen by their names among those that there are.
import assert from "node:assert/strict";
import test from "node:test";
import { open, until } from "./island.mjs";
import { load } from "./load.mjs";

const [{ calendarWords }] = await load("model/calendars.ts");
const BERLIN = {
  name: "berlin",
  timezone: "Europe/Berlin",
  region: "DE-BE",
  weekdays: [1, 2, 3, 4, 5],
  hours: { from: "09:00", to: "17:00" },
};

test("a calendar is said in a few words", () => {
  assert.equal(calendarWords(BERLIN), "Mon to Fri, 09:00 to 17:00, Europe/Berlin, holidays of DE-BE");
  const days = { ...BERLIN, region: "", weekdays: [7, 1, 2], hours: { from: "00:00", to: "24:00" } };
  assert.equal(calendarWords(days), "Mon, Tue, Sun, Europe/Berlin");
});

async function calendarField(definition, selection) {
  const island = await open(definition);
  island.server.calendars = [BERLIN, { ...BERLIN, name: "support", region: "" }];
  island.store.select(selection);
  const field = await until(() => {
    for (const fold of island.page.querySelectorAll(".inspector details:not([open])")) fold.open = true;
    return island.page.querySelector(".inspector input[list]");
  });
  field.focus();
  const names = async () => {
    await until(() => island.page.querySelectorAll(".inspector datalist option").length === 2);
    return [...island.page.querySelectorAll(".inspector datalist option")].map((each) => [
      each.value,
      each.textContent,
    ]);
  };
  return { ...island, field, names };
}

test("a wait in business days offers the calendars, and says what the chosen one is", async () => {
  const wait = { id: "wait", type: "wait", params: { duration: "2 business days" } };
  const { put, page, store, names } = await calendarField({ nodes: [wait] }, { nodes: ["wait"] });
  assert.deepEqual(await names(), [
    ["berlin", "Mon to Fri, 09:00 to 17:00, Europe/Berlin, holidays of DE-BE"],
    ["support", "Mon to Fri, 09:00 to 17:00, Europe/Berlin"],
  ]);
  put("support");
  await until(() => page.querySelector(".inspector input[list] ~ .help")?.textContent.includes("Mon to Fri"));
  assert.equal(store.state().doc.nodes.wait.params.calendar, "support");
});

test("so do timers beside a step, and the deadline of a run", async () => {
  const timer = { duration: "1 business day", to: "b" };
  const nodes = [
    { id: "a", type: "signal", params: { name: "go" }, boundary_timers: [timer] },
    { id: "b", type: "noop" },
  ];
  assert.equal((await (await calendarField({ nodes }, { nodes: ["a"] })).names()).length, 2);
  const ofRun = await calendarField({ nodes, sla_working_days: 2 }, {});
  assert.equal((await ofRun.names()).length, 2);
});
