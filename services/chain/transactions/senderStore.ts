import type pg from 'pg'
import type { Address, Hash, Hex } from 'viem'
import { TRANSACTION_COLUMNS, type Transaction } from './transaction.ts'

/** One signed form of a transaction. */
export type Version = {
  hash: Hash
  nonce: number
  raw: Hex
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  isCancel: boolean
  signedAt: Date
  /** The chain's head then; null when nobody wrote it down. */
  signedAtBlock: number | null
  sentAt: Date | null
}

/** A transaction with a nonce, and its versions, the newest last. */
export type Underway = Transaction & { nonce: number; versions: Version[] }

const VERSION_COLUMNS = `hash, nonce, raw, gas_limit::numeric as "gasLimit", max_fee as "maxFeePerGas",
  max_priority_fee as "maxPriorityFeePerGas", is_cancel as "isCancel", signed_at as "signedAt",
  signed_at_block as "signedAtBlock", sent_at as "sentAt"`

/** The account's transactions that have a nonce and are not over, by nonce. */
export async function loadUnderway(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<Underway[]> {
  const { rows } = await client.query(
    `select ${TRANSACTION_COLUMNS} from app.transaction
     where account = $1 and chain_id = $2 and state in ('signed', 'sent', 'mined')
     order by nonce, id`,
    [account, chainId],
  )
  if (rows.length === 0) return []
  const versions = await client.query(
    `select transaction_id as "transactionId", ${VERSION_COLUMNS} from app.transaction_version
     where transaction_id = any($1) order by signed_at, max_fee`,
    [rows.map(({ id }) => id)],
  )
  const byId = Map.groupBy(versions.rows, ({ transactionId }) => transactionId)
  return rows.map((row) => ({
    ...row,
    // Versions of a nonce that was given up don't count.
    versions: (byId.get(row.id) ?? []).filter(({ nonce }) => nonce === row.nonce),
  }))
}

/** Of how many transactions of the account the database knows that they are deep in blocks, gaps filled. */
export async function countSpent(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<number> {
  const { rows } = await client.query(
    `select coalesce(max(nonce) + 1, 0)::integer as count from app.transaction
     where account = $1 and chain_id = $2 and tx_hash is not null
       and state in ('confirmed', 'failed', 'superseded')`,
    [account, chainId],
  )
  return rows[0].count
}

/** Transactions of one payer that come before others' of the same urgency are so many; the rest wait. */
const QUOTA = 16

/** Seconds after which one without a deadline of its own is as urgent as one whose deadline has come. */
const PATIENCE = 30

/**
 * Transactions that wait to be signed, the most urgent first: by their deadlines, then by what they are
 * worth. A payer of many has its first few among everyone's, those under way included, and the rest behind
 * them. Those that nodes can't simulate come last.
 */
export async function loadChosen(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
  limit: number,
): Promise<Transaction[]> {
  const { rows } = await client.query(
    `with live as (
       select *, row_number() over (
           partition by payer order by state = 'chosen', deadline, worth desc nulls last, id) as turn
       from app.transaction
       where account = $1 and chain_id = $2 and state in ('chosen', 'signed', 'sent')),
     requested as (select * from live where state = 'chosen'),
     fillings as (select count(*) from requested where kind = 'fill')
     select ${TRANSACTION_COLUMNS} from requested
     order by kind = 'fill' desc, problem is not distinct from 'NOT_SIMULATED',
       payer is not null and turn > ${QUOTA},
       coalesce(deadline, extract(epoch from requested_at) + ${PATIENCE}), worth desc nulls last, id
     limit $3 + (select * from fillings)`,
    [account, chainId, limit],
  )
  return rows
}

/** Records what data costs on the parent chain, where that has changed. */
export async function noteDataFees(
  client: pg.ClientBase,
  found: readonly { transaction: Pick<Transaction, 'id' | 'l1Fee'>; l1Fee: bigint }[],
): Promise<void> {
  const changed = found.filter(({ transaction, l1Fee }) => transaction.l1Fee !== l1Fee)
  if (changed.length === 0) return
  await client.query(
    `update app.transaction t set l1_fee = f.fee
     from jsonb_to_recordset($1) as f (id bigint, fee numeric) where t.id = f.id`,
    [asJson(changed.map(({ transaction, l1Fee }) => ({ id: transaction.id, fee: l1Fee })))],
  )
}

/** Rows as PostgreSQL's `jsonb_to_recordset` takes them. */
function asJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** A version that isn't saved yet. */
export type NewVersion = Omit<Version, 'signedAt' | 'sentAt'>

/**
 * Saves signed versions, and with them their transactions' nonces, in one statement. The same bytes signed
 * once more are the same version; of several transactions whose nonce they had, it belongs to the one that
 * has it now.
 */
export async function saveVersions(
  client: pg.ClientBase,
  signed: readonly { transaction: Pick<Transaction, 'id'>; version: NewVersion }[],
): Promise<void> {
  if (signed.length === 0) return
  await client.query(
    `with given as (
       select * from jsonb_to_recordset($1) as given (id bigint, hash text, nonce bigint, raw text,
         "gasLimit" bigint, "maxFeePerGas" numeric, "maxPriorityFeePerGas" numeric, "isCancel" boolean,
         "signedAtBlock" bigint)),
     saved as (
       insert into app.transaction_version (hash, transaction_id, nonce, raw, gas_limit, max_fee,
         max_priority_fee, is_cancel, signed_at_block)
       select hash, id, nonce, raw, "gasLimit", "maxFeePerGas", "maxPriorityFeePerGas", "isCancel",
         "signedAtBlock" from given
       on conflict (hash) do update set transaction_id = excluded.transaction_id)
     update app.transaction t set nonce = given.nonce, problem = null, detail = null,
       state = case when state = 'chosen' then 'signed' else state end, changed_at = clock_timestamp()
     from given where t.id = given.id`,
    [asJson(signed.map(({ transaction, version }) => ({ ...version, id: transaction.id })))],
  )
}

/** A node has taken these versions. */
export async function markSent(
  client: pg.ClientBase,
  taken: readonly { transaction: Pick<Transaction, 'id'>; version: Pick<Version, 'hash'> }[],
): Promise<void> {
  if (taken.length === 0) return
  await client.query(
    `with taken as (
       update app.transaction_version set sent_at = clock_timestamp() where hash = any($2::text[]))
     update app.transaction set state = 'sent', problem = null, detail = null,
       changed_at = clock_timestamp()
     where id = any($1::bigint[]) and state = 'signed'`,
    [taken.map(({ transaction }) => transaction.id), taken.map(({ version }) => version.hash)],
  )
}

type Mined = {
  id: number
  hash: Hash
  blockNumber: number
  blockHash: Hash
  succeeded: boolean
  /** Why it didn't succeed, where that is known before it is over. */
  problem?: string
  detail?: string
}

/** Blocks hold these versions. */
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

/** Their blocks are deep enough. */
export async function markConfirmed(client: pg.ClientBase, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await client.query(
    `update app.transaction set state = 'confirmed', problem = null, detail = null,
       changed_at = clock_timestamp()
     where id = any($1::bigint[])`,
    [ids],
  )
}

/** How many transactions have a nonce and aren't over, and what the first without a block waits for. */
export async function readProgress(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<{ live: number; waitsFor: string | null }> {
  const { rows } = await client.query(
    `select count(*)::integer as live,
       (array_agg(problem order by nonce, id) filter (where state <> 'mined'))[1] as "waitsFor"
     from app.transaction
     where account = $1 and chain_id = $2 and state in ('signed', 'sent', 'mined')`,
    [account, chainId],
  )
  return rows[0]
}

/** The block that held it has left the chain. */
export async function markTakenBack(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(
    `update app.transaction set state = 'sent', tx_hash = null, block_number = null,
       block_hash = null, succeeded = null, problem = null, detail = null, changed_at = clock_timestamp()
     where id = $1 and state = 'mined'`,
    [id],
  )
}

/** How a transaction ends without its effect. */
export type End = { state: 'failed' | 'superseded'; problem: string; detail: string }

/** Ends a transaction. */
export async function markOver(
  client: pg.ClientBase,
  id: number,
  { state, problem, detail }: End,
): Promise<void> {
  await client.query(
    `update app.transaction set state = $2, problem = $3, detail = $4, changed_at = clock_timestamp()
     where id = $1`,
    [id, state, problem, detail],
  )
}

/** Another transaction used its nonce for ever: it starts again. */
export async function markNonceLost(client: pg.ClientBase, id: number): Promise<void> {
  await client.query(
    `update app.transaction set state = 'chosen', nonce = null, changed_at = clock_timestamp()
     where id = $1 and state in ('signed', 'sent')`,
    [id],
  )
}

/** Writes down what a transaction waits for; its state stays. */
export async function markWaiting(
  client: pg.ClientBase,
  id: number,
  problem: string,
  detail: string,
): Promise<void> {
  await client.query(
    `update app.transaction set problem = $2, detail = $3, changed_at = clock_timestamp()
     where id = $1 and (problem, detail) is distinct from ($2, $3)`,
    [id, problem, detail],
  )
}

/**
 * Asks for a transfer of nothing to oneself, to use a nonce up; once more where a reorg or a restored
 * backup has opened a gap that was filled before.
 */
export async function requestFilling(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
  nonce: number,
): Promise<void> {
  await client.query(
    `with forgotten as (
       delete from app.transaction_version where transaction_id in (
         select id from app.transaction
         where kind = 'fill' and chain_id = $1 and effect = $2
           and state in ('confirmed', 'failed', 'superseded')))
     insert into app.transaction (kind, chain_id, effect, account, to_address, data, gas_limit)
     values ('fill', $1, $2, $3, $3, '0x', 21000)
     on conflict (kind, chain_id, effect) do update
       set state = 'chosen', nonce = null, tx_hash = null, block_number = null, block_hash = null,
         succeeded = null, problem = null, detail = null, round = transaction.round + 1,
         changed_at = clock_timestamp()
       where transaction.state in ('confirmed', 'failed', 'superseded')`,
    [chainId, `${account}:${nonce}`, account],
  )
}
