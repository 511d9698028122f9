import { unpackIntentId } from './intentId.ts'

/**
 * Counts a bridge's intents that aren't among these ids. Intents are numbered in sequence, so ids beyond the last one are
 * invented, and make up for none that is missing.
 *
 * @param created how many intents the bridge has counted; null when no node says: then up to the last of these ids
 */
export function countMissingIntents(ids: readonly bigint[], created: bigint | null): number {
  const found = ids.map((id) => unpackIntentId(id).sequence)
  const last = created ?? found.reduce((most, one) => (one > most ? one : most), 0n)
  return Number(last) - found.filter((sequence) => sequence <= last).length
}
