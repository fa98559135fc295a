/**
 * What is drawn anew is the same element with the same size, so the browser reports no size again, and React Flow fits
 * nothing while one size is missing. They are known here.
 */
export function sized(width: number, height: number) {
  return { width, height, measured: { width, height } };
}
