import type { IntentPushData, OrderPushData, PushType } from '../../../core/push/pushEvent.ts'

/** A line to be written into the journal. Times are unix seconds, addresses lower case. */
export type NewLine = {
  type: PushType
  /** Null for what nothing can take back. */
  key: string | null
  chainId: number
  /** Without a block it is a deadline that passed. */
  blockNumber: number | null
  blockHash: string | null
  logIndex: number | null
  at: number
  /** Once this block of `chainId` is final, so is the line. */
  finalBlock: number
  sourceChainId: number
  destChainId: number
  intentId: bigint | null
  orderId: string | null
  sender: string
  solver: string | null
  data: IntentPushData | OrderPushData
}
