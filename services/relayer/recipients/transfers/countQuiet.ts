import type pg from 'pg'

/** Counts the Safes of a chain that are read once in a while. As many rows as that, of an index, are read. */
export async function countQuiet(db: pg.ClientBase, chainId: number): Promise<number> {
  const { rows } = await db.query(
    'select count(*)::integer as quiet from app.followed_safe where chain_id = $1 and is_quiet',
    [chainId],
  )
  return rows[0].quiet
}
