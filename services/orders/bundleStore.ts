import type { OrderState } from '../../core/order/orderState.ts'
import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'

/** Seconds after which a tranche's bundle isn't sent any more: its blob is on chain anyway. */
const WORTHWHILE = 600

/** Milliseconds between two attempts. */
const AGAIN_MS = 5_000

/** Sends the relayer the recipients of tranches, by the API that every sender uses. */
export type BundleStore = {
  /** Sends what the relayer hasn't accepted yet of tranches under way. */
  send(chain: ServedChain, orders: Iterable<OrderState>, now: number): Promise<void>
  /** Tranches of a chain whose recipients the relayer has accepted. */
  accepted(chainId: number): number
}

/**
 * The third step of a tranche. Nothing depends on it, because the creation's blob names the recipients
 * already: with a relayer that is down or lies, the blob alone is enough.
 */
export function createBundleStore(
  { enclaves, events }: Pick<OrdersContext, 'enclaves' | 'events'>,
  relayer: Pick<RelayerClient, 'storeRecipients'>,
): BundleStore {
  /** When an intent is tried again, milliseconds; Infinity once the relayer has taken it. */
  const tries = new Map<bigint, number>()
  const accepted = new Map<number, number>()

  async function sendOne(chain: ServedChain, encrypted: Hex, n: number, intentId: bigint) {
    tries.set(intentId, Date.now() + AGAIN_MS)
    try {
      const { chainId } = chain
      const request = { sourceChainId: chainId, encrypted, n, intentId }
      const { encryptedData } = await enclaves[0].sealTrancheBundle(request)
      await relayer.storeRecipients({ intentId, chainId, encryptedData: encryptedData as Hex })
      tries.set(intentId, Number.POSITIVE_INFINITY)
      accepted.set(chainId, (accepted.get(chainId) ?? 0) + 1)
    } catch (error) {
      events.relayerTrouble(intentId, error)
    }
  }

  return {
    accepted: (chainId) => accepted.get(chainId) ?? 0,
    async send(chain, orders, now) {
      for (const { tranches, encrypted, facts } of orders) {
        if ((facts.lastFiredAt ?? 0) < now - WORTHWHILE) continue
        for (const [n, { intentId, outcome, firedAt }] of tranches.entries()) {
          const isRequested = outcome === 'open' && firedAt >= now - WORTHWHILE
          if (isRequested && (tries.get(intentId) ?? 0) <= Date.now()) {
            await sendOne(chain, encrypted, n, intentId)
          }
        }
      }
    },
  }
}
