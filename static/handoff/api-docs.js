"use strict";

const place = document.getElementById("docs");
SwaggerUIBundle({ url: place.dataset.schema, domNode: place, deepLinking: true });
