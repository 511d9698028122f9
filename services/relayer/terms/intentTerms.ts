import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** What the sender offered: fixed when the intent is created. Addresses in lower case, base units. */
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
  /** Identifies these terms and their maker. */
  paramsHash: Hex
}
