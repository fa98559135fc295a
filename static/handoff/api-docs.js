"use strict";

const place = document.getElementById("docs");
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);

follow();
dark.addEventListener("change", follow);
// Without validatorUrl it would ask a server of somebody else about our schema.
SwaggerUIBundle({ url: place.dataset.schema, domNode: place, deepLinking: true, validatorUrl: null });
