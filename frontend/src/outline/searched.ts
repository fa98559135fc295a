/** Which steps a search means: by title, id and kind. */

import { type Catalogue, faceOf } from "../model/catalogue";
import type { Doc } from "../model/document";
import { titleOf } from "../model/graph";

/** Whether a step has every word of a search in what it is called, in its id or in its kind. */
export function isSearched(doc: Doc, catalogue: Catalogue, id: string, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const said = `${titleOf(doc, id)} ${id} ${faceOf(catalogue, doc.nodes[id].type).title}`.toLowerCase();
  return words.every((word) => said.includes(word));
}
