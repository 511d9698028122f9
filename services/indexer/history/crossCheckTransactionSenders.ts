import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { requestFromProvider } from '../../chain/proof/requestFromProvider.ts'
import { resolveSenderConflict, type SenderClaim } from '../../chain/proof/resolveSenderConflict.ts'
import type { Provider, RpcAnswer, RpcRequest } from '../../chain/rpcPool/provider.ts'
import { quarantineOutvoted } from '../../chain/rpcPool/quarantineOutvoted.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import { DiscreditedRangeError } from './compareProviders.ts'
import type { HistorySource } from './historySource.ts'

type Response = { answers: RpcAnswer[]; provider: Provider }

type SenderComparison = {
  /** The source's pool, which also sends each request to a second provider. */
  pool: RpcPool
  /**
   * Waits for the second answers.
   *
   * @returns the providers of senders that no second provider confirmed
   * @throws DiscreditedRangeError if one of them was quarantined; InconsistentRangeError if two name different
   *   senders, and neither proof nor vote decides
   */
  finish(): Promise<Provider[]>
}

/**
 * Requests the senders of transactions, from receipts or transactions, from a second provider too, because no block hash
 * reveals a false sender. A provider at its rate limit is skipped.
 *
 * @param relevant hashes of the transactions to compare
 */
export function crossCheckTransactionSenders(
  source: HistorySource,
  relevant: ReadonlySet<Hex>,
): SenderComparison {
  const comparisons: Promise<Provider[]>[] = []
  const send: RpcPool['send'] = async (requests, options) => {
    const response = await source.pool.send(requests, options)
    const comparison = isConfirmed(source, relevant, requests, response).then((confirmed) =>
      confirmed ? [] : [response.provider],
    )
    // `finish` throws it; until then it must not count as unhandled.
    comparison.catch(() => {})
    comparisons.push(comparison)
    return response
  }
  return {
    pool: { ...source.pool, send },
    finish: async () => (await Promise.all(comparisons)).flat(),
  }
}

async function isConfirmed(
  source: HistorySource,
  relevant: ReadonlySet<Hex>,
  requests: readonly RpcRequest[],
  first: Response,
): Promise<boolean> {
  const second = await requestSecond(source, requests, first.provider)
  if (second === null) return false
  const senders = new Map([...sendersIn(first.answers)].filter(([hash]) => relevant.has(hash)))
  const others = { senders: sendersIn(second.answers), provider: second.provider }
  return compareSenders(source.pool, { senders, provider: first.provider }, others)
}

type NamedSenders = { senders: ReadonlyMap<Hex, Hex>; provider: Provider }

/**
 * Compares transactions' senders with a second provider's. Quarantines a provider that is proven wrong or outvoted.
 *
 * @returns whether the second provider confirmed all
 * @throws DiscreditedRangeError if the first provider was quarantined; InconsistentRangeError if neither proof nor vote
 *   decides
 */
export async function compareSenders(
  pool: RpcPool,
  first: NamedSenders,
  second: NamedSenders,
): Promise<boolean> {
  let isComplete = true
  for (const [hash, from] of first.senders) {
    const other = second.senders.get(hash)
    if (other === from) continue
    isComplete = false
    if (other === undefined) continue
    const claims = [
      { from, provider: first.provider },
      { from: other, provider: second.provider },
    ] as const
    const quarantined =
      (await resolveSenderConflict(hash, claims)) ?? (await outvote(pool, hash, claims))
    if (quarantined === first.provider)
      throw new DiscreditedRangeError(quarantined.quarantine?.reason)
    if (quarantined) return false
    throw new InconsistentRangeError(
      `transaction ${hash} is sent by ${from} on ${first.provider.name} and by ${other} on ${second.provider.name}: add another provider`,
    )
  }
  return isComplete
}

async function outvote(
  pool: RpcPool,
  hash: Hex,
  claims: readonly [SenderClaim, SenderClaim],
): Promise<Provider | null> {
  const voteOf = async (voter: Provider) => {
    const send = requestFromProvider(voter)
    const transaction = await send('eth_getTransactionByHash', [hash]).catch(() => null)
    const { from } = (transaction ?? {}) as { from?: unknown }
    const sender = typeof from === 'string' ? from.toLowerCase() : null
    return claims.find((claim) => claim.from === sender)?.provider ?? null
  }
  const [one, other] = claims
  const subject = `senders, such as of transaction ${hash},`
  return quarantineOutvoted(pool, [one.provider, other.provider], voteOf, subject)
}

/** Sends the requests to another provider without waiting; null if none answers. */
async function requestSecond(
  { pool, signal, totalTimeoutMs }: HistorySource,
  requests: readonly RpcRequest[],
  first: Provider,
): Promise<Response | null> {
  const exclude = unreadyFor(pool, requests.length, first)
  if (exclude.size === pool.providers.length) return null
  try {
    const usable = (result: unknown) => result !== null
    return await pool.send(requests, { signal, totalTimeoutMs, exclude, usable, once: true })
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

/** The providers that can't send so many requests at once, and the first one. */
export function unreadyFor(pool: RpcPool, requests: number, first: Provider): Set<Provider> {
  const isReady = (provider: Provider) =>
    provider !== first && !provider.quarantine && provider.readyIn(requests) === 0
  return new Set(pool.providers.filter((provider) => !isReady(provider)))
}

/** Senders by transaction, from blocks' receipts or from transactions. Skips malformed ones. */
function sendersIn(answers: readonly RpcAnswer[]): Map<Hex, Hex> {
  const senders = new Map<Hex, Hex>()
  for (const answer of answers) {
    const result = 'result' in answer ? answer.result : []
    for (const entry of Array.isArray(result) ? result : [result]) {
      const { transactionHash, hash = transactionHash, from } = entry ?? {}
      if (typeof hash !== 'string' || typeof from !== 'string') continue
      senders.set(hash.toLowerCase() as Hex, from.toLowerCase() as Hex)
    }
  }
  return senders
}
