/** Hours since 1970-01-01 00:00 UTC of a moment in unix seconds. */
export function hourOf(timestamp: number): number {
  return Math.floor(timestamp / 3_600)
}

/** Days since 1970-01-01 UTC of a moment in unix seconds. */
export function dayOf(timestamp: number): number {
  return Math.floor(timestamp / 86_400)
}
