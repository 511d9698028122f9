/** Default number of witnesses that must agree: a majority, and at least two if there are two. */
export function countRequiredWitnesses(witnesses: number): number {
  return Math.min(witnesses, Math.max(2, Math.floor(witnesses / 2) + 1))
}
