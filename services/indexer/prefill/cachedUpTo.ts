import pg from 'pg'
import type { ChainConfig } from '../../config/chains.ts'
import { contractFilters } from './contractFilters.ts'
import { missingRanges } from './missingRanges.ts'
import type { PonderInternals } from './ponderInternals.ts'

/**
 * The last block up to which Ponder's cache has everything of a chain's contracts, from its start block on; null when
 * it lacks the start block. Such a block is final: neither we nor Ponder cache what isn't.
 */
export async function cachedUpTo(
  databaseUrl: string,
  chain: ChainConfig,
  ponder: PonderInternals,
): Promise<number | null> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'cairn_prefill' })
  client.on('error', () => {})
  await client.connect()
  try {
    const whole = { from: chain.startBlock, to: Number.MAX_SAFE_INTEGER }
    const fragments = contractFilters(chain).flatMap(ponder.fragmentsOf)
    const [gap] = await missingRanges(client, whole, fragments)
    const last = (gap?.from ?? 0) - 1
    return last < chain.startBlock ? null : last
  } finally {
    await client.end()
  }
}
