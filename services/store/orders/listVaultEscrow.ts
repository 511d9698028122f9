import { sql } from 'kysely'
import type { VaultEscrowRow } from '../../../src/projection/rows.ts'
import { selectList } from '../database/columns.ts'
import type { Db } from '../database/database.ts'

/** What vaults owe, by chain and token; of one chain if given. A vault takes listed tokens only, so they are few. */
export async function listVaultEscrow(db: Db, chainId?: number): Promise<VaultEscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`v.chain_id = ${chainId}::bigint`
  const { rows } = await sql<VaultEscrowRow>`select ${sql.raw(selectList('vaultEscrow', 'v'))}
    from cairn.vault_escrow v where ${where} order by v.chain_id, v.token`.execute(db)
  return rows
}
