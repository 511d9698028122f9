import type { Hex, LogPoint } from './bridgeEvent.ts'

/**
 * Arguments of every event of an `OrderVault`. Two of them have the bridge's own names and selectors in
 * Solidity (`CreditAdded`, `CreditClaimed`); here each event's name says which contract wrote it.
 */
export type VaultEventArgs = {
  OrderFunded: {
    orderId: Hex
    owner: Hex
    token: Hex
    destChainId: bigint
    tokenB: Hex
    expectedAmountB: bigint
    totalAmount: bigint
    amountPerPeriod: bigint
    period: bigint
    startTime: bigint
    endTime: bigint
    quorum: number
    /** The order as it was submitted; `orderId` is its keccak256. */
    encrypted: Hex
  }
  /** `n` counts from 0; the intent is the bridge's of the same chain, created in the same transaction. */
  TrancheFired: { orderId: Hex; n: bigint; intentId: bigint }
  /** `reason`: 0 filled, 1 end time, 2 cancelled. */
  OrderClosed: { orderId: Hex; owner: Hex; amount: bigint; reason: number }
  VaultCreditAdded: { owner: Hex; token: Hex; amount: bigint }
  VaultCreditClaimed: { owner: Hex; token: Hex; amount: bigint }
}

/** Name of an event of a vault. */
export type VaultEventType = keyof VaultEventArgs

/** One event of the given type, with its place in the chain. */
export type VaultEventOf<Type extends VaultEventType> = {
  type: Type
  point: LogPoint
  args: VaultEventArgs[Type]
}

/** A log of a vault as the domain sees it; `type` discriminates. */
export type VaultEvent = { [Type in VaultEventType]: VaultEventOf<Type> }[VaultEventType]
