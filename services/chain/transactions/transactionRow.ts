import type { Address, Hash, Hex } from 'viem'

/**
 * A transaction's state: requested (`chosen`); signed bytes saved; accepted by a node; in a block; deep enough; or ended
 * without effect, because it reverts (`failed`) or because the effect is there already (`superseded`).
 */
export type TransactionState =
  | 'chosen'
  | 'signed'
  | 'sent'
  | 'mined'
  | 'confirmed'
  | 'failed'
  | 'superseded'

/** Identifies an effect on a chain. Each effect happens once. */
export type TransactionKey = {
  /** The action, e.g. `anchor`, `settle`, `deploySafe`. */
  kind: string
  chainId: number
  /** The action's object, in a format of the kind's own: an intent id, or a Safe's address and nonce. */
  effect: string
}

export type TransactionRequest = TransactionKey & {
  /** Signs and pays. */
  account: Address
  to: Address
  data: Hex
  value?: bigint
  /** Default: estimated before it is signed. */
  gasLimit?: bigint
  /** When it becomes useless, in unix seconds. Earlier deadlines go first. */
  deadline?: number
  /** Its value in any one unit. Of equally urgent transactions the most valuable goes first. */
  worth?: bigint
  /** Wei that its data costs on the parent chain, if known. */
  l1Fee?: bigint
  /** On whose behalf: one payer's many transactions must not delay those of others. Default: everyone's. */
  payer?: string
  /** Authenticates the request to the account's signer, if the signer requires it. */
  mac?: string
}

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
  /** Hash of the version that was mined. */
  txHash: Hash | null
  blockNumber: number | null
  blockHash: Hash | null
  /** Whether it had its effect; null until it is mined. */
  succeeded: boolean | null
  /** Why it failed or waits: a stable code such as `OUT_OF_GAS` or a contract error's name. */
  problem: string | null
  detail: string | null
  round: number
  requestedAt: Date
  changedAt: Date
}

/** States in which a sender still works on the transaction. */
export const LIVE_STATES: readonly TransactionState[] = ['chosen', 'signed', 'sent', 'mined']

export function isOver({ state }: { state: TransactionState }): boolean {
  return !LIVE_STATES.includes(state)
}

/** Whether a transaction has ended without its effect. */
export function hasFailed({ state }: { state: TransactionState }): boolean {
  return state === 'failed' || state === 'superseded'
}

/**
 * Select list that reads rows of `app.transaction` as `Transaction`. NaN, which only a tampered row has, reads as a value
 * that no call has, or as no fee, so that it doesn't fail the query.
 */
export const TRANSACTION_COLUMNS = `id, kind, chain_id as "chainId", effect, account, lower(to_address) as "to",
  data, case when value < 'NaN' then value else -1 end as value, mac, gas_limit::numeric as "gasLimit",
  case when l1_fee < 'NaN' then l1_fee else 0 end as "l1Fee", state, nonce, tx_hash as "txHash",
  block_number as "blockNumber", block_hash as "blockHash", succeeded, problem, detail, round,
  requested_at as "requestedAt", changed_at as "changedAt"`
