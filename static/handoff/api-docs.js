"use strict";

const place = document.getElementById("docs");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

follow();
dark.addEventListener("change", follow);
// Without validatorUrl it would ask a server of somebody else about our schema.
// Folded by tag, since of this many routes it draws only those in sight: the browser's search would find no others.
SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  docExpansion: "none",
  validatorUrl: null,
});
