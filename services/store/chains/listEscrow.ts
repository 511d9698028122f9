import { sql } from 'kysely'
import type { EscrowRow, VaultEscrowRow } from '../../../src/projection/rowTypes.ts'
import { selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'

/** Limit on tokens: anyone can add one by delivering a token that refuses its recipients. */
const LIMIT = 1_000

/** Lists what bridges owe, or one chain's bridge, by chain and token, allow-listed tokens first. */
export async function listEscrow(db: Db, chainId?: number): Promise<EscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`escrow.chain_id = ${chainId}::bigint`
  const { rows } = await sql<EscrowRow>`select ${sql.raw(selectList('escrow', 'escrow'))}
    from cairn.escrow as escrow
    left join cairn.bridge_token token
      on token.chain_id = escrow.chain_id and token.token = escrow.token
    where ${where} order by token.token is null, escrow.chain_id, escrow.token limit ${LIMIT}`.execute(
    db,
  )
  return rows
}

/** Lists what vaults owe, or one chain's vault, by chain and token. Vaults accept allow-listed tokens only, so these are few. */
export async function listVaultEscrow(db: Db, chainId?: number): Promise<VaultEscrowRow[]> {
  const where = chainId === undefined ? sql`true` : sql`v.chain_id = ${chainId}::bigint`
  const { rows } = await sql<VaultEscrowRow>`select ${sql.raw(selectList('vaultEscrow', 'v'))}
    from cairn.vault_escrow v where ${where} order by v.chain_id, v.token`.execute(db)
  return rows
}
