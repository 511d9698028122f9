import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type Repeated, repeat } from '../../process/repeat.ts'

const EVERY_MS = 1_000

/**
 * Counts each schema's rows once, soon after it is ready, as of when its state hash's triggers were installed. Takes
 * about ten seconds for a million rows and blocks nobody.
 *
 * @returns the schemas counted now
 */
export async function measureStates(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query(
    `select p.schema_name from app.projection p
     where p.active and exists (select 1 from app.state_change c where c.schema_name = p.schema_name)
       and not exists (select 1 from app.state_base b where b.schema_name = p.schema_name)`,
  )
  const schemas = rows.map((row) => row.schema_name as string)
  for (const schema of schemas) await pool.query('select app.measure_state($1)', [schema])
  return schemas
}

/** Counts new schemas every second; a failure is retried. */
export function initialiseStateHashes(pool: Pool, log: Logger): Repeated {
  const onProblem = (error: unknown) =>
    log.debug({ err: error }, 'could not count the rows for the state hash')
  return repeat(EVERY_MS, onProblem, async () => {
    const schemas = await measureStates(pool)
    if (schemas.length > 0) log.debug({ schemas }, 'the state hash is known')
  })
}
