import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The schema that the views read for each chain they show. */
export async function shownSchemas(db: Db): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ chainId: number; schema: string }>`
    select chain_id as "chainId", schema_name as schema from app.projection where active`.execute(
    db,
  )
  return new Map(rows.map(({ chainId, schema }) => [chainId, schema]))
}
