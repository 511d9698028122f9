import type { Client } from 'pg'

/** Schema of the table that peers read. */
export const PEER_SCHEMA = 'bench_peer'

/**
 * Copies both seeded chains' intents into one table with the same columns and indexes: the peers read it without the views
 * between Cairn and its chains.
 */
export async function createPeerTable(client: Client, schemas: readonly string[]): Promise<void> {
  const [first] = schemas
  await client.query(`drop schema if exists ${PEER_SCHEMA} cascade`)
  await client.query(`create schema ${PEER_SCHEMA}`)
  await client.query(
    `create table ${PEER_SCHEMA}.intent (like "${first}".intent including defaults including indexes)`,
  )
  for (const schema of schemas) {
    await client.query(`insert into ${PEER_SCHEMA}.intent select * from "${schema}".intent`)
  }
  await client.query(`analyze ${PEER_SCHEMA}.intent`)
}
