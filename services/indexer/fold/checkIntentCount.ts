import type { ClientBase } from 'pg'
import { decodeFunctionResult, encodeFunctionData, numberToHex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { EventPage } from './splitIntoPages.ts'

const call = { abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' } as const
/** An intent's id is `(chainId << 64) | sequence`. */
const sequenceMask = (1n << 64n) - 1n

/**
 * Compares the creations in a history with the bridge's own count: the one fact about a history's completeness
 * that a chain's state shows, independent of who gave the logs. Each creation takes the next id.
 */
export class IntentCountCheck {
  readonly #pool: RpcPool
  readonly #bridge: ChainConfig['bridge']
  readonly #signal: AbortSignal | undefined
  #created = 0n
  /** Nodes that are pruned don't know old states: having said so once, they are asked for the last one only. */
  #isPruned = false

  constructor({
    pool,
    bridge,
    signal,
  }: {
    pool: RpcPool
    bridge: ChainConfig['bridge']
    signal: AbortSignal | undefined
  }) {
    this.#pool = pool
    this.#bridge = bridge
    this.#signal = signal
  }

  /** Begins behind a history that has so many. */
  goOnFrom(created: bigint): void {
    this.#created = created
  }

  /**
   * How many creations a history lacks that goes on with this page; null when no provider can tell the state at
   * its end. Each page is to be counted once.
   */
  async missing(page: EventPage, isLast: boolean): Promise<bigint | null> {
    for (const { type } of page.events) if (type === 'IntentCreated') this.#created += 1n
    if (this.#isPruned && !isLast) return null
    const latest = await this.#latestSequence(page.blockNumber)
    if (latest === undefined) this.#isPruned = true
    return latest === undefined ? null : latest - this.#created
  }

  async #latestSequence(block: number): Promise<bigint | undefined> {
    const parameters = [{ to: this.#bridge, data: encodeFunctionData(call) }, numberToHex(block)]
    const options = { signal: this.#signal, patienceMs: 5_000 }
    try {
      const data = await this.#pool.request('eth_call', parameters, options)
      return decodeFunctionResult({ ...call, data: data as `0x${string}` }) & sequenceMask
    } catch {
      // A pruned node, or a bridge that isn't there yet at this block: then nothing is known.
      this.#signal?.throwIfAborted()
      return undefined
    }
  }
}

/** Intents that the tables of a schema hold: ids are given in order, so the latest one counts them. */
export async function countIntents(
  client: ClientBase,
  schema: string,
  chainId: number,
): Promise<bigint> {
  const { rows } = await client.query<{ id: string | null }>(
    `SELECT max(intent_id)::text AS id FROM "${schema}".intent WHERE source_chain_id = $1`,
    [chainId],
  )
  return BigInt(rows[0]?.id ?? 0) & sequenceMask
}
