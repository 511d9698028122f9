import { fileURLToPath } from 'node:url'
import { migrate } from '../../store/database/migrate.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))

/** Makes, or brings up to date, the tables that a solver needs in its database. */
export async function prepareJournal(databaseUrl: string): Promise<void> {
  // Its transactions live in `app.transaction`, as everybody's do.
  await migrate(databaseUrl)
  await migrate(databaseUrl, MIGRATIONS, 'solver')
}
