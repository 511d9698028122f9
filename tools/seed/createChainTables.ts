import type { ClientBase } from 'pg'
import { ownChainCheck } from '../../services/indexer/tables/addChainConstraints.ts'
import { createIndexes } from '../../services/indexer/tables/createIndexes.ts'
import { TABLE_LAYOUTS, type TableLayout } from '../../services/indexer/tables/tableLayouts.ts'

type CreateChainTablesOptions = {
  chainId: number
  chainName: string
  /** Name of the schema to create, usually `cairn_<chainId>_<build>`. It must not exist yet. */
  schema: string
  /** Create keys and indexes now (default). When seeding, load first, then call `createChainIndexes`. */
  indexes?: boolean
  /** Record changes of rows in `app.change_log` and notify, as on a live chain. Default false. */
  triggers?: boolean
}

/**
 * Creates one chain's tables as Ponder would, without Ponder: for seeded databases and for tests of
 * what reads them. Registers the schema as a live projection; `createViews` makes it readable.
 * Set the chain's clock with `setChainClock`.
 *
 * Needs the migrations of `services/store` to have run.
 */
export async function createChainTables(
  client: ClientBase,
  { chainId, chainName, schema, indexes = true, triggers = false }: CreateChainTablesOptions,
): Promise<void> {
  await client.query('select app.prepare_schema($1)', [schema])
  for (const table of TABLE_LAYOUTS) await client.query(tableStatement(schema, table, chainId))
  if (indexes) await createChainIndexes(client, schema)
  await client.query(
    `insert into app.projection
       (schema_name, chain_id, chain_name, build, state, active, progress, base_sequence, ready_at)
     values ($1, $2, $3, 'seeded', 'live', true, 1,
       nextval(pg_get_serial_sequence('app.change_log', 'sequence')), now())`,
    [schema, chainId, chainName],
  )
  await setChainClock(client, schema, { chainId, chainName, blockNumber: 0, timestamp: 0 })
  if (triggers) await client.query('select app.install_row_triggers($1)', [schema])
}

/** Creates the keys and indexes of a schema made by `createChainTables` with `indexes: false`. */
export async function createChainIndexes(client: ClientBase, schema: string): Promise<void> {
  const listed = (columns: string[]) => columns.map((column) => `"${column}"`).join(', ')
  for (const { name, primaryKey } of TABLE_LAYOUTS) {
    await client.query(`alter table "${schema}"."${name}" add primary key (${listed(primaryKey)})`)
  }
  await createIndexes(client, schema)
}

type ChainClock = {
  chainId: number
  chainName: string
  /** Head of the index, and its block's time in unix seconds. */
  blockNumber: number
  timestamp: number
  /** Default: the head itself. */
  finalizedBlock?: number
}

/** Sets a seeded chain's clock, in Ponder's own format. */
export async function setChainClock(
  client: ClientBase,
  schema: string,
  { chainId, chainName, blockNumber, timestamp, finalizedBlock = blockNumber }: ChainClock,
): Promise<void> {
  const latest = checkpointText(chainId, blockNumber, timestamp)
  const finalized = checkpointText(chainId, finalizedBlock, timestamp)
  await client.query(
    `insert into "${schema}"._ponder_checkpoint as known
       (chain_name, chain_id, safe_checkpoint, latest_checkpoint, finalized_checkpoint)
     values ($1, $2, $4, $3, $4)
     on conflict (chain_name) do update set safe_checkpoint = excluded.safe_checkpoint,
       latest_checkpoint = excluded.latest_checkpoint,
       finalized_checkpoint = excluded.finalized_checkpoint`,
    [chainName, chainId, latest, finalized],
  )
}

/** Ponder's checkpoint: time, chain, block, transaction, event type and event index, as digits. */
function checkpointText(chainId: number, blockNumber: number, timestamp: number): string {
  const digits = (value: number, width: number) => String(value).padStart(width, '0')
  return `${digits(timestamp, 10)}${digits(chainId, 16)}${digits(blockNumber, 16)}${'9'.repeat(33)}`
}

function tableStatement(schema: string, table: TableLayout, chainId: number): string {
  const columns = table.columns.map(
    ({ name, type, notNull }) => `"${name}" ${type}${notNull ? ' not null' : ''}`,
  )
  const parts = [...columns, ownChainCheck(table, chainId)]
  return `create table "${schema}"."${table.name}" (${parts.join(', ')})`
}
