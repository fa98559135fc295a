/** Layout and routes that hold nobody up: of many steps a worker finds them, which may take seconds. */

import type { Doc, Place } from "../model/document";
import type { Route } from "../model/routes";
import type { LayoutRequest, Found } from "./apart";

/** So many are done in a few frames, sooner than a worker would have begun. */
const FEW = 40;

/** Places as `tidy` finds them. */
export async function laid(doc: Doc, only: string[] = []): Promise<Record<string, Place>> {
  return (await found({ doc, only }, only.length > 1 ? only.length : undefined)) as Record<string, Place>;
}

/** The routes of all ways of a document whose steps all have a place. */
export async function routed(doc: Doc): Promise<Map<string, Route>> {
  return (await found({ doc, only: null })) as Map<string, Route>;
}

async function found(request: LayoutRequest, count = Object.keys(request.doc.nodes).length): Promise<Found> {
  const here = await import("./apart");
  if (count <= FEW || typeof Worker === "undefined") return here.found(request);
  // Where no worker can do it a page that is held up for a while is better than none.
  return apart(here.address, request).catch(() => here.found(request));
}

async function apart(address: string, request: LayoutRequest): Promise<Found> {
  const worker = new Worker(address, { type: "module" });
  try {
    return await new Promise((found, failed) => {
      worker.onmessage = ({ data }: MessageEvent<Found>) => found(data);
      worker.onerror = (event) => failed(new Error(event.message));
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
