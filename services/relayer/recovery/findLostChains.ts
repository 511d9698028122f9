import type { ChainConfig } from '../../config/chainConfig.ts'
import { openSingleConnection } from '../../store/database/openSingleConnection.ts'

/** Finds the chains that a database knows nothing of, or whose recovery hasn't finished. */
export async function findLostChains<Chain extends Pick<ChainConfig, 'chainId'>>(
  databaseUrl: string,
  chains: readonly Chain[],
): Promise<Chain[]> {
  const client = await openSingleConnection(databaseUrl, 'cairn_recovery')
  try {
    const { rows } = await client.query(
      `select c.id::text as id from unnest($1::bigint[]) as c (id) where not exists
         (select from app.bundle b where b.source_chain_id = c.id)
       and not exists (select from app.signed s where s.source_chain_id = c.id)
       and not exists (select from app.recovery r where r.chain_id = c.id and r.finished_at is not null)
       or exists (select from app.recovery r where r.chain_id = c.id and r.finished_at is null)`,
      [chains.map(({ chainId }) => chainId)],
    )
    const ids = new Set(rows.map(({ id }) => Number(id)))
    return chains.filter(({ chainId }) => ids.has(chainId))
  } finally {
    await client.end()
  }
}
