import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { withClient } from './ponderRun.ts'

/** Makes a schema known as a chain's, if it isn't yet, as the supervisor does before its first Ponder. */
export async function registerSchema(
  databaseUrl: string,
  { schema, chain }: { schema: string; chain: ChainConfig },
): Promise<void> {
  await migrate(databaseUrl)
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `INSERT INTO app.projection (schema_name, chain_id, chain_name, build) VALUES ($1, $2, $3, 'tested') ON CONFLICT DO NOTHING`,
      [schema, chain.chainId, chain.name],
    )
    await client.query('SELECT app.prepare_schema($1)', [schema])
  })
}
