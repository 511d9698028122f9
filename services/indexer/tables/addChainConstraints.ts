import type { ClientBase, Pool } from 'pg'
import { TABLE_LAYOUTS, type TableLayout } from './tableLayout.ts'
import type { ChainSchema } from './views.ts'

const CONSTRAINT = 'cairn_own_chain'

/**
 * Declares law 8 to PostgreSQL: every row of these tables is of this one chain, which the first
 * column of the primary key names. A reader's `source_chain_id = …` then leaves the other chains'
 * tables out of the plan, where it would have walked their whole index without finding a row.
 *
 * One statement a table and no transaction around them: each waits for Ponder's write to end, and
 * none is held meanwhile. Does nothing where it was done before.
 */
export async function addChainConstraints(
  client: ClientBase | Pool,
  { chainId, schema }: ChainSchema,
): Promise<void> {
  const { rows } = await client.query(
    `select c.relname from pg_constraint k
     join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and k.conname = $2`,
    [schema, CONSTRAINT],
  )
  const bound = new Set(rows.map((row) => row.relname as string))
  for (const table of TABLE_LAYOUTS) {
    if (bound.has(table.name)) continue
    await client.query(
      `alter table if exists "${schema}"."${table.name}" add ${ownChainCheck(table, chainId)}`,
    )
  }
}

/** The constraint, as a part of `create table` or `alter table … add`. */
export function ownChainCheck({ primaryKey }: TableLayout, chainId: number): string {
  return `constraint ${CONSTRAINT} check ("${primaryKey[0]}" = ${BigInt(chainId)})`
}
