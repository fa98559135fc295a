// Moments and times of day are typed as the reader's clock says them. Where the server does not know that clock yet,
// it is told that of the browser; it keeps all of them in UTC.

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const KEPT = { moment: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, time: /^\d\d:\d\d:\d\dZ$/ };
const TYPES = { moment: "datetime-local", time: "time" };

const two = (number) => String(number).padStart(2, "0");
const clock = (at) =>
  `${two(at.getHours())}:${two(at.getMinutes())}${at.getSeconds() ? `:${two(at.getSeconds())}` : ""}`;

/** What is kept as the clock here says it; null where that is none, or would come back as something else. */
function local(kind, text) {
  if (!text) return "";
  if (!KEPT[kind].test(text)) return null;
  const today = new Date().toISOString().slice(0, 10);
  const at = new Date(kind === "time" ? `${today}T${text}` : text);
  if (Number.isNaN(at.getTime())) return null;
  if (kind === "time") return clock(at);
  const day = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const here = `${day}T${clock(at)}`;
  return new Date(here).getTime() === at.getTime() ? here : null;
}

/** Have the fields of forms that take moments ask for them by the clock here. */
export function tellMoments() {
  for (const zone of ZONE ? document.querySelectorAll("input[data-zone]") : []) {
    zone.value = ZONE;
    for (const field of zone.closest(".form-fields").querySelectorAll("input[data-local]")) {
      const kind = field.dataset.local;
      const here = local(kind, field.value);
      if (here === null) continue;
      delete field.dataset.local;
      field.value = "";
      field.type = TYPES[kind];
      if (here.split(":").length > 2) field.step = "1";
      field.value = here;
      field.nextElementSibling.textContent = ZONE;
    }
  }
}
