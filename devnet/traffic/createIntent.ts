import type { Hash } from 'viem'
import { packIntentId } from '../../core/intent/intentId.ts'
import { createIntentCall } from '../../sdk/intent/createIntentCall.ts'
import { sealCreationBlob } from '../../sdk/seal/sealCreationBlob.ts'
import { chooseSenderOffer } from './chooseSenderOffer.ts'
import { drawRandomRecipients } from './drawRandomRecipients.ts'
import { findScenarioBySequence } from './scenario.ts'
import type { TrafficChain } from './trafficChainClient.ts'
import type { TrafficOptions } from './trafficOptions.ts'

/** More than any creation takes; an estimate would cost a round trip each. */
const GAS = 500_000n

/**
 * Sends the creation of the chain's intent with this number. Resolves when the node has accepted it.
 *
 * @param sequence the intent's number, which determines its offer and scenario
 */
export async function createIntent(
  { seed, relayer }: Pick<TrafficOptions, 'seed' | 'relayer'>,
  chain: TrafficChain,
  destination: TrafficChain,
  sequence: number,
): Promise<Hash> {
  const offer = chooseSenderOffer(seed, chain.chainId, sequence, chain.senders.length)
  const { auctionSeconds, recipients: count } = findScenarioBySequence(
    seed,
    chain.chainId,
    sequence,
  )
  const sender = chain.senders[offer.sender]
  if (!sender) throw new Error(`no sender ${offer.sender}`)
  const params = {
    tokenA: chain.contracts.tokens[offer.tokenA],
    tokenB: destination.contracts.tokens[offer.tokenB],
    amountA: offer.amountA,
    expectedAmountB: offer.expectedAmountB,
    reward: offer.reward,
    destChainId: BigInt(destination.chainId),
    auctionDuration: BigInt(auctionSeconds),
  }
  const id = packIntentId(chain.chainId, BigInt(sequence))
  const blob = offer.blobAtCreation
    ? sealCreationBlob(await relayer.eciesPublicKey(), {
        ...drawRandomRecipients(seed, id, count, offer.expectedAmountB),
        params,
        sourceChainId: chain.chainId,
        bridge: chain.contracts.bridge,
        user: sender.address,
        createdAt: Math.floor(Date.now() / 1_000),
      })
    : null
  return sender.send({
    to: chain.contracts.bridge,
    data: createIntentCall(params, blob),
    gas: GAS,
  })
}
