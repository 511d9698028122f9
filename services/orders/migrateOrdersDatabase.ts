import { fileURLToPath } from 'node:url'
import { migrate } from '../store/database/migrate.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Creates or migrates the order service's tables in its own database. */
export async function migrateOrdersDatabase(databaseUrl: string): Promise<void> {
  // Its transactions live in `app.transaction` of that database, as a solver's do in its own.
  await migrate(databaseUrl)
  await migrate(databaseUrl, MIGRATIONS, 'orders')
}
