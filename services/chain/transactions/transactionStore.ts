import type pg from 'pg'
import type { Address, Hash, Hex } from 'viem'
import { TRANSACTION_COLUMNS, type Transaction } from './transactionRow.ts'

export type Version = {
  hash: Hash
  nonce: number
  raw: Hex
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  isCancel: boolean
  /** Milliseconds since it was signed, by the database's clock. */
  msSinceSigned: number
  /** The chain's head at that time; null if not recorded. */
  signedAtBlock: number | null
  /** Milliseconds since a node last accepted it, negative if the clock was set back since; null if none has. */
  msSinceSent: number | null
}

/** A transaction that has a nonce, with its versions, the newest last. */
export type SignedTransaction = Transaction & { nonce: number; versions: Version[] }

/** SQL: milliseconds since a timestamp, which a tampered row may put at infinity. */
const msSince = (column: string) =>
  `((extract(epoch from clock_timestamp()) - extract(epoch from ${column})) * 1000)::double precision`

const VERSION_COLUMNS = `hash, nonce, raw, gas_limit::numeric as "gasLimit", max_fee as "maxFeePerGas",
  max_priority_fee as "maxPriorityFeePerGas", is_cancel as "isCancel", ${msSince('signed_at')} as "msSinceSigned",
  signed_at_block as "signedAtBlock", ${msSince('sent_at')} as "msSinceSent"`

/** SQL: whether a row describes a call. A tampered one that doesn't would fail every pass. */
const IS_CALL = `to_address ~* '^0x[0-9a-f]{40}$' and value >= 0 and value < 'NaN' and l1_fee < 'NaN'
  and coalesce(gas_limit, 0) >= 0`

/** SQL: the same for a signed version. */
const IS_VERSION = `hash ~ '^0x[0-9a-f]{64}$' and max_fee < 'NaN' and max_priority_fee < 'NaN'`

/** Loads the account's signed, sent and mined transactions, by nonce. */
export async function loadSigned(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<SignedTransaction[]> {
  const { rows } = await client.query(
    `select ${TRANSACTION_COLUMNS} from app.transaction
     where account = $1 and chain_id = $2 and ${IS_CALL} and state in ('signed', 'sent', 'mined')
     order by nonce, id`,
    [account, chainId],
  )
  if (rows.length === 0) return []
  const versions = await client.query(
    `select transaction_id as "transactionId", ${VERSION_COLUMNS} from app.transaction_version
     where transaction_id = any($1) and ${IS_VERSION} order by signed_at, max_fee`,
    [rows.map(({ id }) => id)],
  )
  if (versions.rows.some(({ msSinceSigned }) => msSinceSigned < 0)) {
    await redateVersions(client, rows)
    for (const version of versions.rows) version.msSinceSigned = Math.max(0, version.msSinceSigned)
  }
  const byId = Map.groupBy(versions.rows, ({ transactionId }) => transactionId)
  return rows.map((row) => ({
    ...row,
    // Versions with another nonce belong to one that the transaction has lost.
    versions: (byId.get(row.id) ?? []).filter(({ nonce }) => nonce === row.nonce),
  }))
}

/**
 * Redates versions signed in the future to now, in the same order: the clock was set back since. Otherwise they would never
 * be old enough to replace, and count as newer than their replacements.
 */
async function redateVersions(
  client: pg.ClientBase,
  transactions: readonly Pick<Transaction, 'id'>[],
): Promise<void> {
  await client.query(
    `update app.transaction_version version
     set signed_at = statement_timestamp() - ahead.place * interval '1 microsecond'
     from (select hash, row_number() over (partition by transaction_id order by signed_at desc, max_fee desc) as place
       from app.transaction_version
       where transaction_id = any($1) and signed_at > statement_timestamp()) as ahead
     where version.hash = ahead.hash`,
    [transactions.map(({ id }) => id)],
  )
}

/**
 * How many transactions the account has confirmed at least: one more than the highest confirmed nonce. The nonce of a
 * tampered row may be the largest possible integer, to which nothing can be added.
 */
export async function countConfirmed(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<number> {
  const { rows } = await client.query(
    `select (least(coalesce(max(nonce), -1), 2147483646) + 1)::integer as count from app.transaction
     where account = $1 and chain_id = $2 and tx_hash is not null
       and state in ('confirmed', 'failed', 'superseded')`,
    [account, chainId],
  )
  return rows[0].count
}

/** Number of one payer's transactions that compete with everyone else's; the rest come after those. */
const PAYER_QUOTA = 16

/** Deadline of a transaction without one, in seconds after its request. */
const DEFAULT_DEADLINE_SECONDS = 30

/**
 * Loads transactions to sign, in the order: gap fills, then by deadline and value. Those beyond a payer's quota, which
 * includes its signed ones, come later; those that nodes can't simulate come last.
 */
export async function loadRequested(
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
       where account = $1 and chain_id = $2 and state in ('chosen', 'signed', 'sent') and ${IS_CALL}),
     requested as (select * from live where state = 'chosen'),
     gap_fills as (select count(*) from requested where kind = 'fill')
     select ${TRANSACTION_COLUMNS} from requested
     order by kind = 'fill' desc, problem is not distinct from 'NOT_SIMULATED',
       payer is not null and turn > ${PAYER_QUOTA},
       coalesce(deadline, extract(epoch from requested_at) + ${DEFAULT_DEADLINE_SECONDS}), worth desc nulls last, id
     limit $3 + (select * from gap_fills)`,
    [account, chainId, limit],
  )
  return rows
}

/** Saves what data costs on the parent chain, where that has changed. */
export async function saveDataFees(
  client: pg.ClientBase,
  fees: readonly { transaction: Pick<Transaction, 'id' | 'l1Fee'>; l1Fee: bigint }[],
): Promise<void> {
  const changed = fees.filter(({ transaction, l1Fee }) => transaction.l1Fee !== l1Fee)
  if (changed.length === 0) return
  await client.query(
    `update app.transaction t set l1_fee = f.fee
     from jsonb_to_recordset($1) as f (id bigint, fee numeric) where t.id = f.id`,
    [asJson(changed.map(({ transaction, l1Fee }) => ({ id: transaction.id, fee: l1Fee })))],
  )
}

/** Rows as a parameter of `jsonb_to_recordset`. */
export function asJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** A version before it is saved. */
export type NewVersion = Omit<Version, 'msSinceSigned' | 'msSinceSent'>

/**
 * Saves signed versions and their transactions' nonces in one statement. Bytes that were signed before belong to the
 * transaction that has their nonce now.
 */
export async function saveVersions(
  client: pg.ClientBase,
  signed: readonly { transaction: Pick<Transaction, 'id'>; version: NewVersion }[],
): Promise<void> {
  if (signed.length === 0) return
  await client.query(
    `with version as (
       select * from jsonb_to_recordset($1) as version (id bigint, hash text, nonce bigint, raw text,
         "gasLimit" bigint, "maxFeePerGas" numeric, "maxPriorityFeePerGas" numeric, "isCancel" boolean,
         "signedAtBlock" bigint)),
     saved as (
       insert into app.transaction_version (hash, transaction_id, nonce, raw, gas_limit, max_fee,
         max_priority_fee, is_cancel, signed_at_block)
       select hash, id, nonce, raw, "gasLimit", "maxFeePerGas", "maxPriorityFeePerGas", "isCancel",
         "signedAtBlock" from version
       on conflict (hash) do update set transaction_id = excluded.transaction_id)
     update app.transaction t set nonce = version.nonce, problem = null, detail = null,
       state = case when state = 'chosen' then 'signed' else state end, changed_at = clock_timestamp()
     from version where t.id = version.id`,
    [asJson(signed.map(({ transaction, version }) => ({ ...version, id: transaction.id })))],
  )
}

/**
 * Counts the transactions that haven't ended, and reads what the unmined one with the lowest nonce waits for. `noCalls`: how
 * many rows describe no call.
 */
export async function readProgress(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<{ live: number; waitsFor: string | null; noCalls: number }> {
  const { rows } = await client.query(
    `select count(*) filter (where ${IS_CALL})::integer as live,
       (array_agg(problem order by nonce, id) filter (where state in ('signed', 'sent')))[1] as "waitsFor",
       count(*) filter (where (${IS_CALL}) is not true)::integer as "noCalls"
     from app.transaction
     where account = $1 and chain_id = $2 and state in ('chosen', 'signed', 'sent', 'mined')`,
    [account, chainId],
  )
  return rows[0]
}

/** Ends rows that describe no call, so that whoever wants their effects requests them again. @returns the ended ones */
export async function endNoCalls(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
): Promise<Transaction[]> {
  const { rows } = await client.query(
    `update app.transaction set state = 'failed', problem = 'NOT_A_CALL',
       detail = 'its row describes no call', changed_at = clock_timestamp()
     where account = $1 and chain_id = $2 and state in ('chosen', 'signed', 'sent', 'mined')
       and (${IS_CALL}) is not true
     returning ${TRANSACTION_COLUMNS}`,
    [account, chainId],
  )
  return rows
}

/**
 * Requests an empty transfer to ourselves, with estimated gas, to use a nonce; again if a reorg or a restored backup has
 * reopened a gap that was filled before.
 */
export async function requestGapFill(
  client: pg.ClientBase,
  account: Address,
  chainId: number,
  nonce: number,
): Promise<void> {
  await client.query(
    `with earlier as (
       delete from app.transaction_version where transaction_id in (
         select id from app.transaction
         where kind = 'fill' and chain_id = $1 and effect = $2
           and state in ('confirmed', 'failed', 'superseded')))
     insert into app.transaction (kind, chain_id, effect, account, to_address, data)
     values ('fill', $1, $2, $3, $3, '0x')
     on conflict (kind, chain_id, effect) do update
       set state = 'chosen', gas_limit = null, nonce = null, tx_hash = null, block_number = null,
         block_hash = null, succeeded = null, problem = null, detail = null, round = least(transaction.round, 1000000) + 1,
         changed_at = clock_timestamp()
       where transaction.state in ('confirmed', 'failed', 'superseded')`,
    [chainId, `${account}:${nonce}`, account],
  )
}
