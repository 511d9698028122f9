import type pg from 'pg'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { createChainTables } from '../../../tools/seed/createChainTables.ts'

export const SOURCE = 84532
/** The least that the source's bridge takes of its token. */
export const LEAST = 5_000_000n
const SCHEMA = 'cairn_84532_rows'
const DELIVERIES = 'cairn_2651420_rows'
const DESTINATION = { chainId: 2651420, chainName: 'horizen_testnet', schema: DELIVERIES }
const PARAMS_HASH = `0x${'33'.repeat(32)}`
const [SENDER, SOLVER, TOKEN_A, TOKEN_B] = ['1', '2', 'a', 'b'].map((of) => `0x${of.repeat(40)}`)

/** An index of both chains that knows the source's token and nothing else yet. */
export async function openSourceIndex(client: pg.Client): Promise<void> {
  await createChainTables(client, { chainId: SOURCE, chainName: 'base_sepolia', schema: SCHEMA })
  await createChainTables(client, DESTINATION)
  await createViews(client, [{ chainId: SOURCE, schema: SCHEMA }, DESTINATION])
  await client.query(
    `insert into "${SCHEMA}".bridge_token (chain_id, token, min_amount, max_amount, quorum, listed)
     values ($1, $2, $3, $3::numeric * 1000, 1, true)`,
    [...[SOURCE, TOKEN_A, String(LEAST)]],
  )
}

/** What the index says of an intent that pays Safes. */
export type IndexedIntent = { phase: string; amountA: bigint; feeBps: number | null }

/** Writes an intent into the index; later ones of the same id replace it. */
export async function indexIntent(
  client: pg.Client,
  intentId: bigint,
  destChainId: number,
  { phase, amountA, feeBps }: IndexedIntent,
): Promise<void> {
  await client.query(`delete from "${SCHEMA}".intent where intent_id = $1`, [String(intentId)])
  await client.query(
    `insert into "${SCHEMA}".intent (source_chain_id, intent_id, params_hash, phase, sender,
       dest_chain_id, token_a, token_b, amount_a, expected_amount_b, reward, end_time, firm_at,
       pickup_deadline, create_tx_hash, created_at, created_block, quorum, fee_bps, blob_count,
       blobs_hash, bid_count, solver, winning_amount_b, fill_deadline, updated_block, updated_at)
     values ($1, $2, '${PARAMS_HASH}', $3, $4, $5, $6, $7, $8, 1, 0, 10, 5, 20, '0x', 0, 1, 1, $9, 1,
       '${PARAMS_HASH}', 1, $10, 100, 1000, 1, 0)`,
    [
      ...[SOURCE, String(intentId), phase, SENDER, destChainId, TOKEN_A, TOKEN_B],
      ...[String(amountA), feeBps, SOLVER],
    ],
  )
}

/** Writes the delivery of an intent's winner into the index: in time, and of what it owes. */
export async function indexDelivery(
  client: pg.Client,
  intentId: bigint,
  destChainId: number,
): Promise<void> {
  await client.query(
    `insert into "${DELIVERIES}".delivery (dest_chain_id, chain2_intent_id, source_chain_id,
       intent_id, params_hash, solver, token_b, amount_b, credited, solve_tx_hash, solved_at,
       solved_block)
     values ($1, $2, $3, $2, '${PARAMS_HASH}', $4, $5, 100, 0, '0x', 999, 1)`,
    [destChainId, String(intentId), SOURCE, SOLVER, TOKEN_B],
  )
}
