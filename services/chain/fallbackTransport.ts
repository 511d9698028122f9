import { createTransport, shouldThrow, TimeoutError, type Transport } from 'viem'

/** Milliseconds for which a node that didn't answer in time is asked last. */
export const ASKED_LAST_MS = 60_000

/**
 * Asks the nodes in order until one answers. viem's own fallback waits again for a stalled node at each request, while
 * auctions and deadlines pass; this one asks it last for a minute.
 */
export function createFallbackTransport(
  transports: readonly Transport[],
  now: () => number = () => performance.now(),
): Transport {
  return (options) => {
    const nodes = transports.map((create) => ({
      request: create({ ...options, retryCount: 0 }).request,
      askedLastUntil: 0,
    }))
    const request = async (call: { method: string; params?: unknown }) => {
      const isLast = ({ askedLastUntil }: (typeof nodes)[number]) => now() < askedLastUntil
      const order = nodes.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))
      let failure: unknown
      for (const node of order) {
        try {
          return await node.request(call as never)
        } catch (error) {
          // A revert, for example, is the answer of every node.
          if (shouldThrow(error as Error)) throw error
          if (error instanceof TimeoutError) node.askedLastUntil = now() + ASKED_LAST_MS
          failure = error
        }
      }
      throw failure
    }
    return createTransport({
      key: 'fallback',
      name: 'Fallback',
      type: 'fallback',
      request: request as never,
      retryCount: 1,
    })
  }
}
