import type { ClientBase, Pool } from 'pg'
import { ADVISORY_LOCKS } from '../../store/database/advisoryLocks.ts'
import { inPooledTransaction } from '../../store/database/inTransaction.ts'
import { isLockedSql } from '../chainLock.ts'
import { addChainConstraints } from './addChainConstraints.ts'
import { createIndexes } from './createIndexes.ts'
import { type ChainSchema, createViews, dropFormerSchemas, dropUnlessRead } from './createViews.ts'

/** The schemas that the views read now, one per chain. */
export async function readActiveSchemas(client: ClientBase): Promise<ChainSchema[]> {
  const { rows } = await client.query(
    `select chain_id, schema_name from app.projection
     where active and to_regclass(format('%I.event', schema_name)) is not null
     order by chain_id`,
  )
  return rows.map((row) => ({ chainId: Number(row.chain_id), schema: row.schema_name }))
}

/**
 * Creates the views over these chains' active schemas; they are empty until the first chain is ready. Chains that
 * aren't configured any more disappear from the views, and from the list of chains unless a supervisor still works on
 * them. Their tables stay: once configured again, a chain is back at once, or its first backfill continues.
 */
export async function ensureViews(pool: Pool, chainIds: readonly number[]): Promise<void> {
  await inPooledTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.viewSwap])
    await client.query(
      'update app.projection set active = false where active and chain_id <> all($1::bigint[])',
      [chainIds],
    )
    await client.query(
      `delete from app.projection
       where ready_at is null and chain_id <> all($1::bigint[]) and not ${isLockedSql('schema_name')}`,
      [chainIds],
    )
    await createViews(client, await readActiveSchemas(client))
  })
  await dropFormerSchemas(pool)
}

/** What became of a chain's other schemas. */
type Superseded = {
  dropped: string[]
  /** Those in use, as by a backup; the next activation drops them. */
  busy: string[]
  /** Those with final events that the schema shown now lacks. */
  kept: ({ schema: string } & MissingHistory)[]
}

/**
 * Shows a schema that has become ready to readers, instead of the chain's previous one. Drops the previous one, and
 * what unfinished builds left, if the new one has the same history. Otherwise keeps it, so that a corrected
 * configuration finds its index again.
 */
export async function activateSchema(
  pool: Pool,
  { chainId, schema }: ChainSchema,
): Promise<Superseded> {
  await addChainConstraints(pool, { chainId, schema })
  await createIndexes(pool, schema)
  const shownBefore = await inPooledTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.viewSwap])
    const { rows } = await client.query(
      `update app.projection set active = false
       where chain_id = $1 and active and schema_name <> $2 returning schema_name`,
      [chainId, schema],
    )
    // A new sequence: whatever readers have cached of the previous schema is then older than everything in this one.
    await client.query(
      `update app.projection set active = true, base_sequence = case when $2 then
         nextval(pg_get_serial_sequence('app.change_log', 'sequence')) else base_sequence end
       where schema_name = $1`,
      [schema, rows.length > 0],
    )
    await createViews(client, await readActiveSchemas(client))
    return rows.map((row) => row.schema_name as string)
  })
  await dropFormerSchemas(pool)
  return dropSuperseded(pool, { chainId, schema }, shownBefore)
}

/** Drops the previous schema and the chain's unsupervised ones, except those with more history. */
async function dropSuperseded(
  pool: Pool,
  { chainId, schema }: ChainSchema,
  shownBefore: string[],
): Promise<Superseded> {
  const { rows } = await pool.query(
    `select nspname from pg_namespace
     where nspname like $1 and nspname <> $2 and (nspname = any($3) or not ${isLockedSql('nspname')})`,
    [`cairn\\_${chainId}\\_%`, schema, shownBefore],
  )
  const result: Superseded = { dropped: [], busy: [], kept: [] }
  for (const name of rows.map((row) => row.nspname as string)) {
    const history = await missingHistory(pool, { chainId, former: name, successor: schema })
    if (history !== null && history.missing > 0) {
      result.kept.push({ schema: name, ...history })
      continue
    }
    if (!(await dropUnlessRead(pool, name))) {
      result.busy.push(name)
      continue
    }
    await pool.query('delete from app.projection where schema_name = $1 and not active', [name])
    result.dropped.push(name)
  }
  return result
}

/** What a chain's previous index has and its successor lacks. */
type MissingHistory = {
  /** Events of blocks that were final in the previous index. */
  missing: number
  /** All such events. */
  of: number
}

/**
 * Compares two indexes of a chain, event by event, up to the previous one's final block.
 *
 * @returns null when the previous one has no comparable events: it never got so far, or an older version stored them
 *   differently
 */
async function missingHistory(
  pool: Pool,
  { chainId, former, successor }: { chainId: number; former: string; successor: string },
): Promise<MissingHistory | null> {
  const { rows: known } = await pool.query(
    `select to_regclass(format('%I.event', $1::text)) is not null as "hasEvents",
       to_regclass(format('%I._ponder_checkpoint', $1::text)) is not null as "hasCheckpoint"`,
    [former],
  )
  if (!known[0].hasEvents) return null
  const upTo = known[0].hasCheckpoint
    ? `(select max(app.checkpoint_block(finalized_checkpoint)) from "${former}"._ponder_checkpoint)`
    : 'null'
  const { rows } = await pool.query(
    `select count(*)::int as of, count(*) filter (where not exists (
         select from "${successor}".event e where e.chain_id = f.chain_id
           and e.block_number = f.block_number and e.log_index = f.log_index
           and e.block_hash = f.block_hash))::int as missing
     from "${former}".event f
     where f.chain_id = $1 and f.block_number <= coalesce(${upTo}, f.block_number)`,
    [chainId],
  )
  return rows[0]
}
