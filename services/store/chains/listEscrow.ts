import { sql } from 'kysely'
import type { EscrowRow, VaultEscrowRow } from '../../../src/projection/rows.ts'
import { selectList } from '../database/columns.ts'
import type { Db } from '../database/database.ts'

/** Tokens answered at most: anyone can deliver a token of its own making that refuses its recipients. */
const MOST = 1_000

/** What bridges owe, by chain and token, listed tokens first; of one chain if given. */
export async function listEscrow(db: Db, chainId?: number): Promise<EscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`escrow.chain_id = ${chainId}::bigint`
  const { rows } = await sql<EscrowRow>`select ${sql.raw(selectList('escrow', 'escrow'))}
    from cairn.escrow as escrow
    left join cairn.bridge_token token
      on token.chain_id = escrow.chain_id and token.token = escrow.token
    where ${where} order by token.token is null, escrow.chain_id, escrow.token limit ${MOST}`.execute(
    db,
  )
  return rows
}

/** What vaults owe, by chain and token; of one chain if given. A vault takes listed tokens only, so they are few. */
export async function listVaultEscrow(db: Db, chainId?: number): Promise<VaultEscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`v.chain_id = ${chainId}::bigint`
  const { rows } = await sql<VaultEscrowRow>`select ${sql.raw(selectList('vaultEscrow', 'v'))}
    from cairn.vault_escrow v where ${where} order by v.chain_id, v.token`.execute(db)
  return rows
}
