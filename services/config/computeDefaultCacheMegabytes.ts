import { getHeapStatistics } from 'node:v8'

const MEGABYTE = 2 ** 20

/** Enough for 100,000 intents with their responses. */
const MOST_MEGABYTES = 2_048

/** Default size of the API's caches in megabytes: half of Node's heap limit, which depends on the machine. */
export function computeDefaultCacheMegabytes(): number {
  const half = getHeapStatistics().heap_size_limit / 2
  return Math.min(Math.floor(half / MEGABYTE), MOST_MEGABYTES)
}
