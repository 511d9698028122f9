import { concat, encodeFunctionData, type Hash } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { blobFor } from './blobFor.ts'
import { fateOfSequence } from './fate.ts'
import { offerOf } from './offerOf.ts'
import type { TrafficChain } from './trafficChain.ts'

/** More than any creation takes: estimates would cost each a round trip. */
const GAS = 500_000n

/**
 * Sends the creation of a chain's intent of this number. Resolves when the node has taken it.
 *
 * @param sequence the number that the intent will have; offer and fate hang on it
 */
export function createIntent(
  chain: TrafficChain,
  destination: TrafficChain,
  seed: number,
  sequence: number,
): Promise<Hash> {
  const offer = offerOf(seed, chain.chainId, sequence, chain.senders.length)
  const { auctionSeconds } = fateOfSequence(seed, chain.chainId, sequence)
  const call = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'createIntent',
    args: [
      chain.contracts.tokens[offer.tokenA],
      destination.contracts.tokens[offer.tokenB],
      offer.amountA,
      offer.expectedAmountB,
      offer.reward,
      BigInt(destination.chainId),
      BigInt(auctionSeconds),
    ],
  })
  const blob = offer.blobAtCreation ? blobFor(seed, chain.chainId, sequence) : '0x'
  const sender = chain.senders[offer.sender]
  if (!sender) throw new Error(`no sender ${offer.sender}`)
  return sender.send({ to: chain.contracts.bridge, data: concat([call, blob]), gas: GAS })
}
