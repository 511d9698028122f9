import type pg from 'pg'
import type { FollowedChain } from './transferContext.ts'

/**
 * Tokens of a chain that its configuration or its bridge lists, and that are therefore believed.
 * Lower case.
 */
export async function listedTokens(
  db: pg.ClientBase,
  { chainId, tokens = {} }: FollowedChain,
): Promise<ReadonlySet<string>> {
  const configured = Object.values(tokens).map(({ address }) => address.toLowerCase())
  return new Set([...configured, ...(await bridgeTokens(db, chainId))])
}

/** A token that the bridge no longer lists may still be in a Safe. */
async function bridgeTokens(db: pg.ClientBase, chainId: number): Promise<string[]> {
  // Before the index has ever been ready there is no such view.
  const { rows: views } = await db.query(`select to_regclass('cairn.bridge_token') as view`)
  if (views[0].view === null) return []
  const { rows } = await db.query('select token from cairn.bridge_token where chain_id = $1', [
    chainId,
  ])
  return rows.map(({ token }) => token)
}
