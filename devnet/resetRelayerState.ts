import pg from 'pg'

/**
 * Tables about the chains' intents and Safes, keyed by ids that new chains reuse. Recipient registrations are kept: a
 * wallet and its keys belong to no chain.
 */
export const FORGOTTEN_TABLES = [
  'bundle',
  'bundle_deletion',
  'used_ciphertext',
  'signed',
  'evidence',
  'comparison',
  'private_read',
  'transaction',
  'reaction',
  'recovery',
  'recovery_problem',
  'stealth_entry',
  'sponsored_transaction',
  'sponsored_client',
  'sponsored_total',
  'transfer_position',
  'transfer_checkpoint',
  'followed_safe',
  'safe_balance',
  'push_event',
  'push_chain',
  'push_cursor',
  'push_pending',
  'push_pending_order',
  'webhook_delivery',
  'token',
]

/**
 * Deletes state about chains that no longer exist: new chains reuse intent ids, and work done for the old intents would
 * count for the new. A real chain never starts over.
 */
export async function resetRelayerState(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query(
      `select quote_ident(tablename) as name from pg_tables
       where schemaname = 'app' and tablename = any($1)`,
      [FORGOTTEN_TABLES],
    )
    const names = rows.map(({ name }) => `app.${name}`)
    if (names.length > 0) await client.query(`truncate ${names.join(', ')} cascade`)
    const databases = await client.query(
      `select quote_ident(datname) as name from pg_database
       where datname like 'cairn\\_solver\\_%' or datname = 'cairn_orders'`,
    )
    for (const { name } of databases.rows) await client.query(`drop database ${name}`)
  } finally {
    await client.end()
  }
}
