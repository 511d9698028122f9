import { withClient } from './ponderRun.ts'

/**
 * All that there is in a schema, a line each, without the schema's name and without the triggers that only
 * a supervisor's schemas have.
 */
export async function readCatalog(databaseUrl: string, schema: string): Promise<string[]> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ line: string }>(
      `SELECT line FROM (
         SELECT concat_ws(' ', 'column', c.relname, c.relkind, c.relpersistence, a.attnum, a.attname,
                  format_type(a.atttypid, a.atttypmod), a.attnotnull,
                  pg_get_expr(d.adbin, d.adrelid)) AS line
           FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
           LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
          WHERE c.relnamespace = $1::text::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
         UNION ALL
         SELECT concat_ws(' ', 'index', indexname, indexdef) FROM pg_indexes WHERE schemaname = $1::text
         UNION ALL
         SELECT concat_ws(' ', 'constraint', conname, pg_get_constraintdef(oid))
           FROM pg_constraint WHERE connamespace = $1::text::regnamespace
         UNION ALL
         SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = $1::text::regnamespace
         UNION ALL
         SELECT 'trigger ' || pg_get_triggerdef(t.oid)
           FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
          WHERE c.relnamespace = $1::text::regnamespace AND tgname NOT LIKE 'cairn\\_%'
         UNION ALL
         SELECT concat_ws(' ', 'sequence', sequencename, data_type, start_value, increment_by, max_value)
           FROM pg_sequences WHERE schemaname = $1::text
       ) catalog ORDER BY line`,
      [schema],
    )
    return rows.map(({ line }) => line.replaceAll(schema, 'schema'))
  })
}
