import { sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { type BlobOnChain, MOST_APPENDED } from '../enclave/settlement/recipientsNamed.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/** An intent's blobs as the index has them off the chain. */
export type BlobsOnChain = {
  /** Those that were there before a deposit, in the chain's order; all of them while there is none. */
  inTime: BlobOnChain[]
  /** Block of the winner's deposit; null without one. */
  depositBlock: number | null
}

type Row = {
  type: BlobOnChain['event'] | 'SolverDeposited'
  blockNumber: number
  blob: Hex | null
}

/** Reads an intent's blobs, and its deposit, off the index in one statement. */
export async function loadBlobsOnChain(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<BlobsOnChain> {
  const { rows } = await sql<Row>`
    select type, block_number as "blockNumber", args ->> 'encryptedBlob' as blob from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and chain_id = ${sourceChainId}::bigint
      and type in ('IntentCreated', 'IntentAnchored', 'BlobAppended', 'SolverDeposited')
    order by block_number, log_index`.execute(db)
  const deposit = rows.findIndex(({ type }) => type === 'SolverDeposited')
  const inTime = blobsOf(deposit === -1 ? rows : rows.slice(0, deposit))
  const appended = inTime.filter(({ event }) => event === 'BlobAppended')
  const shown = new Set(appended.slice(-MOST_APPENDED))
  return {
    inTime: inTime.filter((one) => one.event !== 'BlobAppended' || shown.has(one)),
    depositBlock: rows[deposit]?.blockNumber ?? null,
  }
}

function blobsOf(rows: readonly Row[]): BlobOnChain[] {
  return rows.flatMap(({ type, blob }) =>
    type === 'SolverDeposited' || blob === null ? [] : [{ event: type, blob }],
  )
}
