import { paramsHash } from '../../src/blob/paramsHash.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobBindings } from '../enclave/port.ts'
import type { IntentTerms } from './intentTerms.ts'

/**
 * What a blob must say to be this intent's.
 *
 * @param keccak see `paramsHash`
 */
export function bindingsOf(terms: IntentTerms, keccak?: (bytes: Hex) => Hex): BlobBindings {
  const { sourceChainId, intentId, bridge, user, destChainId, auctionDuration } = terms
  const { tokenA, tokenB, amountA, expectedAmountB, reward } = terms
  const params = {
    ...{ tokenA, tokenB, amountA, expectedAmountB, reward },
    destChainId: BigInt(destChainId),
    auctionDuration: BigInt(auctionDuration),
  }
  return { sourceChainId, intentId, bridge, user, paramsHash: paramsHash(params, keccak) }
}
