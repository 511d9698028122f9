import type pg from 'pg'
import type { FalseDelivery, LyingRpc } from './lyingRpc.ts'

/** Puts a delivery into the index that the chain doesn't have, as if all its providers had lied. */
export async function insertFalseDelivery(
  client: pg.Client,
  chainId: number,
  lie: FalseDelivery,
  { number, hash, timestamp, transactionHash }: LyingRpc['block'],
): Promise<void> {
  const { rows } = await client.query(
    'select schema_name from app.projection where active and chain_id = $1',
    [chainId],
  )
  const schema = client.escapeIdentifier(rows[0].schema_name)
  const amountB = String(lie.payments.reduce((sum, { amount }) => sum + amount, 0n))
  const lower = (text: string) => text.toLowerCase()
  const args = {
    chain2IntentId: String(lie.chain2IntentId),
    sourceChainId: String(lie.sourceChainId),
    intentId: String(lie.intentId),
    paramsHash: lie.paramsHash,
    solver: lower(lie.solver),
    tokenB: lower(lie.tokenB),
    amountB,
  }
  const logIndex = lie.payments.length
  await client.query('begin')
  await client.query(
    `insert into ${schema}.event (chain_id, block_number, log_index, block_hash, block_timestamp,
       transaction_hash, transaction_from, type, source_chain_id, intent_id, args)
     values ($1, $2, $3, $4, $5, $6, $7, 'IntentSolved', $8, $9, $10)`,
    [
      ...[chainId, number, logIndex, hash, timestamp, transactionHash, lower(lie.solver)],
      ...[lie.sourceChainId, String(lie.intentId), JSON.stringify(args)],
    ],
  )
  await client.query(
    `insert into ${schema}.delivery (dest_chain_id, chain2_intent_id, source_chain_id, intent_id,
       solver, token_b, amount_b, solve_tx_hash, solved_at, solved_block, params_hash, credited)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0)`,
    [
      ...[chainId, args.chain2IntentId, lie.sourceChainId, args.intentId, args.solver],
      ...[args.tokenB, amountB, transactionHash, timestamp, number, lie.paramsHash],
    ],
  )
  await client.query('commit')
}
