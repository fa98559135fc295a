/** JSON values, compared as JSON and not as references. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What stands under a key, and not what every object has under that name. */
export function own<T>(of: Record<string, T> | undefined, key: string): T | undefined {
  return of !== undefined && Object.hasOwn(of, key) ? of[key] : undefined;
}

/** Whether two values are the same JSON; the order of an object's keys says nothing. */
export function same(one: Json | undefined, other: Json | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, place) => same(item, other[place]));
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
  );
}
