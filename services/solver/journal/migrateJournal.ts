import { fileURLToPath } from 'node:url'
import { migrate } from '../../store/database/migrate.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Creates or migrates a solver's tables in its database. */
export async function migrateJournal(databaseUrl: string): Promise<void> {
  // Its transactions are in `app.transaction`, as every service's are.
  await migrate(databaseUrl)
  await migrate(databaseUrl, MIGRATIONS, 'solver')
}
