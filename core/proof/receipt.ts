import type { Hex } from '../../src/event/bridgeEvent.ts'

/** A log in a receipt. */
export type ReceiptLog = { address: Hex; topics: readonly Hex[]; data: Hex }

/** The part of a transaction receipt that the chain commits to. */
export type Receipt = {
  /** EIP-2718 transaction type; 0 for the untyped (legacy) receipt. */
  type: number
  /** `0x1` success, `0x0` failure, or a 32-byte state root (before Byzantium). */
  outcome: Hex
  /** Gas used in the block up to and including this transaction. */
  cumulativeGasUsed: bigint
  /** 256 bytes. */
  logsBloom: Hex
  logs: readonly ReceiptLog[]
  /**
   * Additional fields of an OP-stack deposit's receipt (type 0x7e) since the Canyon fork. Before it, servers report a
   * nonce without a version, and receipts are hashed without either.
   */
  deposit?: { nonce: bigint; version: bigint } | undefined
}

/** OP-stack deposit: a transaction that comes from the parent chain. */
export const DEPOSIT_TYPE = 0x7e

/** Arbitrum's transactions from before Nitro: typed in RPC answers, untyped in the trie. */
const ARBITRUM_LEGACY_TYPE = 0x78

/** Transaction types whose receipts we read. */
export const RECEIPT_TYPES: ReadonlyMap<number, string> = new Map([
  [0x00, 'legacy'],
  [0x01, 'access list (EIP-2930)'],
  [0x02, 'dynamic fee (EIP-1559)'],
  [0x03, 'blob (EIP-4844)'],
  [0x04, 'set code (EIP-7702)'],
  [0x64, 'Arbitrum deposit'],
  [0x65, 'Arbitrum unsigned'],
  [0x66, 'Arbitrum contract'],
  [0x68, 'Arbitrum retry'],
  [0x69, 'Arbitrum submit retryable'],
  [0x6a, 'Arbitrum internal'],
  [DEPOSIT_TYPE, 'OP-stack deposit'],
  [0x7f, 'Polygon state sync'],
])

/** Whether the trie stores the receipt without a type byte. */
export function isUntyped(type: number): boolean {
  return type === 0 || type === ARBITRUM_LEGACY_TYPE
}
