import { LRUCache } from 'lru-cache'
import type { OrderState } from '../../core/order/orderState.ts'
import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { mapInParallel } from '../process/mapInParallel.ts'
import { readCiphertext } from './follow/readCiphertext.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'

/** Seconds after firing within which a tranche's bundle is sent. */
const SEND_WITHIN = 600

const RETRY_MS = 5_000

/** Bundles sent to the relayer at once, per chain: one that hangs takes a client's whole timeout. */
const CONCURRENCY = 16

/** Intents whose state is kept. Evicting one only sends its bundle again. */
const CACHE_SIZE = 100_000

/** Sends tranches' recipients to the relayer through the public API. */
export type RecipientBundleSender = {
  /** Sends the bundles of open tranches that the relayer hasn't accepted yet. Returns at once when it is stopped. */
  send(chain: ServedChain, orders: Iterable<OrderState>, now: number): Promise<void>
  /** Tranches of a chain whose recipients the relayer has accepted. */
  accepted(chainId: number): number
}

type PendingTranche = { order: OrderState; n: number; intentId: bigint }

/**
 * A failing relayer does no harm: the blob on chain names the recipients too.
 *
 * @param signal stops it; bundles that are being sent aren't waited for
 */
export function createRecipientBundleSender(
  { db, enclaves, events }: Pick<OrdersContext, 'db' | 'enclaves' | 'events'>,
  relayer: Pick<RelayerClient, 'storeRecipients'>,
  signal: AbortSignal,
): RecipientBundleSender {
  /**
   * When to try an intent again, by `performance.now()`; Infinity once the relayer has accepted it. Unlike with `max`, memory is
   * allocated as it is needed.
   */
  const retryAt = new LRUCache<bigint, number>({ maxSize: CACHE_SIZE, sizeCalculation: () => 1 })
  const accepted = new Map<number, number>()

  async function sendOne({ chainId }: ServedChain, { order, n, intentId }: PendingTranche) {
    if (signal.aborted) return
    retryAt.set(intentId, performance.now() + RETRY_MS)
    try {
      const encrypted = await readCiphertext(db, order)
      const request = { sourceChainId: chainId, encrypted, n, intentId }
      const { encryptedData } = await enclaves[0].sealTrancheBundle(request)
      await relayer.storeRecipients({ intentId, chainId, encryptedData: encryptedData as Hex })
      retryAt.set(intentId, Number.POSITIVE_INFINITY)
      accepted.set(chainId, (accepted.get(chainId) ?? 0) + 1)
    } catch (error) {
      if (!signal.aborted) events.relayerTrouble(intentId, error)
    }
  }

  function* listPending(orders: Iterable<OrderState>, now: number): Generator<PendingTranche> {
    for (const order of orders) {
      const { facts, tranches } = order
      if ((facts.lastFiredAt ?? 0) < now - SEND_WITHIN) continue
      for (const [n, { intentId, outcome, firedAt }] of tranches.entries()) {
        const isPending = outcome === 'open' && firedAt >= now - SEND_WITHIN
        if (isPending && (retryAt.get(intentId) ?? 0) <= performance.now())
          yield { order, n, intentId }
      }
    }
  }

  return {
    accepted: (chainId) => accepted.get(chainId) ?? 0,
    async send(chain, orders, now) {
      if (signal.aborted) return
      const { promise: stopped, resolve: stop } = Promise.withResolvers<unknown>()
      signal.addEventListener('abort', stop)
      try {
        const pending = [...listPending(orders, now)]
        const sent = mapInParallel(pending, CONCURRENCY, (one) => sendOne(chain, one))
        await Promise.race([sent, stopped])
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}
