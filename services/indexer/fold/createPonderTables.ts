import type { ClientBase } from 'pg'
import type { PonderInternals } from '../ponder/ponderInternals.ts'
import { TABLE_LAYOUTS } from '../tables/tableLayouts.ts'

/** Layout version of Ponder 0.17.7's own tables. */
const META_VERSION = '6'

/** Placeholder for Ponder's build id, which only Ponder can compute. The schema's name already identifies our build. */
const BUILD_ID = 'cairn'

/**
 * Creates everything that Ponder creates in a schema before indexing, so that Ponder resumes the schema like an
 * interrupted run of its own. Call it in a transaction, after `app.prepare_schema`.
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
    version: META_VERSION,
    build_id: BUILD_ID,
    table_names: TABLE_LAYOUTS.map(({ name }) => name),
    view_names: [],
    is_dev: 0,
    is_locked: 0,
    is_ready: 0,
    heartbeat_at: 0,
  }
  await client.query(`insert into "${schema}"._ponder_meta (key, value) values ('app', $1)`, [app])
}

const module = new URL('../../../ponder.schema.ts', import.meta.url).href

/** Ponder's `onchainTable` reads the database schema from this global. */
type Namespace = { PONDER_NAMESPACE_BUILD?: { schema: string } | undefined }

let loading: Promise<unknown> = Promise.resolve()

/**
 * Loads `ponder.schema.ts` with its tables in a database schema, as Ponder does. Evaluates the module once per schema,
 * and one schema at a time, because the module reads a global.
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
