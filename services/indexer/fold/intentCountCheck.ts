import type { ClientBase } from 'pg'
import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { findLowerMedian } from '../../chain/transactions/medianAndMajority.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { createQueryEachProvider, type QueryEachProvider } from './queryEachProvider.ts'
import type { EventPage } from './splitIntoPages.ts'

const call = { abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' } as const
/** An intent's id is `(chainId << 64) | sequence`. */
const SEQUENCE_MASK = (1n << 64n) - 1n

type CountedBridge = {
  pool: RpcPool
  bridge: ChainConfig['bridge']
  signal: AbortSignal | undefined
}

/**
 * Compares the creations in a history with the bridge's own count, since each creation takes the next id. The count is
 * chain state, so it doesn't depend on the provider that returned the logs. It is the one that most providers name: a
 * single one could have a complete index dropped.
 */
export class IntentCountCheck {
  readonly #bridge: CountedBridge
  readonly #query: QueryEachProvider
  #created = 0n
  /** Pruned nodes lack old states. After the first failure only the last page is checked. */
  #isPruned = false

  constructor(bridge: CountedBridge) {
    this.#bridge = bridge
    this.#query = createQueryEachProvider(bridge.pool)
  }

  /** Sets the number of creations before the first page. */
  startAt(created: bigint): void {
    this.#created = created
  }

  /**
   * The number of creations missing up to the end of this page; null when no provider has the state at its end. Call it
   * once per page, in order.
   */
  async countMissing(page: EventPage, isLast: boolean): Promise<bigint | null> {
    for (const { type } of page.events) if (type === 'IntentCreated') this.#created += 1n
    if (this.#isPruned && !isLast) return null
    const latest = await this.#latestSequence(page.blockNumber)
    if (latest === undefined) this.#isPruned = true
    return latest === undefined ? null : latest - this.#created
  }

  async #latestSequence(block: number): Promise<bigint | undefined> {
    const { bridge, signal } = this.#bridge
    const parameters = [{ to: bridge, data: encodeFunctionData(call) }, numberToHex(block)]
    const options = { signal, totalTimeoutMs: 5_000 }
    const answers = await this.#query('eth_call', parameters, options).catch(() => [])
    signal?.throwIfAborted()
    const counts = answers.flatMap(countIn)
    // The nodes are pruned, or the bridge isn't deployed yet at this block.
    if (2 * counts.length <= answers.length) return undefined
    return findLowerMedian(counts)
  }
}

/** The count in a node's answer, if it is one. */
function countIn(answer: unknown): bigint[] {
  try {
    return [decodeFunctionResult({ ...call, data: answer as `0x${string}` }) & SEQUENCE_MASK]
  } catch {
    return []
  }
}

/** The number of intents in a schema. Ids are consecutive, so it is the sequence of the latest one. */
export async function countIntents(
  client: ClientBase,
  schema: string,
  chainId: number,
): Promise<bigint> {
  const { rows } = await client.query<{ id: string | null }>(
    `SELECT max(intent_id)::text AS id FROM "${schema}".intent WHERE source_chain_id = $1`,
    [chainId],
  )
  return BigInt(rows[0]?.id ?? 0) & SEQUENCE_MASK
}
