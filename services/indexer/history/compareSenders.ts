import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { requestFromProvider } from '../../chain/proof/requestFromProvider.ts'
import { resolveSenderConflict, type SenderClaim } from '../../chain/proof/resolveSenderConflict.ts'
import type { Provider, RpcAnswer, RpcRequest } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import { DiscreditedRangeError } from './compareProviders.ts'
import type { HistorySource } from './historySource.ts'
import { quarantineOutvoted } from './quarantineOutvoted.ts'

type Given = { answers: RpcAnswer[]; provider: Provider }

type SenderComparison = {
  /** Asks as the source's pool does, and another provider the same. */
  pool: RpcPool
  /**
   * Waits for the others' answers.
   *
   * @returns the providers that alone gave some sender
   * @throws DiscreditedRangeError if one of them was quarantined; InconsistentRangeError if two name different
   *   senders, nothing proves either, and the others outvote neither.
   */
  finish(): Promise<Provider[]>
}

/**
 * Has a second provider asked for the senders of transactions, receipts or transactions as they are requested: no
 * block hash reveals a false one. A provider at its rate limit isn't waited for.
 */
export function compareSenders(source: HistorySource, named: ReadonlySet<Hex>): SenderComparison {
  const compared: Promise<Provider[]>[] = []
  const send: RpcPool['send'] = async (requests, options) => {
    const given = await source.pool.send(requests, options)
    const agreement = isAgreed(source, named, requests, given)
    const alone = agreement.then((agreed) => (agreed ? [] : [given.provider]))
    // It is thrown when the comparison ends; until then it must not count as unhandled.
    alone.catch(() => {})
    compared.push(alone)
    return given
  }
  return {
    pool: { ...source.pool, send },
    finish: async () => (await Promise.all(compared)).flat(),
  }
}

async function isAgreed(
  source: HistorySource,
  named: ReadonlySet<Hex>,
  requests: readonly RpcRequest[],
  given: Given,
): Promise<boolean> {
  const second = await secondAnswer(source, requests, given.provider)
  if (second === null) return false
  const [senders, theirs] = [sendersIn(given.answers), sendersIn(second.answers)]
  let isWhole = true
  for (const [hash, from] of senders) {
    if (!named.has(hash)) continue
    const other = theirs.get(hash)
    if (other === from) continue
    isWhole = false
    if (other === undefined) continue
    const claims = [
      { from, provider: given.provider },
      { from: other, provider: second.provider },
    ] as const
    const quarantined =
      (await resolveSenderConflict(hash, claims)) ?? (await outvote(source.pool, hash, claims))
    if (quarantined === given.provider)
      throw new DiscreditedRangeError(quarantined.quarantine?.reason)
    if (quarantined) return false
    throw new InconsistentRangeError(
      `transaction ${hash} is sent by ${from} on ${given.provider.name} and by ${other} on ${second.provider.name}: add another provider`,
    )
  }
  return isWhole
}

async function outvote(
  pool: RpcPool,
  hash: Hex,
  claims: readonly [SenderClaim, SenderClaim],
): Promise<Provider | null> {
  const sidesWith = async (another: Provider) => {
    const said = await requestFromProvider(another)('eth_getTransactionByHash', [hash]).catch(
      () => null,
    )
    const { from } = (said ?? {}) as { from?: unknown }
    const sender = typeof from === 'string' ? from.toLowerCase() : null
    return claims.find((claim) => claim.from === sender)?.provider ?? null
  }
  const [one, other] = claims
  const what = `senders, such as of transaction ${hash},`
  return quarantineOutvoted(pool, [one.provider, other.provider], sidesWith, what)
}

/** Null when nobody else answers now. */
async function secondAnswer(
  { pool, signal, patienceMs }: HistorySource,
  requests: readonly RpcRequest[],
  first: Provider,
): Promise<Given | null> {
  const isReady = (provider: Provider) =>
    provider !== first && !provider.quarantine && provider.readyIn(requests.length) === 0
  const exclude = new Set(pool.providers.filter((provider) => !isReady(provider)))
  if (exclude.size === pool.providers.length) return null
  try {
    const usable = (result: unknown) => result !== null
    return await pool.send(requests, { signal, patienceMs, exclude, usable, once: true })
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

/** By transaction, from receipts of blocks or from transactions. What can't be read is left out. */
function sendersIn(answers: readonly RpcAnswer[]): Map<Hex, Hex> {
  const senders = new Map<Hex, Hex>()
  for (const answer of answers) {
    const result = 'result' in answer ? answer.result : []
    for (const one of Array.isArray(result) ? result : [result]) {
      const { transactionHash, hash = transactionHash, from } = one ?? {}
      if (typeof hash !== 'string' || typeof from !== 'string') continue
      senders.set(hash.toLowerCase() as Hex, from.toLowerCase() as Hex)
    }
  }
  return senders
}
