/**
 * Replaces Ponder's database actions (replacePonderModules.ts). Two differences: one statement records a block's checkpoint
 * for all tables, and live queries, which nothing here uses, cost nothing.
 */
const entry = import.meta.resolve('ponder')
const [actions, { MAX_CHECKPOINT_STRING }] = await Promise.all(
  ['database/actions.js', 'utils/checkpoint.js'].map((path) => import(new URL(path, entry).href)),
)

export const { createIndexes, createTriggers, createViews, dropTriggers }: Actions = actions
export const { finalizeIsolated, finalizeMultichain, finalizeOmnichain }: Actions = actions
export const { revertIsolated, revertMultichain, revertOmnichain }: Actions = actions

export async function createLiveQueryTriggers(): Promise<void> {}
export async function dropLiveQueryTriggers(): Promise<void> {}

type Actions = Record<string, (...parameters: unknown[]) => Promise<unknown>>

/** The database that Ponder's actions get: within a transaction, `$client` is its connection. */
type Database = {
  wrap(label: object, work: (database: Database) => unknown, context?: unknown): Promise<unknown>
  $client: { query(query: { name: string; text: string; values: string[] }): Promise<unknown> }
}

/** A statement as Drizzle builds it. */
type Statement = { toSQL(): { sql: string; params: unknown[] } }

type Change = { table: object; checkpoint: string; preBuild: object }

/** A block's tables, which Ponder passes one by one without waiting, and the promise that it then awaits. */
let block: { changes: Change[]; noted: Promise<unknown> } | null = null

/** Records that a block changed a table, in one statement with the block's other tables. */
export function commitBlock(
  database: Database,
  change: Change,
  context: unknown,
): Promise<unknown> {
  if (block === null) {
    const changes: Change[] = []
    const noted = Promise.resolve().then(() => {
      block = null
      const query = joined(database, changes)
      return database.wrap(
        { label: 'commit_block' },
        ({ $client }) => $client.query(query),
        context,
      )
    })
    block = { changes, noted }
  }
  block.changes.push(change)
  return block.noted
}

function joined(database: Database, changes: Change[]) {
  const updates = changes.map((change, at) => `committed_${at} as (${ownUpdate(database, change)})`)
  const values = [changes[0]?.checkpoint ?? '', MAX_CHECKPOINT_STRING]
  // A named statement is planned once.
  return { name: 'commit_block', text: `with ${updates.join(', ')} select`, values }
}

const ownUpdates = new Map<object, string>()

/** @returns the statement that Ponder would send for a table */
function ownUpdate(database: Database, change: Change): string {
  const known = ownUpdates.get(change.table)
  if (known !== undefined) return known
  let own: { sql: string; params: unknown[] } | null = null
  const wrap = async (_label: object, work: (database: Database) => unknown) => {
    own = (work(database) as Statement).toSQL()
  }
  actions.commitBlock({ wrap }, change)
  const { sql, params } = own ?? { sql: '', params: [] }
  if (String(params) !== String([change.checkpoint, MAX_CHECKPOINT_STRING]))
    throw new TypeError('Ponder records the checkpoints of its tables in another way')
  ownUpdates.set(change.table, sql)
  return sql
}
