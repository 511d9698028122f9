import type { ChainHeads } from '../../../services/store/chains/chainHeads.ts'
import { listIntentTexts } from '../../../services/store/intents/listIntentTexts.ts'
import type { ExplorerReads } from '../explorerReads.ts'

/** Intents whose times are compared. */
const LATEST = 200

const PARTS = {
  columns: new Set(['createdAt', 'settledAt'] as const),
  facts: false,
  sequence: false,
}

/** Seconds from creation to settlement within which half and 95 % of the latest completed intents were done. */
export async function completionTimes(
  { db }: ExplorerReads,
  heads: ChainHeads,
): Promise<{ p50: number; p95: number; of: number } | null> {
  const texts = await listIntentTexts(
    db,
    {
      filter: { statuses: ['completed'] },
      order: { by: 'createdAt', direction: 'desc' },
      limit: LATEST,
      heads,
    },
    PARTS,
  )
  const seconds = texts
    .map(({ createdAt, settledAt }) => Number(settledAt) - Number(createdAt))
    .toSorted((a, b) => a - b)
  if (seconds.length === 0) return null
  const at = (share: number) => seconds[Math.ceil(share * seconds.length) - 1] as number
  return { p50: at(0.5), p95: at(0.95), of: seconds.length }
}
