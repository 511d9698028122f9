import type { Client } from 'pg'

/** Bytes on disk, over all chains. */
export type TableSize = { table: string; rows: number; heap: number; indexes: number }

/** Each table's size, TOAST included, largest first. */
export async function readTableSizes(client: Client): Promise<TableSize[]> {
  const { rows } = await client.query<TableSize>(
    `select c.relname as table, sum(c.reltuples)::float8 as rows,
       sum(pg_table_size(c.oid))::float8 as heap, sum(pg_indexes_size(c.oid))::float8 as indexes
     from pg_class c join app.projection p on p.schema_name = c.relnamespace::regnamespace::text
     where c.relkind = 'r' group by 1 order by sum(pg_total_relation_size(c.oid)) desc`,
  )
  return rows
}

/** Size of every index, by table and columns, largest first. */
export async function readIndexSizes(client: Client): Promise<{ index: string; bytes: number }[]> {
  const { rows } = await client.query(
    `select t.relname || regexp_replace(pg_get_indexdef(c.oid), '.* USING (btree|hash)', '') as index,
       sum(pg_relation_size(c.oid))::float8 as bytes
     from pg_class c join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = i.indrelid
     join app.projection p on p.schema_name = c.relnamespace::regnamespace::text
     group by 1 order by 2 desc`,
  )
  return rows
}
