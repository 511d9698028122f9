import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { readBridge } from '../errors/toCairnError.ts'
import type { RelayerIntent } from '../relayer/relayerResponses.ts'
import type { CairnChain } from './clientOptions.ts'

/** The contract's phases of an intent. */
const [OPEN, DEPOSITED, SETTLED, CANCELLED, REFUNDED] = [1, 2, 3, 4, 5]

/**
 * Whether the source chain shows what a relayer says of an intent: believed alone, it could have a sender take a payment for
 * made, or make it again. True without a client for the chain, which leaves only the relayer's word.
 *
 * @throws CairnError
 */
export async function isShownByChain(
  { intentId, status }: RelayerIntent,
  chains: readonly CairnChain[],
): Promise<boolean> {
  const source = chains.find(({ chainId }) => BigInt(chainId) === intentId >> 64n)
  const client = source?.publicClient
  if (source === undefined || client === undefined) return true
  const bridge = { address: source.bridge, abi: bridgeIntentV2Abi } as const
  const [{ phase, endTime, fillDeadline, solver }, pickupWindow, { timestamp }] = await readBridge(
    source,
    () =>
      Promise.all([
        client.readContract({ ...bridge, functionName: 'getIntent', args: [intentId] }),
        client.readContract({ ...bridge, functionName: 'PICKUP_WINDOW' }),
        client.getBlock(),
      ]),
  )
  switch (status) {
    case 'completed':
      return phase === SETTLED
    case 'cancelled':
      return phase === CANCELLED
    case 'expired': {
      // With a bid, anyone may deposit for two windows after the auction.
      const depositsEnd = /^0x0+$/.test(solver) ? endTime : endTime + 2n * BigInt(pickupWindow)
      return phase === REFUNDED || (phase === OPEN && timestamp >= depositsEnd)
    }
    case 'failed':
      return phase === REFUNDED || (phase === DEPOSITED && timestamp >= fillDeadline)
    default:
      return phase === DEPOSITED || phase === SETTLED
  }
}
