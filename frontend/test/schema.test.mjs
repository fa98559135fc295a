// The fields of what a run is given: a name that nobody chose goes with the label, and what is undone stays undone.
import assert from "node:assert/strict";
import test from "node:test";
import { becomes, open, settled, until } from "./island.mjs";

/** A field that was just added, labelled and left. */
async function labelled() {
  const island = await open();
  const { page, store } = island;
  island.press("Escape");
  const add = await until(() =>
    [...page.querySelectorAll(".insp-schema button")].find((each) => each.textContent === "Add a field"),
  );
  add.click();
  await island.at(".insp-schema input");
  island.write("Sort of order");
  await settled(10);
  page.activeElement.blur();
  await until(() => page.querySelector(".insp-schema summary code").textContent === "sort_of_order");
  const fields = () => store.state().doc.settings.input_schema?.properties;
  /** As a mouse presses the button for it: what has the focus is left first. */
  const undo = async () => {
    page.activeElement?.blur();
    await settled(10);
    store.undo();
    await settled(10);
  };
  return { ...island, fields, undo };
}

test("a label and the name that goes with it are one act, and undone nobody does it again", async () => {
  const island = await labelled();
  await becomes(island.fields, { sort_of_order: { type: "string", title: "Sort of order" } });
  assert.equal(island.done().undo.length, 2);
  await island.undo();
  await becomes(island.fields, { field: { type: "string" } });
  await island.undo();
  await becomes(island.fields, undefined);
  assert.deepEqual([island.done().undo.length, island.done().redo.length], [0, 2]);
  await island.saved();
});

test("a row whose name is undone stays as it is, and takes the hands from nobody", async () => {
  const island = await labelled();
  const row = island.page.querySelector(".insp-schema details");
  row.open = false;
  row.dispatchEvent(new island.page.defaultView.Event("toggle"));
  await island.undo();
  assert.equal(island.page.querySelector(".insp-schema details"), row);
  assert.equal(row.open, false);
  assert.equal(island.page.activeElement, island.page.body);
  island.store.redo();
  await settled(10);
  assert.equal(island.page.querySelector(".insp-schema details"), row);
  assert.equal(island.page.activeElement, island.page.body);
});

test("who passes by a label changes no name", async () => {
  const properties = { field: { type: "string", title: "Sort of order" } };
  const island = await open({ input_schema: { type: "object", properties } });
  const label = await until(() => island.page.querySelector(".insp-schema input"));
  label.focus();
  await settled(10);
  label.blur();
  await settled(10);
  assert.deepEqual(island.done().undo, []);
  assert.deepEqual((await island.saved()).input_schema.properties, properties);
});
