import type { IntentCount } from '../../../services/store/intents/countIntents.ts'

/** The fields of a connection that tell how many there are: counted if one is asked for, once for both. */
export function countedOnce(count: () => Promise<IntentCount>) {
  let counted: Promise<IntentCount> | null = null
  const once = () => {
    counted ??= count()
    return counted
  }
  return {
    totalCount: async () => (await once()).count,
    totalCountIsExact: async () => (await once()).isExact,
  }
}
