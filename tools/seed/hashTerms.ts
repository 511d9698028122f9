import type pg from 'pg'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../src/event/paramsHash.ts'
import { quickKeccak } from '../../src/event/quickKeccak.ts'
import { BRIDGE } from './bridgeStatements.ts'
import { draftTable, termsTable } from './intentPlanStatements.ts'

/** Intents to read and hash at once. */
const PAGE = 20_000

type NumberColumn =
  | 'n'
  | 'chain'
  | 'dest'
  | 'amount_a'
  | 'expected_amount_b'
  | 'reward'
  | 'duration'

type Draft = Record<NumberColumn, string> & Record<'sender' | 'token_a' | 'token_b', Hex>

/** Hashes the terms of a source chain's drafted intents: PostgreSQL has no keccak256. */
export async function hashTerms(client: pg.Client, chain: 0 | 1): Promise<void> {
  await client.query(`create unlogged table ${termsTable(chain)} (n bigint, params_hash text)`)
  // Without it, each page would read the whole draft.
  await client.query(`create index on ${draftTable(chain)} (n)`)
  for (let from = 0; ; from += PAGE) {
    const { rows } = await client.query<Draft>(
      `select n, source_chain_id as chain, dest_chain_id as dest, sender, token_a, token_b, amount_a,
         expected_amount_b, reward, end_time - created_at as duration
       from ${draftTable(chain)} where n > $1 and n <= $2`,
      [from, from + PAGE],
    )
    if (rows.length === 0) return
    await client.query(
      `insert into ${termsTable(chain)} select * from unnest($1::bigint[], $2::text[])`,
      [rows.map(({ n }) => n), rows.map((draft) => hashOf(draft))],
    )
  }
}

function hashOf(draft: Draft): Hex {
  const terms = {
    chainId: BigInt(draft.chain),
    bridge: BRIDGE,
    user: draft.sender,
    tokenA: draft.token_a,
    tokenB: draft.token_b,
    amountA: BigInt(draft.amount_a),
    expectedAmountB: BigInt(draft.expected_amount_b),
    reward: BigInt(draft.reward),
    destChainId: BigInt(draft.dest),
    auctionDuration: BigInt(draft.duration),
  }
  return paramsHash(terms, quickKeccak)
}
