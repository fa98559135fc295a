// What somebody has unfolded stays so when the page follows what happens.

import { leave } from "./morph.js";

leave((name, node) => name === "open" && node.matches("details"));
