/** Of so many witnesses how many must agree, unless the configuration says: most of them, two at least. */
export function agreementThreshold(witnesses: number): number {
  return Math.min(witnesses, Math.max(2, Math.floor(witnesses / 2) + 1))
}
