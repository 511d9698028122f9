import { getHeapStatistics } from 'node:v8'

const MEGABYTE = 2 ** 20

/** Enough for 100,000 intents, each with the answers that are made of it. */
const MOST_MEGABYTES = 2_048

/**
 * Megabytes that the API may take for what it keeps in memory, where nobody says: half of what Node lets
 * a process's objects take, which it measures by the machine.
 */
export function defaultCacheMegabytes(): number {
  const half = getHeapStatistics().heap_size_limit / 2
  return Math.min(Math.floor(half / MEGABYTE), MOST_MEGABYTES)
}
