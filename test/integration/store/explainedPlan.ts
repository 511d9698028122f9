import type { CompiledQuery, RawBuilder } from 'kysely'
import type { PoolClient } from 'pg'
import type { Db, OpenDatabase } from '../../../services/store/database/openDatabase.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'

/** A node of PostgreSQL's `explain (analyze, format json)`, as far as the tests look at it. */
export type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}

/** What a read asks the database for: its first statement, which is answered by no rows. */
export async function captureStatement(read: (db: Db) => Promise<unknown>): Promise<CompiledQuery> {
  const asked: CompiledQuery[] = []
  const db = createFakeDatabase((statement) => {
    asked.push(statement)
    return []
  })
  await read(db)
  return asked[0]!
}

/** Runs a statement, or that of a read, and returns all nodes of the plan that it ran by. */
export async function explainStatement(
  { db, pool }: Pick<OpenDatabase, 'db'> & { pool: OpenDatabase['pool'] | PoolClient },
  query: RawBuilder<unknown> | ((db: Db) => Promise<unknown>),
): Promise<PlanNode[]> {
  const { sql, parameters } =
    typeof query === 'function' ? await captureStatement(query) : query.compile(db)
  const { rows } = await pool.query(`explain (analyze, buffers, timing off, format json) ${sql}`, [
    ...parameters,
  ])
  return flatten(rows[0]['QUERY PLAN'][0].Plan)
}

/** Tables that are read from end to end. */
export function tablesScanned(nodes: PlanNode[]): string[] {
  return nodes
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
}

/** Rows that went into the largest sort. Sorts that go on from an index's order count by their groups. */
export function largestSort(nodes: PlanNode[]): number {
  const sorted = nodes
    .filter((node) => node['Node Type'] === 'Sort')
    .map(({ Plans = [] }) => (Plans[0] ? Plans[0]['Actual Rows'] : 0))
  return Math.max(0, ...sorted)
}

/** Rows of a table that were looked at, whether they passed or not. */
export function rowsTouched(nodes: PlanNode[], table: string): number {
  return nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => {
      const passed = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
      return sum + passed * node['Actual Loops']
    }, 0)
}

/** Blocks that the statement looked at, in memory or not: rows skipped within an index show here only. */
export function blocksRead([top]: PlanNode[]): number {
  return (top?.['Shared Hit Blocks'] ?? 0) + (top?.['Shared Read Blocks'] ?? 0)
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)]
}
