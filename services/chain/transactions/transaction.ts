import type { Address, Hash, Hex } from 'viem'

/**
 * A transaction's state: to be done; its bytes saved; taken by a node; in a block; deep enough; or
 * ended without effect, because it reverts or because the effect was there already.
 */
export type TransactionState =
  | 'chosen'
  | 'signed'
  | 'sent'
  | 'mined'
  | 'confirmed'
  | 'failed'
  | 'superseded'

/** Names an effect on a chain, which happens once. */
export type TransactionKey = {
  /** What it does: `anchor`, `settle`, `deploySafe`. */
  kind: string
  chainId: number
  /** What it does it to, in words of the kind: an intent id, a Safe's address and nonce. */
  effect: string
}

/** A transaction that is to be sent once. Addresses in lower case. */
export type TransactionRequest = TransactionKey & {
  /** Who signs and pays. */
  account: Address
  to: Address
  data: Hex
  value?: bigint
  /** Estimated when it is signed, unless given. */
  gasLimit?: bigint
  /** When it becomes useless, in unix seconds: the earliest comes first. */
  deadline?: number
  /** Its value, in any one unit: of equally urgent ones the most valuable comes first. */
  worth?: bigint
  /** Wei that its data costs on the parent chain, as far as that is known. */
  l1Fee?: bigint
  /** Whom it is for: nobody's many keep others waiting. Default: everyone. */
  payer?: string
  /** By which the account's signer knows the request for its own, if it asks for that. */
  mac?: string
}

/** A row of `app.transaction`. */
export type Transaction = TransactionKey & {
  id: number
  account: Address
  to: Address
  data: Hex
  value: bigint
  /** See `TransactionRequest`. */
  mac: string | null
  gasLimit: bigint | null
  /** Wei that its data costs on the parent chain, as last estimated. */
  l1Fee: bigint
  state: TransactionState
  nonce: number | null
  /** The version that was mined. */
  txHash: Hash | null
  blockNumber: number | null
  blockHash: Hash | null
  /** Whether it did what it should; null until it is mined. */
  succeeded: boolean | null
  /** Why it failed or waits: a stable code such as `OUT_OF_GAS` or a contract error's name. */
  problem: string | null
  detail: string | null
  round: number
  requestedAt: Date
  changedAt: Date
}

/** States in which a sender still looks after the transaction. */
export const LIVE_STATES: readonly TransactionState[] = ['chosen', 'signed', 'sent', 'mined']

/** Whether it is over. */
export function isOver({ state }: { state: TransactionState }): boolean {
  return !LIVE_STATES.includes(state)
}

/** Whether it is over without its effect. */
export function hasFailed({ state }: { state: TransactionState }): boolean {
  return state === 'failed' || state === 'superseded'
}

/** Columns of `app.transaction` as a `Transaction`. */
export const TRANSACTION_COLUMNS = `id, kind, chain_id as "chainId", effect, account, to_address as "to",
  data, value, mac, gas_limit::numeric as "gasLimit", l1_fee as "l1Fee", state, nonce, tx_hash as "txHash",
  block_number as "blockNumber", block_hash as "blockHash", succeeded, problem, detail, round,
  requested_at as "requestedAt", changed_at as "changedAt"`
