/** Lower-case hex text with `0x`: addresses (20 bytes), hashes (32 bytes), byte strings. */
export type Hex = `0x${string}`

/** Where and when a log was written. Numbers are exact; times are unix seconds of the block. */
export type LogPoint = {
  chainId: number
  blockNumber: number
  blockHash: Hex
  blockTimestamp: number
  logIndex: number
  transactionHash: Hex
  /** Account that sent the transaction. */
  transactionFrom: Hex
}

/**
 * Arguments of every event of a bridge, by their Solidity names. Integers of up to 32 bits are
 * numbers, wider ones bigints; token amounts are in base units.
 */
export type EventArgs = {
  IntentCreated: {
    intentId: bigint
    user: Hex
    destChainId: bigint
    tokenA: Hex
    tokenB: Hex
    amountA: bigint
    expectedAmountB: bigint
    reward: bigint
    endTime: bigint
    encryptedBlob: Hex
  }
  IntentAnchored: { intentId: bigint; feeBps: number; recipientClass: number; encryptedBlob: Hex }
  /** `kind`: 3 signed by an enclave, 4 brought by the sender's own call. */
  BlobAppended: { intentId: bigint; kind: number; encryptedBlob: Hex }
  BidPlaced: { intentId: bigint; solver: Hex; amountB: bigint }
  SolverDeposited: {
    intentId: bigint
    solver: Hex
    amountB: bigint
    bond: bigint
    fillDeadline: bigint
  }
  RecipientsAsked: { intentId: bigint; solver: Hex }
  RecipientsRevealed: { intentId: bigint; sealedRecipients: Hex }
  SealingKeySet: { solver: Hex; x: bigint; y: bigint }
  /** What a destination chain's bridge writes about an intent. */
  IntentSolved: {
    chain2IntentId: bigint
    sourceChainId: bigint
    intentId: bigint
    paramsHash: Hex
    solver: Hex
    tokenB: Hex
    amountB: bigint
  }
  /** On the destination chain: what the token refused to move, in sum. */
  DeliveryCredited: { chain2IntentId: bigint; tokenB: Hex; amount: bigint }
  DeliveryClaimed: { owner: Hex; token: Hex; amount: bigint }
  /** `amount` in base units of the intent's tokenA. */
  BidForfeited: { intentId: bigint; solver: Hex; amount: bigint }
  StakeAdded: { solver: Hex; token: Hex; amount: bigint }
  StakeRemoved: { solver: Hex; token: Hex; amount: bigint }
  IntentSettled: {
    intentId: bigint
    solver: Hex
    payout: bigint
    fee: bigint
    chain2IntentId: bigint
    attester: Hex
  }
  IntentCancelled: { intentId: bigint; user: Hex; amount: bigint }
  /** `reason`: 0 expired, 1 failed. */
  IntentRefunded: {
    intentId: bigint
    user: Hex
    amount: bigint
    forfeitedBond: bigint
    reason: number
  }
  BridgeDeployed: {
    registry: Hex
    treasury: Hex
    forfeitReceiver: Hex
    minAuctionDuration: number
    firmSeconds: number
    pickupWindow: number
    executionWindow: number
    settlementGrace: number
  }
  /** `change`: the ABI-encoded call that enacts it. */
  ChangeAnnounced: { changeId: Hex; change: Hex; activeAt: bigint }
  ChangeWithdrawn: { changeId: Hex }
  TokenListed: { token: Hex; minAmount: bigint; maxAmount: bigint; quorum: number }
  TokenDelisted: { token: Hex }
  DestinationListed: { destChainId: bigint }
  DestinationDelisted: { destChainId: bigint }
  PeripheryListed: { periphery: Hex }
  PeripheryDelisted: { periphery: Hex }
  TreasuryChanged: { previous: Hex; current: Hex }
  CreationPaused: Record<never, never>
  CreationResumed: Record<never, never>
  CreditAdded: { owner: Hex; token: Hex; amount: bigint }
  CreditClaimed: { owner: Hex; token: Hex; amount: bigint }
  FeesCollected: { token: Hex; treasury: Hex; amount: bigint }
}

/** Solidity name of an event. */
export type EventType = keyof EventArgs

/** One event of the given type, with its place in the chain. */
export type BridgeEventOf<Type extends EventType> = {
  type: Type
  /** The bridge that wrote the log. */
  address: Hex
  point: LogPoint
  args: EventArgs[Type]
}

/** A log of a bridge as the domain sees it; `type` discriminates. */
export type BridgeEvent = { [Type in EventType]: BridgeEventOf<Type> }[EventType]
