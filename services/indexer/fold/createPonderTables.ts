import type { ClientBase } from 'pg'
import type { PonderInternals } from '../ponder/ponderInternals.ts'
import { TABLE_LAYOUTS } from '../tables/tableLayout.ts'

/** Version of the layout of Ponder's own tables, as Ponder 0.17.7 notes it beside its build id. */
const metaVersion = '6'

/**
 * Stands where Ponder's build id will be, from when we create a schema until its Ponder has started. Only
 * Ponder can compute that id; the schema's name already says which build the rows are of.
 */
const HANDED_OVER = 'cairn'

/**
 * Creates everything that Ponder creates in its schema before it indexes, so that it takes the schema for
 * one of its own runs that was interrupted. Call it in a transaction, after `app.prepare_schema`.
 */
export async function createPonderTables(
  client: ClientBase,
  ponder: PonderInternals,
  schema: string,
): Promise<void> {
  await client.query(
    `create sequence if not exists "${schema}".operation_id as integer increment by 1`,
  )
  for (const statement of ponder.tableStatements(await loadPonderSchema(schema)))
    await client.query(statement)
  for (const { name } of TABLE_LAYOUTS) {
    await client.query(
      `create index if not exists "${name}_checkpoint_index" on "${schema}"."_reorg__${name}" (checkpoint)`,
    )
  }
  for (const statement of await ponder.liveQueryStatements(schema)) await client.query(statement)
  const app = {
    ...{ version: metaVersion, build_id: HANDED_OVER },
    ...{ table_names: TABLE_LAYOUTS.map(({ name }) => name), view_names: [] },
    ...{ is_dev: 0, is_locked: 0, is_ready: 0, heartbeat_at: 0 },
  }
  await client.query(`insert into "${schema}"._ponder_meta (key, value) values ('app', $1)`, [app])
}

const module = new URL('../../../ponder.schema.ts', import.meta.url).href

/** Ponder's `onchainTable` looks here for the database schema of the tables that it makes. */
type Namespace = { PONDER_NAMESPACE_BUILD?: { schema: string } | undefined }

let loading: Promise<unknown> = Promise.resolve()

/**
 * `ponder.schema.ts` with its tables in a database schema, as Ponder itself loads it.
 *
 * Evaluates the module once for each schema, one at a time, since it reads its schema from a global.
 */
export function loadPonderSchema(schema: string): Promise<object> {
  const loaded = loading.then(async () => {
    const namespace = globalThis as Namespace
    const before = namespace.PONDER_NAMESPACE_BUILD
    namespace.PONDER_NAMESPACE_BUILD = { schema }
    try {
      return (await import(`${module}?schema=${schema}`)) as object
    } finally {
      namespace.PONDER_NAMESPACE_BUILD = before
    }
  })
  loading = loaded.catch(() => {})
  return loaded
}
