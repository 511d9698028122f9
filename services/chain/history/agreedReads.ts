import type { Provider } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { findStalledProviders, noteHead, type SeenHead } from '../transactions/chainNodes.ts'
import { findLowerMedian } from '../transactions/medianAndMajority.ts'
import {
  createQueryAllProviders,
  type QueryAllProviders,
} from '../transactions/queryAllProviders.ts'
import { UnusableAnswerError } from './historyErrors.ts'
import { requestHeader } from './requestInBatches.ts'
import type { Header } from './rpcSchemas.ts'

/** Sends requests to one or any of a chain's providers. */
export type Sending = Pick<RpcPool, 'send'>

/**
 * Reads of a chain on which most of its providers agree, so that one of three or more can't invent anything. Of two, the
 * first that answers is believed, unless its head is stale while the other has new blocks.
 */
export type AgreedReads = {
  /** The latest block. @throws UnusableAnswerError while providers contradict each other about it */
  head(): Promise<Header>
  /**
   * The answer that most providers give, and how far they agree; without a majority, that of the first of those that answer.
   *
   * @throws if none does
   */
  readCounted<Answer>(
    ask: (sending: Sending) => Promise<Answer>,
    keyOf: (answer: Answer) => string,
  ): Promise<Counted<Answer>>
  /** Whether each provider is asked now, rather than one. */
  asksEach(): boolean
}

export type Counted<Answer> = {
  answer: Answer
  /** Whether most providers give it, or it isn't asked of each. */
  byMost: boolean
  /** Whether others contradict it and too few answer for a majority: a liar and one other, say, while the third is down. */
  isDisputed: boolean
}

/** With fewer providers there is no majority against one of them. */
const LEAST = 3

/** Milliseconds for one provider's answer to a request. */
const TIMEOUT_MS = 15_000

/** Milliseconds between comparisons of two providers' heads. */
const COMPARE_EVERY_MS = 10_000

export function createAgreedReads(pool: RpcPool): AgreedReads {
  const queryHeads: QueryAllProviders<Provider> = createQueryAllProviders(
    pool.providers,
    () => new Set(pool.providers.filter(({ quarantine }) => quarantine)),
  )
  const seen = new Map<Provider, SeenHead>()
  let comparedAt = Number.NEGATIVE_INFINITY
  const compareHeads = async () => {
    const now = performance.now()
    if (pool.trusted().length < 2 || now - comparedAt < COMPARE_EVERY_MS) return
    comparedAt = now
    const queries = queryHeads(async (provider) => {
      const { number } = await requestHeader(sendOnlyTo(pool, provider), 'latest')
      noteHead(seen, provider, number, performance.now())
    })
    await queries.catch(() => {})
  }
  const asksEach = () => pool.trusted().length >= LEAST
  const readCounted: AgreedReads['readCounted'] = async (ask, keyOf) => {
    if (!asksEach())
      return { answer: await ask(sendToLive(pool, seen)), byMost: true, isDisputed: false }
    return findAgreed(
      pool.trusted().map((provider) => ask(sendOnlyTo(pool, provider))),
      keyOf,
    )
  }
  return {
    readCounted,
    asksEach,
    async head() {
      if (!asksEach()) {
        await compareHeads()
        return requestHeader(sendToLive(pool, seen), 'latest')
      }
      const heads = await queryHeads((provider) =>
        requestHeader(sendOnlyTo(pool, provider), 'latest'),
      )
      const numbers = heads.map((head) => head.number)
      const highest = findLowerMedian(numbers)
      // The others may lack it if one has invented a head above theirs, and it would decide alone.
      for (const number of new Set(numbers.toSorted((one, other) => other - one))) {
        if (number > highest) continue
        const { answer, isDisputed } = await readCounted(
          (sending) => findHeader(sending, number),
          (header) => (header === null ? 'none' : nameHeader(header)),
        )
        if (answer !== null && !isDisputed) return answer
      }
      throw new UnusableAnswerError(
        'the chain’s nodes contradict each other about the latest block',
      )
    },
  }
}

/** The header of a block; null if there is none. */
async function findHeader(sending: Sending, number: number): Promise<Header | null> {
  try {
    return await requestHeader(sending, number)
  } catch (error) {
    if (error instanceof RpcError && error.failure === 'behind') return null
    throw error
  }
}

/** Sends to any provider that isn't stalled. */
function sendToLive(pool: RpcPool, seen: ReadonlyMap<Provider, SeenHead>): Sending {
  const trusted = new Map([...seen].filter(([provider]) => !provider.quarantine))
  const stalled = findStalledProviders(trusted, performance.now())
  if (stalled.size === 0) return pool
  return { send: (requests, options) => pool.send(requests, { ...options, exclude: stalled }) }
}

/** Identifies equal headers. */
export function nameHeader({ hash, parentHash, timestamp }: Header): string {
  return `${hash} ${parentHash} ${timestamp}`
}

/** Sends to one provider, once. */
export function sendOnlyTo(pool: RpcPool, provider: Provider): Sending {
  const exclude = new Set(pool.providers.filter((other) => other !== provider))
  return {
    send: (requests, options) =>
      pool.send(requests, { ...options, exclude, once: true, timeoutMs: TIMEOUT_MS }),
  }
}

/** Doesn't wait for the others once more than half of all agree. */
function findAgreed<Answer>(
  asked: readonly Promise<Answer>[],
  keyOf: (answer: Answer) => string,
): Promise<Counted<Answer>> {
  const counts = new Map<string, number>()
  return new Promise((resolve, reject) => {
    const counted = asked.map(async (one) => {
      const answer = await one
      const key = keyOf(answer)
      const count = 1 + (counts.get(key) ?? 0)
      counts.set(key, count)
      if (2 * count > asked.length) resolve({ answer, byMost: true, isDisputed: false })
      return { answer, key }
    })
    Promise.allSettled(counted).then((results) => {
      const answers = results.flatMap((result) =>
        result.status === 'fulfilled' ? [result.value] : [],
      )
      const [best] = answers.toSorted((a, b) => (counts.get(b.key) ?? 0) - (counts.get(a.key) ?? 0))
      if (best) resolve({ answer: best.answer, byMost: false, isDisputed: counts.size > 1 })
      else reject((results[0] as PromiseRejectedResult).reason)
    })
  })
}
