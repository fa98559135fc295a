// What is said at the edge of a page for a while.

export function toast(text, kind = "info") {
  const line = document.createElement("p");
  line.className = `toast ${kind}`;
  line.textContent = text;
  document.getElementById("toasts").append(line);
  fade(line);
}

/** Takes a toast away after a while; what went wrong stays longer. */
export function fade(line) {
  setTimeout(() => line.remove(), line.matches(".error, .bad") ? 15_000 : 6_000);
}

/** Says that the session has ended, for as long as it has; what is typed on the page stays. */
export function loggedOut() {
  if (document.getElementById("logged-out")) return;
  const line = Object.assign(document.createElement("p"), { id: "logged-out", className: "toast bad" });
  const back = encodeURIComponent(location.pathname + location.search);
  const login = { href: `/login?next=${back}`, target: "_blank", rel: "noopener", textContent: "Log in" };
  line.append(
    "You were logged out. ",
    Object.assign(document.createElement("a"), login),
    " in a new tab, then go on here.",
  );
  document.getElementById("toasts").append(line);
}
