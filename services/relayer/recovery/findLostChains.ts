import type { ChainConfig } from '../../config/chainConfig.ts'
import { openSingleConnection } from '../../store/database/openSingleConnection.ts'

/**
 * Finds the chains without a finished recovery of this bridge from this start block that lacked no intent. Other rows
 * prove nothing: an API stores new bundles in a database that has lost the old ones.
 */
export async function findLostChains<
  Chain extends Pick<ChainConfig, 'chainId' | 'bridge' | 'startBlock'>,
>(databaseUrl: string, chains: readonly Chain[]): Promise<Chain[]> {
  const client = await openSingleConnection(databaseUrl, 'cairn_recovery')
  try {
    const { rows } = await client.query(
      `select c.id::text as id
       from unnest($1::bigint[], $2::text[], $3::bigint[]) as c (id, bridge, start_block)
       where not exists (select from app.recovery r where r.chain_id = c.id and r.bridge = c.bridge
         and coalesce(r.start_block, 0) <= c.start_block and r.finished_at is not null
         and coalesce((r.certificate -> 'intents' ->> 'missing')::bigint, 0) = 0)`,
      [
        chains.map(({ chainId }) => chainId),
        chains.map(({ bridge }) => bridge.toLowerCase()),
        chains.map(({ startBlock }) => startBlock),
      ],
    )
    const ids = new Set(rows.map(({ id }) => Number(id)))
    return chains.filter(({ chainId }) => ids.has(chainId))
  } finally {
    await client.end()
  }
}
