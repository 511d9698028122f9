import type { Address, Hash, Hex } from 'viem'

/** An open intent's state on both chains. */
export type ObservedIntent = {
  id: bigint
  sourceChainId: number
  destChainId: number
  phase: 'open' | 'deposited'
  sender: Address
  tokenA: Address
  tokenB: Address
  amountA: bigint
  expectedAmountB: bigint
  paramsHash: Hex
  /** Commitment to the blobs that are on chain. */
  blobsHash: Hex
  /** Unix seconds of the source chain. */
  endTime: number
  /** 0 until anchored. */
  feeBps: number
  /** Whether the recovery blob came with the creation. */
  blobAtCreation: boolean
  /** Whether the relayer has just taken the recipients. */
  isStored: boolean
  /** Best bidder while open (null: no bid), the winner once deposited. */
  solver: Address | null
  /** Best bid while open, the winner's commitment once deposited. */
  amountB: bigint
  /** Unix seconds; 0 until deposited. */
  fillDeadline: number
  /** Whether the winner has reported that it has no recipients. */
  asked: boolean
  /** Whether the recipients, sealed to the winner, are on chain. */
  revealed: boolean
  /** Whether the token refuses the first recipient; read only if the scenario involves it. */
  refusesFirst: boolean
  /** What the winner has delivered on the destination chain. */
  delivery: ObservedDelivery | null
}

export type ObservedDelivery = {
  chain2IntentId: bigint
  solveTxHash: Hash
  amountB: bigint
  /** Unix seconds of the destination chain. */
  solvedAt: number
}

/** Whether enclaves would attest the delivery: enough, and in time. */
export function isValidDelivery(intent: ObservedIntent): boolean {
  const { delivery, amountB, fillDeadline } = intent
  return delivery !== null && delivery.amountB >= amountB && delivery.solvedAt < fillDeadline
}
