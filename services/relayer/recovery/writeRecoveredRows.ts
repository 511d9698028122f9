import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { inTransaction } from '../../store/database/inTransaction.ts'
import {
  bytea,
  deleteFalseStatement,
  insertStatement,
  type StealthEntry,
} from '../recipients/entries/stealthEntryRows.ts'
import type { RecoveredBundle, RecoveredRows } from './recoveredIntents.ts'

/**
 * Writes a part's rows and the chain's progress in one transaction. A part may be written twice: bundles are set to
 * what the chain says, unless they are newer, and the rest stays.
 *
 * @param nextBlock the first block after the part
 */
export function writeRecoveredRows(
  client: pg.ClientBase,
  chainId: number,
  rows: RecoveredRows,
  nextBlock: number,
  safes: readonly RecoveredSafe[],
): Promise<void> {
  return inTransaction(client, async () => {
    await writeSafes(client, safes)
    await redateBundles(client, chainId, rows.bundles)
    await writeBundles(client, chainId, rows.bundles)
    await writeProblems(client, chainId, rows.problems)
    await client.query('update app.recovery set next_block = $2 where chain_id = $1', [
      chainId,
      nextBlock,
    ])
  })
}

/**
 * Gives stored blobs that are on chain their block's time. Another, as from a node that lied, a block that left the chain, or a
 * fast clock, could keep them from being replaced by later ones.
 */
async function redateBundles(
  client: pg.ClientBase,
  chainId: number,
  bundles: readonly RecoveredBundle[],
): Promise<void> {
  if (bundles.length === 0) return
  await client.query(
    `update app.bundle known set stored_at = b.stored_at
     from unnest($2::numeric[], $3::bytea[], $4::bytea[], $5::bigint[])
       as b (intent_id, params_hash, digest, stored_at)
     where known.source_chain_id = $1 and known.intent_id = b.intent_id
       and known.params_hash = b.params_hash and sha256(known.sealed) = b.digest`,
    [
      chainId,
      bundles.map(({ intentId }) => String(intentId)),
      bundles.map(({ paramsHash }) => bytea(paramsHash)),
      bundles.map(({ sealed }) => createHash('sha256').update(sealed.slice(2), 'hex').digest()),
      bundles.map(({ storedAt }) => storedAt),
    ],
  )
}

/**
 * Of an intent's bundles, keeps the one with the highest number; of several with that number, the last, even if it isn't on
 * chain: metadata that comes after `firmAt` never is.
 */
async function writeBundles(
  client: pg.ClientBase,
  chainId: number,
  bundles: readonly RecoveredBundle[],
): Promise<void> {
  const best = new Map<bigint, RecoveredBundle>()
  for (const bundle of bundles) {
    const known = best.get(bundle.intentId)
    if (!known || bundle.n >= known.n) best.set(bundle.intentId, bundle)
  }
  const rows = [...best.values()]
  if (rows.length === 0) return
  // The blobs are sent as one value and sliced by the database. As an array of texts, they would cost more than
  // everything else.
  const places: number[] = []
  let next = 1
  for (const { sealed } of rows) {
    places.push(next)
    next += sizeOf(sealed)
  }
  await client.query(
    `insert into app.bundle as known
       (source_chain_id, intent_id, params_hash, n, is_signed, sealed, stored_at)
     select $1, b.intent_id, b.params_hash, b.n, b.is_signed,
       substring($2::bytea from b.place for b.size), b.stored_at
     from unnest($3::numeric[], $4::bytea[], $5::bigint[], $6::boolean[], $7::integer[],
       $8::integer[], $9::bigint[])
       as b (intent_id, params_hash, n, is_signed, place, size, stored_at)
     on conflict (source_chain_id, intent_id, params_hash) do update set n = excluded.n,
       is_signed = excluded.is_signed, sealed = excluded.sealed, stored_at = excluded.stored_at
     where (known.n, known.stored_at) <= (excluded.n, excluded.stored_at)`,
    [
      chainId,
      packed(rows.map(({ sealed }) => sealed)),
      rows.map(({ intentId }) => String(intentId)),
      rows.map((one) => bytea(one.paramsHash)),
      rows.map(({ n }) => n),
      rows.map(({ isSigned }) => isSigned),
      places,
      rows.map(({ sealed }) => sizeOf(sealed)),
      rows.map(({ storedAt }) => storedAt),
    ],
  )
}

async function writeProblems(
  client: pg.ClientBase,
  chainId: number,
  problems: RecoveredRows['problems'],
): Promise<void> {
  if (problems.length === 0) return
  await client.query(
    `insert into app.recovery_problem (chain_id, block_number, log_index, intent_id, event, reason)
     select $1, * from unnest($2::bigint[], $3::integer[], $4::numeric[], $5::text[], $6::text[])
     on conflict do nothing`,
    [
      chainId,
      problems.map(({ blob }) => blob.blockNumber),
      problems.map(({ blob }) => blob.logIndex),
      problems.map(({ blob }) => String(blob.intentId)),
      problems.map(({ blob }) => blob.event),
      problems.map(({ reason }) => reason),
    ],
  )
}

function packed(all: readonly Hex[]): Buffer {
  const bytes = Buffer.allocUnsafe(all.reduce((sum, hex) => sum + sizeOf(hex), 0))
  let at = 0
  for (const hex of all) at += bytes.write(hex.slice(2), at, 'hex')
  return bytes
}

function sizeOf(hex: Hex): number {
  return hex.length / 2 - 1
}

/** A Safe of a delivery, and its recipient's keys. */
export type RecoveredSafe = StealthEntry & { spendPubKey: Hex; viewPubKey: Hex }

/** Restores Safes and their recipients' registrations; existing entries stay, unless they contradict what was derived. */
async function writeSafes(client: pg.ClientBase, safes: readonly RecoveredSafe[]): Promise<void> {
  if (safes.length === 0) return
  await client.query(
    `insert into app.recipient (tag, spend_pub_key, view_pub_key, forget_at)
     select distinct tag, spend, view, 'infinity'::timestamptz
     from unnest($1::bytea[], $2::bytea[], $3::bytea[]) as paid (tag, spend, view)
     on conflict (tag) do update set forget_at = excluded.forget_at`,
    [
      safes.map(({ tag }) => bytea(tag)),
      safes.map(({ spendPubKey }) => bytea(spendPubKey)),
      safes.map(({ viewPubKey }) => bytea(viewPubKey)),
    ],
  )
  for (const { text, values } of [deleteFalseStatement(safes), insertStatement(safes)])
    await client.query(text, values)
}
