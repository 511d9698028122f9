import type { ClientBase, Pool } from 'pg'
import { isLockedByOthers } from '../../store/database/isLockedByOthers.ts'
import { TABLE_LAYOUTS, type TableLayout } from './tableLayouts.ts'

/** A chain's tables: the schema that the views read for it. */
export type ChainSchema = { chainId: number; schema: string }

/** Begins the names of schemas that readers no longer find: replaced views, and deleted indexes. */
const FORMER = 'cairn_former'

/** Type of each existing column, by `schema.table.column`. */
type Catalog = Map<string, string>

/**
 * Creates or replaces the views of schema `cairn` over the given chains' schemas: one per table of `ponder.schema.ts`,
 * and `cairn.chain_clock`. Without chains, the views are empty. Tables and columns that an older build's schema lacks
 * appear as absent rows and nulls.
 *
 * Run it inside a transaction, so that readers see either the old chains or the new ones. The previous views are
 * set aside.
 */
export async function createViews(client: ClientBase, chains: ChainSchema[]): Promise<void> {
  const catalog = await readCatalog(client, chains)
  await client.query('create schema if not exists cairn')
  await setAside(client, 'cairn')
  await client.query('create schema cairn')
  for (const table of TABLE_LAYOUTS) {
    const query = tableQuery(table, chains, catalog)
    await client.query(`create view cairn."${table.name}" as ${query}`)
  }
  await client.query(`create view cairn.chain_clock as ${clockQuery(chains)}`)
  // Sent at the commit: processes that cache rows then drop them.
  await client.query("select pg_notify('cairn_projection', 'views')")
}

/**
 * Renames a schema rather than drop it, because a drop waits for readers while other readers wait for it;
 * `dropFormerSchemas` drops it once no reader uses it. A backup may use several former ones at once.
 */
export async function setAside(client: ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query('select oid::text from pg_namespace where nspname = $1', [
    schema,
  ])
  await client.query(`alter schema "${schema}" rename to "${FORMER}_${rows[0].oid}"`)
}

/**
 * Drops the schemas that were set aside, outside that transaction; those that a long read still uses, such as a backup,
 * only at the next call.
 */
export async function dropFormerSchemas(client: ClientBase | Pool): Promise<void> {
  const { rows } = await client.query(
    'select nspname as name from pg_namespace where starts_with(nspname, $1)',
    [FORMER],
  )
  for (const { name } of rows) await dropUnlessRead(client, name)
}

/** How often a drop is tried: a short read ends meanwhile. */
const ATTEMPTS = 3
/**
 * Longest wait for one table, in milliseconds: readers queue behind it. Less than the second after which PostgreSQL looks
 * for a deadlock: a backup that has just begun may hold a table and wait for another, and would be ended.
 */
const LOCK_MS = 300

/** Drops a schema, unless others use its tables for about a second. @returns whether it is gone */
export async function dropUnlessRead(client: ClientBase | Pool, schema: string): Promise<boolean> {
  // One message to the server, so one transaction.
  const statement = `set local lock_timeout = ${LOCK_MS}; drop schema if exists "${schema}" cascade`
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      await client.query(statement)
      return true
    } catch (error) {
      if (!isLockedByOthers(error)) throw error
    }
  }
  return false
}

async function readCatalog(client: ClientBase, chains: ChainSchema[]): Promise<Catalog> {
  const { rows } = await client.query(
    `select n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type
     from pg_attribute a
     join pg_class c on c.oid = a.attrelid
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    [chains.map(({ schema }) => schema)],
  )
  return new Map(rows.map((row) => [`${row.nspname}.${row.relname}.${row.attname}`, row.type]))
}

/** A plain UNION ALL of bare columns, which the planner flattens, so that each chain's own indexes are used. */
function tableQuery(table: TableLayout, chains: ChainSchema[], catalog: Catalog): string {
  const parts = chains
    .filter(({ schema }) =>
      table.columns.some(({ name }) => catalog.has(`${schema}.${table.name}.${name}`)),
    )
    .map(({ schema }) => {
      const columns = table.columns.map(({ name, type }) => {
        const found = catalog.get(`${schema}.${table.name}.${name}`)
        if (found === undefined) return `null::${type} as "${name}"`
        return isSameType(found, type) ? `"${name}"` : `"${name}"::${type} as "${name}"`
      })
      return `select ${columns.join(', ')} from "${schema}"."${table.name}"`
    })
  if (parts.length > 0) return parts.join(' union all ')
  const nulls = table.columns.map(({ name, type }) => `null::${type} as "${name}"`)
  return `select ${nulls.join(', ')} where false`
}

/** `numeric(78)` is PostgreSQL's name for `numeric(78,0)`. */
function isSameType(found: string, expected: string): boolean {
  return found === expected || found === expected.replace(/\((\d+)\)$/, '($1,0)')
}

/** Each chain's indexed position. Times are unix seconds of the blocks. */
function clockQuery(chains: ChainSchema[]): string {
  const parts = chains.map(
    ({ chainId, schema }) => `
      select ${BigInt(chainId)}::bigint as chain_id,
        app.checkpoint_time(latest_checkpoint) as timestamp,
        app.checkpoint_block(latest_checkpoint) as block_number,
        app.checkpoint_block(safe_checkpoint) as safe_block,
        app.checkpoint_block(finalized_checkpoint) as finalized_block
      from "${schema}"."_ponder_checkpoint" where chain_id = ${BigInt(chainId)}`,
  )
  if (parts.length > 0) return parts.join(' union all ')
  return `select null::bigint as chain_id, null::bigint as timestamp, null::bigint as block_number,
    null::bigint as safe_block, null::bigint as finalized_block where false`
}
