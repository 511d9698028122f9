/** Of so many witnesses how many must agree, unless the configuration says: most of them, two at least. */
export function defaultAgreement(witnesses: number): number {
  return Math.min(witnesses, Math.max(2, Math.floor(witnesses / 2) + 1))
}
