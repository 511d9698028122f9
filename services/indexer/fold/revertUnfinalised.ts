import { is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import type { ClientBase } from 'pg'
import { inTransaction } from '../../store/database/inTransaction.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'
import { expectNoPonder } from './commitPage.ts'
import { loadPonderSchema } from './createPonderTables.ts'

/**
 * Reverts everything that Ponder wrote above its finalised block, with Ponder's own crash-recovery statements. No Ponder
 * may be writing the schema, and its triggers must be disabled.
 */
export async function revertUnfinalised(
  client: ClientBase,
  { schema, ponder }: { schema: string; ponder: PonderInternals },
): Promise<void> {
  const tables = Object.values(await loadPonderSchema(schema)).filter((one) => is(one, PgTable))
  await inTransaction(client, async () => {
    await expectNoPonder(client, schema)
    for (const table of tables) {
      for (const statement of await ponder.recoveryStatements(table)) await client.query(statement)
    }
    // Tells readers that the chain is resuming. The chain's clock moves back with the rows (app.follow_meta).
    await client.query(
      `UPDATE "${schema}"._ponder_meta SET value = jsonb_set(value, '{is_ready}', '0')`,
    )
    await client.query(
      `UPDATE "${schema}"._ponder_checkpoint
          SET safe_checkpoint = finalized_checkpoint, latest_checkpoint = finalized_checkpoint`,
    )
  })
}
