/** Requests to the API of this Handoff, as the user of the page. */

import { type Boot, boot } from "./boot";
import type { Json, JsonObject } from "./model/json";

/** The server's refusal, in its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: JsonObject = {},
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** Nobody answered: no network, a server that is being started again. */
export class Unreached extends Error {}

export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  body?: Json;
  /** Fields and files, instead of a body. */
  form?: FormData;
  /** The ETag of what the asker has: the answer is null while that is still so. */
  known?: string;
  signal?: AbortSignal;
  /** The revision that is changed, and no other. */
  revision?: number;
  /** Nobody did anything: what the page asks by itself keeps no session alive. */
  automatic?: boolean;
  /** It is sent though the page is being left. */
  outlives?: boolean;
}

/** What the server answers; null for an answer without a body. Raises Refused or Unreached. */
export async function ask<T>(url: string, options: RequestOptions = {}): Promise<T> {
  try {
    return await askOnce<T>(url, options);
  } catch (error) {
    // Who logged in again has another token than the page that was opened before.
    if (!(error instanceof Refused && error.code === "csrf_failed")) throw error;
    await renewToken();
    return askOnce<T>(url, options);
  }
}

/** Takes the token of the session that there is now; somebody else's is not used. Raises Refused or Unreached. */
async function renewToken(): Promise<void> {
  const answer = await reached(window.location.pathname, {});
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.getElementById("builder-boot")?.textContent;
  if (!now)
    throw new Refused(
      answer.status === 200 ? 401 : answer.status,
      "not_authenticated",
      "You no longer have access to this workflow.",
    );
  if ((JSON.parse(now) as Boot).kept_as !== boot().kept_as)
    throw new Refused(403, "somebody_else", "Someone else is logged in now.");
  const token = page.querySelector<HTMLMetaElement>('meta[name="csrf"]')?.content ?? "";
  document.querySelector('meta[name="csrf"]')?.setAttribute("content", token);
}

async function reached(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreached("The server is not responding.");
  }
}

async function askOnce<T>(
  url: string,
  { method = "GET", body, form, known, signal, revision, automatic, outlives }: RequestOptions,
): Promise<T> {
  const csrf = document.querySelector<HTMLMetaElement>('meta[name="csrf"]')?.content ?? "";
  const headers: Record<string, string> = { Accept: "application/json" };
  if (method !== "GET") headers["X-CSRFToken"] = csrf;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (automatic) headers["Handoff-Automatic"] = "1";
  if (known !== undefined) headers["If-None-Match"] = known;
  if (revision !== undefined) headers["If-Match"] = `"${revision}"`;
  const answer = await reached(url, {
    method,
    headers,
    body: form ?? (body === undefined ? undefined : JSON.stringify(body)),
    signal,
    keepalive: outlives,
  });
  if (answer.status === 304) return null as T;
  const text = await answer.text();
  const value = parsed(text);
  if (answer.ok) return value as T;
  if (value === undefined && answer.status >= 500) throw new Unreached("The server sent an unexpected response.");
  const error = ((value as JsonObject | undefined)?.error ?? {}) as JsonObject;
  if (answer.status === 503 || answer.status === 429)
    throw new Unreached(String(error.message ?? "The server is busy."));
  throw new Refused(
    answer.status,
    String(error.code ?? answer.status),
    String(error.message ?? "The server rejected the request."),
    (error.details ?? {}) as JsonObject,
    (error.field as string | null) ?? null,
  );
}

function parsed(text: string): Json | undefined {
  if (!text) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
