import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool } from '../rpcPool/rpcPool.ts'
import { findLowerMedian } from '../transactions/medianAndMajority.ts'
import {
  createQueryAllProviders,
  type QueryAllProviders,
} from '../transactions/queryAllProviders.ts'
import { requestHeader } from './requestInBatches.ts'
import type { Header } from './rpcSchemas.ts'

/** Sends requests to one or any of a chain's providers. */
export type Sending = Pick<RpcPool, 'send'>

/**
 * Reads of a chain on which most of its providers agree, so that one of three or more can't invent anything. Of two, the
 * first that answers is believed.
 */
export type AgreedReads = {
  /** The latest block. */
  head(): Promise<Header>
  /** The answer that most providers give; without a majority, that of the first of those that answer. @throws if none does */
  read<Answer>(
    ask: (sending: Sending) => Promise<Answer>,
    keyOf: (answer: Answer) => string,
  ): Promise<Answer>
  /** Whether `read` now asks each provider rather than one. */
  asksEach(): boolean
}

/** With fewer providers there is no majority against one of them. */
const LEAST = 3

/** Milliseconds for one provider's answer to a request. */
const TIMEOUT_MS = 15_000

export function createAgreedReads(pool: RpcPool): AgreedReads {
  const queryHeads: QueryAllProviders<Provider> = createQueryAllProviders(
    pool.providers,
    () => new Set(pool.providers.filter(({ quarantine }) => quarantine)),
  )
  const asksEach = () => pool.trusted().length >= LEAST
  const read: AgreedReads['read'] = (ask, keyOf) => {
    if (!asksEach()) return ask(pool)
    return findAgreed(
      pool.trusted().map((provider) => ask(sendOnlyTo(pool, provider))),
      keyOf,
    )
  }
  return {
    read,
    asksEach,
    async head() {
      if (!asksEach()) return requestHeader(pool, 'latest')
      const heads = await queryHeads((provider) =>
        requestHeader(sendOnlyTo(pool, provider), 'latest'),
      )
      const number = findLowerMedian(heads.map((head) => head.number))
      return read((sending) => requestHeader(sending, number), nameHeader)
    },
  }
}

/** Identifies equal headers. */
export function nameHeader({ hash, timestamp }: Header): string {
  return `${hash} ${timestamp}`
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
): Promise<Answer> {
  const counts = new Map<string, number>()
  return new Promise((resolve, reject) => {
    const counted = asked.map(async (one) => {
      const answer = await one
      const key = keyOf(answer)
      const count = 1 + (counts.get(key) ?? 0)
      counts.set(key, count)
      if (2 * count > asked.length) resolve(answer)
      return { answer, key }
    })
    Promise.allSettled(counted).then((results) => {
      const answers = results.flatMap((result) =>
        result.status === 'fulfilled' ? [result.value] : [],
      )
      const [best] = answers.toSorted((a, b) => (counts.get(b.key) ?? 0) - (counts.get(a.key) ?? 0))
      if (best) resolve(best.answer)
      else reject((results[0] as PromiseRejectedResult).reason)
    })
  })
}
