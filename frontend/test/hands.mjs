// Fills in the forms of the inspector by what their fields are called, from top to bottom.
import { settled, until } from "./island.mjs";

const plain = (text) =>
  text
    .replace(/\s+/g, " ")
    .replace(/\*? ?\(required\)$/, "")
    .trim();

export function hands({ page, store }) {
  const pane = () => page.querySelector(".inspector");
  const nameOf = (field) => {
    const label = field.id && page.querySelector(`label[for="${field.id}"]`);
    const named = (field.getAttribute("aria-labelledby") ?? "")
      .split(" ")
      .map((id) => page.getElementById(id)?.textContent);
    return plain(field.getAttribute("aria-label") ?? label?.textContent ?? named.filter(Boolean).join(" "));
  };
  const all = (selector) => [...pane().querySelectorAll(selector)];
  /** The last one that is called so, as a form goes on below what was done before. */
  const last = (selector, isIt, name) =>
    until(() => {
      const found = all(selector).filter(isIt).at(-1);
      if (!found) throw new Error(`There is no ${name} among ${all(selector).map(nameOf)}`);
      return found;
    });
  const field = (label) => last("input, textarea", (each) => nameOf(each) === label, label);

  const give = async (element, value, name) => {
    const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value").set;
    setter.call(element, value);
    element.dispatchEvent(new page.defaultView.Event(name, { bubbles: true }));
    await settled(0);
  };
  const text = async (label, value) => {
    const element = await field(label);
    element.focus();
    await give(element, value, "input");
  };
  const choose = async (select, option) => {
    const found = await until(() => [...select.options].find((each) => plain(each.textContent) === option));
    await give(select, found.value, "change");
  };
  const pick = async (label, option) => choose(await last("select", (each) => nameOf(each) === label, label), option);
  const press = async (label) => {
    const isIt = (each) => (each.getAttribute("aria-label") ?? plain(each.textContent)).includes(label);
    const button = await last("button", isIt, label);
    button.focus();
    button.click();
    await settled(0);
  };
  const tick = async (label) => {
    const box = await last("label.check", (each) => each.textContent.includes(label), label);
    box.querySelector("input").click();
    await settled(0);
  };
  const unfold = async (title) => {
    const section = (await last(".insp-section > summary", (each) => each.textContent.includes(title), title))
      .parentElement;
    section.open = true;
    section.dispatchEvent(new page.defaultView.Event("toggle"));
    await until(() => section.querySelector(".insp-body"));
  };
  const amount = async (label, count, unit) => {
    await text(label, count);
    const select = (await field(label)).parentElement.querySelector("select");
    await choose(select, unit);
  };
  const pairs = async (title, values) => {
    for (const [at, [name, value]] of Object.entries(values).entries()) {
      await press(`Add ${at ? "another" : "one"} to ${title}`);
      const row = await until(() => page.activeElement.matches(".pair-name") && page.activeElement);
      await give(row, name, "input");
      row.dispatchEvent(
        new page.defaultView.KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
      );
      await settled(0);
      await text(name, value);
    }
  };
  /** One of the conditions of a way. */
  const take = async (option) => {
    const label = await last(".taken label", (each) => each.textContent.includes(option), option);
    (label.querySelector("input") ?? page.getElementById(label.getAttribute("for"))).click();
    await settled(0);
  };
  /** The form of a step, or that of the workflow; the focus is nowhere. */
  const select = async (id) => {
    page.activeElement?.blur();
    await settled(0);
    store.select(id ? { nodes: [id] } : {});
    await until(() => {
      const now = page.querySelector(".insp-id code")?.textContent ?? null;
      if (now !== (id ?? store.state().boot.name)) throw new Error(`The form is that of ${now} instead of ${id}`);
      return true;
    });
  };
  return { text, pick, press, tick, unfold, amount, pairs, take, select, field };
}
