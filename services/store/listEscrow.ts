import { sql } from 'kysely'
import type { EscrowRow } from '../../src/projection/rows.ts'
import { selectList } from './columns.ts'
import type { Db } from './database.ts'

/** What bridges owe, by chain and token; of one chain if given. */
export async function listEscrow(db: Db, chainId?: number): Promise<EscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`escrow.chain_id = ${chainId}::bigint`
  const { rows } = await sql<EscrowRow>`select ${sql.raw(selectList('escrow', 'escrow'))}
    from cairn.escrow as escrow where ${where} order by escrow.chain_id, escrow.token`.execute(db)
  return rows
}
