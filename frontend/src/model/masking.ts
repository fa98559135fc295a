/** Secrets in what is shown, by the names that they have; the rules of `lib/masking.py`, held to the same vectors. */

import { type Json, isObject, own, same } from "./json";

export const MASK = "••••";
const WORDS = /[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g;
const SECRET_WORDS = new Set([
  "password",
  "passwd",
  "passphrase",
  "secret",
  "secrets",
  "token",
  "apikey",
  "authorization",
  "credential",
  "credentials",
  "cookie",
]);
const KEYS = new Set(["api", "access", "private", "secret", "signing", "encryption", "master"]);

/** Whether what has this name is a secret: `api_key`, `clientSecret`; but not `max_tokens`. */
export function isSecretName(name: string): boolean {
  const words = (name.match(WORDS) ?? []).map((word) => word.toLowerCase());
  return words.some((word, at) => SECRET_WORDS.has(word) || (KEYS.has(word) && words[at + 1] === "key"));
}

/** A value whose texts that have the name of a secret are masked; `isNamed`: the whole of it has such a name. */
export function masked(value: Json, isNamed = false): Json {
  if (Array.isArray(value)) return value.map((part) => masked(part, isNamed));
  if (isObject(value)) return mapped(value, (part, name) => masked(part, isNamed || isSecretName(name)));
  return isNamed && typeof value === "string" && value ? MASK : value;
}

/**
 * What somebody has made of `masked(was)`, with what is masked still as it was. Within a list that was changed nobody
 * knows which part is which: Unknown is thrown there, and wherever nothing stood.
 */
export function restored(given: Json, was: Json | undefined, path = "", isNamed = false): Json {
  if (isObject(given)) {
    const before = isObject(was) ? was : {};
    return mapped(given, (part, name) =>
      restored(part, own(before, name), path ? `${path}.${name}` : name, isNamed || isSecretName(name)),
    );
  }
  if (Array.isArray(given)) {
    if (Array.isArray(was) && same(given, masked(was, isNamed))) return was;
    return given.map((part, place) => restored(part, undefined, `${path}[${place}]`, isNamed));
  }
  if (!isNamed || given !== MASK) return given;
  if (typeof was === "string" && was) return was;
  throw new Unknown(`${path} is masked, and its value is not known here: enter it.`);
}

/** A mask stands where nobody knows what is behind it; the message says where. */
export class Unknown extends Error {}

function mapped(value: { [key: string]: Json }, by: (part: Json, name: string) => Json): Json {
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, by(part, name)]));
}
