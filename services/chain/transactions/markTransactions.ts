import type pg from 'pg'
import type { Hash } from 'viem'
import type { Transaction } from './transactionRow.ts'
import { asJson, type Version } from './transactionStore.ts'

/** Records that a node has accepted these versions. */
export async function markSent(
  client: pg.ClientBase,
  accepted: readonly { transaction: Pick<Transaction, 'id'>; version: Pick<Version, 'hash'> }[],
): Promise<void> {
  if (accepted.length === 0) return
  await client.query(
    `with accepted as (
       update app.transaction_version set sent_at = clock_timestamp() where hash = any($2::text[]))
     update app.transaction set state = 'sent', problem = null, detail = null,
       changed_at = clock_timestamp()
     where id = any($1::bigint[]) and state = 'signed'`,
    [
      accepted.map(({ transaction }) => transaction.id),
      accepted.map(({ version }) => version.hash),
    ],
  )
}

type Mined = {
  id: number
  hash: Hash
  blockNumber: number
  blockHash: Hash
  succeeded: boolean
  /** Why it has no effect, if that is known already. */
  problem?: string
  detail?: string
}

/** Records that these versions are in blocks. */
export async function markMined(client: pg.ClientBase, mined: readonly Mined[]): Promise<void> {
  if (mined.length === 0) return
  await client.query(
    `update app.transaction t set state = 'mined', tx_hash = m.hash, block_number = m."blockNumber",
       block_hash = m."blockHash", succeeded = m.succeeded, problem = m.problem, detail = m.detail,
       changed_at = clock_timestamp()
     from jsonb_to_recordset($1) as m (id bigint, hash text, "blockNumber" bigint, "blockHash" text,
       succeeded boolean, problem text, detail text)
     where t.id = m.id and t.state in ('signed', 'sent', 'mined')`,
    [asJson(mined)],
  )
}

/** Records that their blocks have enough confirmations. */
export async function markConfirmed(client: pg.ClientBase, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await client.query(
    `update app.transaction set state = 'confirmed', problem = null, detail = null,
       changed_at = clock_timestamp()
     where id = any($1::bigint[])`,
    [ids],
  )
}

/** Records that a reorg has removed its block. */
export async function markReorged(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(
    `update app.transaction set state = 'sent', tx_hash = null, block_number = null,
       block_hash = null, succeeded = null, problem = null, detail = null, changed_at = clock_timestamp()
     where id = $1 and state = 'mined'`,
    [id],
  )
}

/** How a transaction ends without effect. */
export type End = { state: 'failed' | 'superseded'; problem: string; detail: string }

/** Ends a transaction without effect. */
export async function markOver(
  client: pg.ClientBase,
  id: number,
  { state, problem, detail }: End,
): Promise<void> {
  await client.query(
    `update app.transaction set state = $2, problem = $3, detail = $4, changed_at = clock_timestamp()
     where id = $1`,
    [id, state, withoutZeroBytes(problem), withoutZeroBytes(detail)],
  )
}

/** Starts a transaction over, whose nonce another one has used. */
export async function markNonceLost(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(
    `update app.transaction set state = 'chosen', nonce = null, changed_at = clock_timestamp()
     where id = $1 and state in ('signed', 'sent')`,
    [id],
  )
}

export async function markWaiting(
  client: pg.ClientBase,
  id: number,
  problem: string,
  detail: string,
): Promise<void> {
  await client.query(
    `update app.transaction set problem = $2, detail = $3, changed_at = clock_timestamp()
     where id = $1 and (problem, detail) is distinct from ($2, $3)`,
    [id, withoutZeroBytes(problem), withoutZeroBytes(detail)],
  )
}

/** A node's words may have zero bytes, also from a contract's error. PostgreSQL stores none: every pass would fail. */
function withoutZeroBytes(words: string): string {
  return words.replaceAll('\0', '')
}
