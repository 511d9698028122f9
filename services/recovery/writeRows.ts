import type pg from 'pg'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { StoredBundle } from '../bundles/storedBundle.ts'
import { type FoundDelivery, writeDeliveries } from '../recipients/recovery/writeDeliveries.ts'
import { inTransaction } from '../store/inTransaction.ts'
import type { RecoveredRows } from './recoveredRows.ts'

/**
 * Writes a part's rows and how far that brings the chain, both or neither. What is there already
 * stays: a part may be written twice.
 *
 * @param nextBlock the first block that isn't part of it
 * @param deliveries what the part's Safes were made out for
 */
export async function writeRows(
  client: pg.ClientBase,
  chainId: number,
  rows: RecoveredRows,
  nextBlock: number,
  deliveries: readonly FoundDelivery[] = [],
): Promise<void> {
  const write = (ways: Ways) =>
    inTransaction(client, async () => {
      await writeDeliveries(client, deliveries)
      await writeAll(client, chainId, rows, ways)
      await noteProgress(client, chainId, nextBlock)
    })
  try {
    // Nearly always nothing is there, and looking for each row first costs a quarter of the work.
    await write(INTO_NOTHING)
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
    await write(BESIDE_OTHERS)
  }
}

const UNIQUE_VIOLATION = '23505'

async function writeAll(
  client: pg.ClientBase,
  chainId: number,
  rows: RecoveredRows,
  { overwrite, keep }: Ways,
): Promise<void> {
  await writeBundles(client, chainId, rows.bundles, overwrite)
  await writeBundles(client, chainId, rows.unanchored, keep)
  await writeAppended(client, chainId, rows)
  await insert(client, chainId, rows.ciphertexts, {
    conflict: keep,
    into: 'app.used_ciphertext (source_chain_id, ephemeral_key_digest, intent_id)',
    select: '$1, substring($2::bytea from (32 * c.place - 31)::integer for 32), c.intent_id',
    from: '$3::numeric[]) with ordinality as c (intent_id, place)',
    beside: packed(rows.ciphertexts.map(({ ephemeralKeyDigest }) => ephemeralKeyDigest)),
    columns: ({ intentId }) => [String(intentId)],
  })
  await supersede(client, chainId, rows)
  await insert(client, chainId, rows.anchored, {
    conflict: keep,
    into: 'app.bundle_handling (source_chain_id, intent_id, anchoring_at)',
    select: '$1, a.intent_id, to_timestamp(a.at)',
    from: '$2::numeric[], $3::bigint[]) as a (intent_id, at)',
    columns: ({ intentId, at }) => [String(intentId), String(at)],
  })
  await insert(client, chainId, rows.problems, {
    into: 'app.recovery_problem (chain_id, block_number, log_index, intent_id, event, reason)',
    select: '$1, p.block_number, p.log_index, p.intent_id, p.event, p.reason',
    from: '$2::bigint[], $3::integer[], $4::numeric[], $5::text[], $6::text[]) as p (block_number, log_index, intent_id, event, reason)',
    columns: ({ blockNumber, logIndex, intentId, event, reason }) => [
      ...[String(blockNumber), String(logIndex), String(intentId), event, reason],
    ],
  })
}

async function noteProgress(client: pg.ClientBase, chainId: number, nextBlock: number) {
  await client.query('update app.recovery set next_block = $2 where chain_id = $1', [
    chainId,
    nextBlock,
  ])
}

/** What happens to rows that are there already, as SQL behind an insertion. */
type Ways = { overwrite: string; keep: string }

/** None is: a part that meets one is taken back, and written the other way. */
const INTO_NOTHING: Ways = { overwrite: '', keep: '' }

const KEEP = 'on conflict do nothing'

/** Bundles become what the chain says; the rest stays. */
const BESIDE_OTHERS: Ways = {
  overwrite: `on conflict (source_chain_id, intent_id) do update set sealed = excluded.sealed,
    fee_bps = excluded.fee_bps, origin = excluded.origin,
    ciphertext_digest = excluded.ciphertext_digest, stored_at = excluded.stored_at`,
  keep: KEEP,
}

function writeBundles(
  client: pg.ClientBase,
  chainId: number,
  bundles: readonly StoredBundle[],
  conflict: string,
) {
  // Each blob and the digest behind it, sliced there: as texts of arrays they would cost more than the rest.
  const places: number[] = []
  let next = 1
  for (const { sealed, ciphertextDigest } of bundles) {
    places.push(next)
    next += sizeOf(sealed) + sizeOf(ciphertextDigest ?? '0x')
  }
  return insert(client, chainId, bundles, {
    conflict,
    beside: packed(bundles.flatMap((one) => [one.sealed, one.ciphertextDigest ?? '0x'])),
    into: 'app.bundle (source_chain_id, intent_id, sealed, fee_bps, origin, ciphertext_digest, stored_at)',
    select: `$1, b.intent_id, substring($2::bytea from b.place for b.size), b.fee_bps, b.origin,
      case when b.digest_size > 0 then substring($2::bytea from b.place + b.size for b.digest_size) end,
      b.stored_at`,
    from: '$3::numeric[], $4::integer[], $5::integer[], $6::integer[], $7::text[], $8::integer[], $9::bigint[]) as b (intent_id, place, size, fee_bps, origin, digest_size, stored_at)',
    columns: ({ intentId, sealed, feeBps, origin, ciphertextDigest, storedAt }, at) => [
      ...[String(intentId), String(places[at]), String(sizeOf(sealed)), String(feeBps)],
      ...[origin, String(sizeOf(ciphertextDigest ?? '0x')), String(storedAt)],
    ],
  })
}

/** In the chain's order, so that the sequence tells again which was the last. */
function writeAppended(client: pg.ClientBase, chainId: number, { appended }: RecoveredRows) {
  return insert(client, chainId, appended, {
    into: 'app.appended_blob (source_chain_id, intent_id, digest, sealed, purpose, stored_at)',
    select: '$1, b.intent_id, b.digest, b.sealed, b.purpose, b.stored_at',
    from: '$2::numeric[], $3::bytea[], $4::bytea[], $5::text[], $6::bigint[]) with ordinality as b (intent_id, digest, sealed, purpose, stored_at, place)',
    order: 'order by b.place',
    columns: ({ intentId, digest, sealed, purpose, storedAt }) => [
      ...[String(intentId), bytea(digest), bytea(sealed), purpose, String(storedAt)],
    ],
  })
}

/** Only by the last replacement that is known: a part may be written again when later ones are there. */
async function supersede(
  client: pg.ClientBase,
  chainId: number,
  { replacements }: RecoveredRows,
): Promise<void> {
  if (replacements.length === 0) return
  const last = [...new Map(replacements.map((one) => [one.intentId, one])).values()]
  await client.query(
    `update app.used_ciphertext u set superseded = true
     from unnest($2::numeric[], $3::bytea[]) as r (intent_id, blob)
     where u.source_chain_id = $1 and u.intent_id = r.intent_id and not u.superseded
       and u.ephemeral_key_digest <> all ($4::bytea[])
       and r.blob = (select a.digest from app.appended_blob a
         where a.source_chain_id = $1 and a.intent_id = r.intent_id and a.purpose = 'bundle'
         order by a.sequence desc limit 1)`,
    [
      chainId,
      last.map(({ intentId }) => String(intentId)),
      last.map(({ blob }) => bytea(blob)),
      last.flatMap(({ kept }) => (kept === null ? [] : [bytea(kept)])),
    ],
  )
}

type Insertion<Row> = {
  into: string
  select: string
  /** Arguments of `unnest`, and what its columns are called. */
  from: string
  order?: string
  /** Default: what is there stays. */
  conflict?: string
  /** One more parameter, `$2`: those of the columns then begin with `$3`. */
  beside?: Buffer
  columns(row: Row, at: number): string[]
}

/** One statement for all rows, each column an array. */
async function insert<Row>(
  client: pg.ClientBase,
  chainId: number,
  rows: readonly Row[],
  { into, select, from, order = '', conflict = KEEP, beside, columns }: Insertion<Row>,
): Promise<void> {
  if (rows.length === 0) return
  const first = columns(rows[0]!, 0)
  const arrays = first.map(() => new Array<string>(rows.length))
  for (const [at, row] of rows.entries()) {
    for (const [column, value] of columns(row, at).entries()) arrays[column]![at] = value
  }
  await client.query(
    `insert into ${into} select ${select} from unnest(${from} ${order} ${conflict}`,
    [chainId, ...(beside === undefined ? [] : [beside]), ...arrays.map(arrayOf)],
  )
}

/**
 * An array in PostgreSQL's own writing. Of digits and plain words, with at most a backslash in them: the
 * driver would look at each for more.
 */
function arrayOf(values: readonly string[]): string {
  return `{${values.join(',').replaceAll('\\', '\\\\')}}`
}

/** Bytes one after the other. */
function packed(all: readonly Hex[]): Buffer {
  const bytes = Buffer.allocUnsafe(all.reduce((sum, hex) => sum + sizeOf(hex), 0))
  let at = 0
  for (const hex of all) at += bytes.write(hex.slice(2), at, 'hex')
  return bytes
}

function sizeOf(hex: Hex): number {
  return hex.length / 2 - 1
}

function bytea(hex: Hex): string {
  return `\\x${hex.slice(2)}`
}
