import pg from 'pg'
import { setChainClock } from '../../../tools/seed/createChainTables.ts'

const CHANGES_A_SECOND = 10
const BLOCK_SECONDS = 2

/**
 * Simulates a live index on seeded data: each second both heads move and ten intents are reported as changed, by the same
 * notifications that a real index's tables send.
 */
export async function startPulse(databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows: chains } = await client.query(
    `select p.schema_name as schema, p.chain_id::int as id, p.chain_name as name, c.block_number::int as block,
       c.timestamp::int as timestamp, c.finalized_block::int as finalized,
       (select count(*)::int from cairn.intent i where i.source_chain_id = p.chain_id) as intents
     from app.projection p join cairn.chain_clock c using (chain_id) where p.active`,
  )
  let beats = 0
  const change = async (chainId: number, intents: number) => {
    const intentId = (BigInt(chainId) << 64n) + BigInt(Math.ceil(Math.random() * intents))
    await client.query(
      `with line as (
         insert into app.change_log (source_chain_id, intent_id, table_name, operation)
         values ($1, $2, 'intent', 'update') returning sequence
       )
       select pg_notify('cairn_change', json_build_object('sequence', sequence::text)::text) from line`,
      [chainId, String(intentId)],
    )
  }
  const beat = async () => {
    for (const { schema, id, name, block, timestamp, finalized, intents } of chains) {
      for (let each = 0; each < CHANGES_A_SECOND / 2; each++) {
        beats += 1
        await change(id, intents)
      }
      await setChainClock(client, schema, {
        chainId: id,
        chainName: name,
        blockNumber: block + beats,
        timestamp: timestamp + BLOCK_SECONDS * beats,
        finalizedBlock: finalized + beats,
      })
    }
  }
  let beating = Promise.resolve()
  const timer = setInterval(() => {
    beating = beating.then(beat)
  }, 1_000)
  return {
    stop: async () => {
      clearInterval(timer)
      await beating
      await client.end()
    },
  }
}
