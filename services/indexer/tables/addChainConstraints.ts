import type { ClientBase, Pool } from 'pg'
import type { ChainSchema } from './createViews.ts'
import { TABLE_LAYOUTS, type TableLayout } from './tableLayouts.ts'

const CONSTRAINT = 'cairn_own_chain'

/**
 * Declares to PostgreSQL that every row of these tables belongs to this one chain, by the first column of the primary
 * key. A reader's `source_chain_id = …` then skips the other chains' tables, whose whole index it would otherwise scan
 * for nothing.
 *
 * Runs one statement per table without a transaction: each waits for Ponder's write to end, and holds no lock
 * afterwards. Does nothing the second time.
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
