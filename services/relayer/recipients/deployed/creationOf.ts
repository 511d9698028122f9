import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'

/** Which transaction created a Safe, if that was found before, and since when its address is known. */
type KnownCreation = { txHash: Hex | null; createdAt: number }

/** Null when we issued no such Safe on that chain. Lower case. */
export async function creationOf(
  db: Db,
  chainId: number,
  safeAddress: Hex,
): Promise<KnownCreation | null> {
  const { rows } = await sql<{ txHash: Uint8Array | null; createdAt: number }>`
    select deployment_tx_hash as "txHash", created_at as "createdAt" from app.stealth_entry
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
  const [row] = rows
  return row ? { ...row, txHash: row.txHash && bytesToHex(row.txHash) } : null
}

/** Records permanently which transaction created a Safe. */
export async function saveCreation(
  db: Db,
  chainId: number,
  safeAddress: Hex,
  txHash: Hex,
): Promise<void> {
  await sql`update app.stealth_entry set deployment_tx_hash = ${asBytes(txHash)}
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
}
