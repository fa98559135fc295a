// Logging out removes what the builder keeps of this person in this browser (frontend/src/kept.ts). Edits that the server
// does not have yet are asked about first.

const kept = (person) => Object.keys(localStorage).filter((name) => name.startsWith(`handoff-draft:${person}.`));

function isUnsaved(name) {
  const { groups = [], conflicts = [] } = JSON.parse(localStorage.getItem(name)) ?? {};
  return groups.length + conflicts.length > 0;
}

function forget(person) {
  for (const name of kept(person)) localStorage.removeItem(name);
  for (const name of Object.keys(sessionStorage)) if (name.startsWith("handoff-")) sessionStorage.removeItem(name);
}

document.addEventListener("submit", (event) => {
  const { person } = event.target.dataset;
  if (!person) return;
  try {
    const isAsked = event.submitter?.hasAttribute("data-discards");
    if (isAsked || !kept(person).some(isUnsaved)) return forget(person);
    event.preventDefault();
    document.getElementById("unsaved").showModal();
  } catch {
    // Where the browser lets no page keep anything there is nothing to remove.
  }
});
