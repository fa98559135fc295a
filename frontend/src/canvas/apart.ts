/** What takes seconds of large documents, as a worker does it. The module is the worker's program: it has one address. */

import type { Doc, Place } from "../model/document";
import { arrows } from "../model/graph";
import { type Route, routesOf } from "../model/routes";
import { wayWords } from "../model/words";
import { tidy } from "./tidy";

/** What a worker is asked for: places for steps (`only` some), or the routes of all ways. */
export type LayoutRequest = { doc: Doc; only: string[] } | { doc: Doc; only: null };
export type Found = Record<string, Place> | Map<string, Route>;

export const address = import.meta.url;

export function found({ doc, only }: LayoutRequest): Found {
  return only === null ? routesOfAll(doc) : tidy(doc, only);
}

function routesOfAll(doc: Doc): Map<string, Route> {
  const ways = arrows(doc).map((arrow) => {
    const { key, from, to } = arrow;
    return { key, from, to, words: wayWords(doc, arrow) };
  });
  return routesOf(doc, ways);
}

const isWorker = !("document" in globalThis) && "WorkerGlobalScope" in globalThis;
if (isWorker) globalThis.onmessage = ({ data }: MessageEvent<LayoutRequest>) => globalThis.postMessage(found(data));
