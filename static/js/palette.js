// Ctrl K: the page's own links and actions at once, what the server finds (workflows, runs) as it comes.

const WAIT = 150;

export function palette(dialog) {
  if (!dialog) return;
  const ask = dialog.querySelector("input");
  const list = dialog.querySelector("ul");
  let timer = 0;
  let asked = 0;

  function here() {
    const found = [...document.querySelectorAll(".nav a, [data-command]")];
    return found.map((item) => ({ name: item.dataset.command || item.textContent.trim(), run: () => item.click() }));
  }

  function show(items) {
    list.replaceChildren(
      ...items.map((item, place) => {
        const row = document.createElement("li");
        row.role = "option";
        row.id = `palette-${place}`;
        row.textContent = item.name;
        if (item.about) row.append(Object.assign(document.createElement("small"), { textContent: item.about }));
        row.addEventListener("click", () => choose(row));
        row.go = item.run ?? (() => location.assign(item.url));
        return row;
      }),
    );
    if (!items.length) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found", className: "quiet" }));
    mark(list.querySelector("[role=option]"));
  }

  function mark(row) {
    list.querySelector("[aria-selected=true]")?.removeAttribute("aria-selected");
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    ask.setAttribute("aria-activedescendant", row?.id ?? "");
  }

  function choose(row) {
    dialog.close();
    row.go();
  }

  async function look() {
    const text = ask.value.trim().toLowerCase();
    const own = here().filter((item) => item.name.toLowerCase().includes(text));
    show(own);
    if (!text) return;
    const mine = ++asked;
    try {
      const answer = await fetch(`${ask.dataset.find}?q=${encodeURIComponent(text)}`, { headers: { accept: "application/json" } });
      const found = answer.ok ? (await answer.json()).results : [];
      if (mine === asked) show([...own, ...found]);
    } catch {
      // Offline: the page's own links are still there.
    }
  }

  ask.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
  });
  ask.addEventListener("keydown", (event) => {
    const now = list.querySelector("[aria-selected=true]");
    if (event.key === "Enter" && now) choose(now);
    else if (event.key === "ArrowDown") mark(now?.nextElementSibling ?? list.firstElementChild);
    else if (event.key === "ArrowUp") mark(now?.previousElementSibling ?? list.lastElementChild);
    else return;
    event.preventDefault();
  });
  new MutationObserver(() => {
    if (!dialog.open) return;
    ask.value = "";
    look();
    ask.focus();
  }).observe(dialog, { attributeFilter: ["open"] });
}
