import { is } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { PgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { loadPonderSchema } from '../../../services/indexer/fold/createPonderTables.ts'
import { commitBlock } from '../../../services/indexer/ponder/replacements/databaseActions.ts'
import { TABLE_LAYOUTS } from '../../../services/indexer/tables/tableLayouts.ts'

const FINAL = '9'.repeat(75)

type Query = { name: string; text: string; values: string[] }

/** A database as Ponder's actions get it, which records the labels and queries that reach it. */
function recorder() {
  const sent: (object | Query)[] = []
  const query = async (one: Query) => void sent.push(one)
  const database = Object.assign(drizzle.mock({ casing: 'snake_case' }), { $client: { query } })
  const wrap = async (label: object, work: (self: never) => unknown) => {
    sent.push(label)
    return work(database as never)
  }
  return { sent, database: Object.assign(database, { wrap }) as never }
}

test('Ponder’s own statements for its tables record a block’s checkpoint, sent as one', async () => {
  const tables = Object.values(await loadPonderSchema('some')).filter((one) => is(one, PgTable))
  const { sent, database } = recorder()
  for (const checkpoint of ['1'.repeat(75), '2'.repeat(75)]) {
    await Promise.all(
      tables.map((table) => commitBlock(database, { table, checkpoint, preBuild: {} }, {})),
    )
  }
  const updates = TABLE_LAYOUTS.map(({ name }, at) => {
    const reorgs = `"some"."_reorg__${name}"`
    return `committed_${at} as (update ${reorgs} set "checkpoint" = $1 where ${reorgs}."checkpoint" = $2)`
  })
  const query = { name: 'commit_block', text: `with ${updates.join(', ')} select` }
  expect(sent).toEqual([
    { label: 'commit_block' },
    { ...query, values: ['1'.repeat(75), FINAL] },
    { label: 'commit_block' },
    { ...query, values: ['2'.repeat(75), FINAL] },
  ])
})
