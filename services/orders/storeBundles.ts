import type { OrderState } from '../../core/order/orderState.ts'
import type { RelayerClient } from '../../sdk/relayer/relayerClient.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'

/** Seconds after a tranche in which its bundle is sent; its blob is on chain anyway. */
const WORTHWHILE = 600

/** Milliseconds between two attempts. */
const AGAIN_MS = 5_000

/** Sends tranches' recipients to the relayer, as any sender does. */
export type BundleStore = {
  /** Sends those of the tranches that are under way and weren't taken yet. */
  send(chain: ServedChain, orders: Iterable<OrderState>, now: number): Promise<void>
}

/**
 * The third step of a tranche. The recipients ride on the creation already, so nothing hangs on it: a relayer
 * that is away, or lies, can only make that the blob is all there is.
 */
export function createBundleStore(
  { enclaves, events }: Pick<OrdersContext, 'enclaves' | 'events'>,
  relayer: Pick<RelayerClient, 'storeRecipients'>,
): BundleStore {
  /** When an intent is tried again, milliseconds; Infinity once the relayer has taken it. */
  const tries = new Map<bigint, number>()

  async function sendOne(chain: ServedChain, encrypted: Hex, n: number, intentId: bigint) {
    tries.set(intentId, Date.now() + AGAIN_MS)
    try {
      const { chainId } = chain
      const request = { sourceChainId: chainId, encrypted, n, intentId }
      const { encryptedData } = await enclaves[0].sealTrancheBundle(request)
      await relayer.storeRecipients({ intentId, chainId, encryptedData: encryptedData as Hex })
      tries.set(intentId, Number.POSITIVE_INFINITY)
    } catch (error) {
      events.relayerTrouble(intentId, error)
    }
  }

  return {
    async send(chain, orders, now) {
      for (const { tranches, encrypted, facts } of orders) {
        if ((facts.lastFiredAt ?? 0) < now - WORTHWHILE) continue
        for (const [n, { intentId, outcome, firedAt }] of tranches.entries()) {
          const isWanted = outcome === 'open' && firedAt >= now - WORTHWHILE
          if (isWanted && (tries.get(intentId) ?? 0) <= Date.now()) {
            await sendOne(chain, encrypted, n, intentId)
          }
        }
      }
    },
  }
}
