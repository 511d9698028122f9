import type { ClientBase } from 'pg'
import { decodeFunctionResult, encodeFunctionData, numberToHex, toEventSelector } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { BlockRange } from './blockRange.ts'
import type { FetchContext } from './fetchLogs.ts'

/** Creations that no log in the cache tells of, and the blocks among which they must be. */
export type MissingCreations = BlockRange & { intents: number }

const call = { abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' } as const
/** An intent's id is `(chainId << 64) | sequence`. */
const sequenceMask = (1n << 64n) - 1n

/**
 * Compares the creations in the cache with the bridge's own count at a block: the one thing about a history's
 * completeness that a chain's state tells, whoever gave the logs. An id is given once and by one.
 *
 * @returns undefined when none is missing, or when no provider can tell the state at that block.
 */
export async function missingCreations(
  context: Pick<FetchContext, 'pool' | 'signal'>,
  client: ClientBase,
  { chainId, bridge, startBlock }: ChainConfig,
  toBlock: number,
): Promise<MissingCreations | undefined> {
  const latest = await latestSequence(context, bridge, toBlock)
  if (latest === undefined) return undefined
  const { rows } = await client.query<{ intents: string; low: string; high: string }>(
    `WITH created AS (
       SELECT ('x' || right(topic1, 16))::bit(64)::bigint AS sequence, block_number AS block
         FROM ponder_sync.logs
        WHERE chain_id = $1 AND address = $2 AND topic0 = $3 AND block_number <= $4
       UNION ALL VALUES (0::bigint, $5::bigint), ($6::bigint + 1, $4::bigint)
     ), neighbours AS (
       SELECT sequence, block, lead(sequence) OVER pair AS next, lead(block) OVER pair AS next_block
         FROM created WINDOW pair AS (ORDER BY sequence)
     )
     SELECT sum(next - sequence - 1) AS intents, min(block) AS low, max(next_block) AS high
       FROM neighbours WHERE next > sequence + 1`,
    [chainId, bridge.toLowerCase(), creationSelector, toBlock, startBlock, latest.toString()],
  )
  const [found] = rows
  if (!found?.intents) return undefined
  return { intents: Number(found.intents), from: Number(found.low), to: Number(found.high) }
}

const creationSelector = toEventSelector(
  EVENT_ABI.find(({ name }) => name === 'IntentCreated') as (typeof EVENT_ABI)[number],
)

async function latestSequence(
  { pool, signal }: Pick<FetchContext, 'pool' | 'signal'>,
  bridge: ChainConfig['bridge'],
  block: number,
): Promise<bigint | undefined> {
  const parameters = [{ to: bridge, data: encodeFunctionData(call) }, numberToHex(block)]
  try {
    const data = await pool.request('eth_call', parameters, { signal, patienceMs: 5_000 })
    return decodeFunctionResult({ ...call, data: data as `0x${string}` }) & sequenceMask
  } catch {
    // A pruned node, or a bridge that isn't there yet at this block: then nothing is known.
    signal?.throwIfAborted()
    return undefined
  }
}
