import type { BridgeEventOf, Hex } from '../../../src/event/bridgeEvent.ts'
import { auctionDurationOf, paramsHash } from '../../../src/event/paramsHash.ts'
import { readIntentTerms } from '../../../src/event/readIntentTerms.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { BlobBindings } from '../../enclave/enclaveInterface.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** The sender's offer, fixed at the creation. Addresses in lower case, amounts in base units. */
export type IntentTerms = IntentKey & {
  /** The bridge on the source chain. */
  bridge: Hex
  /** The intent's sender. */
  user: Hex
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  /** Unix seconds of the source chain. */
  createdAt: number
  /** Seconds from creation to the end of the auction. */
  auctionDuration: number
  /** Identifies these terms and their sender. */
  paramsHash: Hex
}

export function toIntentTerms(source: SourceFacts, bridge: Hex): IntentTerms {
  const { sourceChainId, intentId, destChainId, sender: user, paramsHash } = source
  const { tokenA, tokenB, amountA, expectedAmountB, reward, endTime, createdAt } = source
  return {
    sourceChainId,
    intentId,
    destChainId,
    user,
    bridge: bridge.toLowerCase() as Hex,
    tokenA,
    tokenB,
    amountA,
    expectedAmountB,
    reward,
    createdAt,
    paramsHash,
    auctionDuration: auctionDurationOf(endTime, createdAt),
  }
}

/**
 * The terms in a creation's log.
 *
 * @param keccak see `paramsHash`
 */
export function termsOfCreation(
  event: BridgeEventOf<'IntentCreated'>,
  keccak?: (bytes: Hex) => Hex,
): IntentTerms {
  const { args, point, address: bridge } = event
  const { intentId, user, tokenA, tokenB, amountA, expectedAmountB, reward } = args
  const terms = readIntentTerms(event)
  return {
    sourceChainId: point.chainId,
    intentId,
    user,
    bridge,
    tokenA,
    tokenB,
    amountA,
    expectedAmountB,
    reward,
    destChainId: Number(args.destChainId),
    createdAt: point.blockTimestamp,
    auctionDuration: Number(terms.auctionDuration),
    paramsHash: paramsHash(terms, keccak),
  }
}

/** The bindings that a blob must contain to belong to this intent. */
export function blobBindingsOf(
  terms: Pick<IntentTerms, 'sourceChainId' | 'intentId' | 'bridge' | 'user' | 'paramsHash'>,
): BlobBindings {
  const { sourceChainId, intentId, bridge, user, paramsHash } = terms
  return { sourceChainId, intentId, bridge, user, paramsHash }
}
