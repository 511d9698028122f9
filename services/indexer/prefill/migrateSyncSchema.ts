import pg from 'pg'
import type { PonderInternals } from './ponderInternals.ts'

/**
 * Creates or updates `ponder_sync` with Ponder's own migrations, just as `ponder start` would.
 * Safe beside a Ponder that does the same: the migrator takes a lock in the database.
 *
 * @throws the migrator's error, above all when the schema is from a newer Ponder.
 */
export async function migrateSyncSchema(
  databaseUrl: string,
  { kysely, syncMigrations }: Pick<PonderInternals, 'kysely' | 'syncMigrations'>,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  pool.on('error', () => {})
  const database = new kysely.Kysely({
    dialect: new kysely.PostgresDialect({ pool }),
    plugins: [new kysely.WithSchemaPlugin('ponder_sync')],
  })
  try {
    const migrator = new kysely.Migrator({
      db: database,
      provider: { getMigrations: syncMigrations },
      migrationTableSchema: 'ponder_sync',
    })
    const { error } = await migrator.migrateToLatest()
    if (error) throw error
  } finally {
    await database.destroy()
  }
}
