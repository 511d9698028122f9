import type { BridgeEvent, Hex } from '../../src/event/bridgeEvent.ts'
import type { IntentFacts } from '../../src/intent/intentFacts.ts'

/** What an intent's proof shows, provided that the blocks in `unconfirmed` are canonical. */
export type VerifiedIntent = {
  intentId: bigint
  sourceChainId: number
  /** The contracts that emitted the events: yours, if you named them. */
  bridges: { chainId: number; address: Hex }[]
  /**
   * In each chain's order, chains by id. Of an event's `point`, the transaction's hash and sender and the log's index are
   * claimed, not proven.
   */
  events: BridgeEvent[]
  /** The events folded as the index folds them: terms, winner, amounts, settlement. */
  facts: IntentFacts
  /** Whether these are all events the relayer had. Withheld events go unnoticed. */
  isWhole: boolean
  /** Blocks that none of your nodes confirmed. */
  unconfirmed: { chainId: number; blockNumber: number; blockHash: Hex }[]
}
