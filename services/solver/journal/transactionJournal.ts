import { sql } from 'kysely'
import type { Address, Hash, Hex } from 'viem'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { reopenTransaction, takeOverTransaction } from '../../chain/transactions/requestAgain.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import {
  isOver,
  TRANSACTION_COLUMNS,
  type Transaction,
  type TransactionKey,
} from '../../chain/transactions/transactionRow.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import type { SolverAccount } from '../account/solverAccount.ts'
import type { PendingIntentTransaction, PendingTransaction } from '../plan/solverSnapshot.ts'

/** A transaction that isn't confirmed: a snapshot may or may not show its effect. */
export type LoadedTransaction = PendingTransaction & {
  onChainId: number
  /** Block that includes it; null if none does. */
  blockNumber: number | null
}

const TOKEN_KINDS = ['approve', 'stake', 'unstake', 'claim'] as const
const INTENT_KINDS = ['bid', 'deposit', 'ask', 'deliver'] as const

/** Keys of our effects. Each amount that we bid for an intent is an effect of its own. */
export const effectKey = {
  token: (kind: (typeof TOKEN_KINDS)[number], chainId: number, token: string): TransactionKey => {
    return { kind, chainId, effect: token.toLowerCase() }
  },
  seal: (chainId: number): TransactionKey => ({ kind: 'seal', chainId, effect: 'sealing key' }),
  block: (chainId: number, after: bigint): TransactionKey => {
    return { kind: 'block', chainId, effect: `after ${after}` }
  },
  intent: (
    kind: PendingIntentTransaction['kind'],
    { sourceChainId, intentId, destChainId }: IntentKey & { destChainId: number },
    amountB: bigint,
  ): TransactionKey => {
    const chainId = kind === 'deliver' ? destChainId : sourceChainId
    return { kind, chainId, effect: `${sourceChainId}:${intentId}:${amountB}` }
  },
}

type Requester = Pick<SolverAccount, 'address' | 'macOf' | 'isMacOf'>

/**
 * The account's unconfirmed transactions. Load them before reading the chains: one mined in between then counts twice
 * for a round, which reserves too much rather than too little.
 */
export async function loadPendingTransactions(
  db: Db,
  account: Requester,
): Promise<LoadedTransaction[]> {
  const { rows } = await sql<Transaction>`
    select ${sql.raw(TRANSACTION_COLUMNS)} from app.transaction
    where account = ${account.address} and state in ('chosen', 'signed', 'sent', 'mined')`.execute(
    db,
  )
  return rows.flatMap((row) => {
    if (!isRequestedBy(account, row)) return []
    const pending = pendingFrom(row)
    const { chainId: onChainId, blockNumber } = row
    return pending ? [{ ...pending, onChainId, blockNumber }] : []
  })
}

function pendingFrom({ kind, effect, chainId }: TransactionKey): PendingTransaction | null {
  if (kind === 'seal') return { kind, chainId }
  const tokenKind = TOKEN_KINDS.find((known) => known === kind)
  if (tokenKind) return { kind: tokenKind, chainId, token: effect }
  const intentKind = INTENT_KINDS.find((known) => known === kind)
  return intentKind ? { kind: intentKind, ...parseEffect(effect) } : null
}

/**
 * Whether the account itself requested the row's call; its own calls leave the gas limit to the sender. We don't wait for any
 * other: it may never be sent, as on a chain without a sender, and a deadline would pass.
 */
function isRequestedBy({ address, isMacOf }: Requester, row: Transaction): boolean {
  return row.account === address && row.gasLimit === null && isMacOf(row, row.mac)
}

/** The intent and amount of a bid's, deposit's, ask's or delivery's effect. */
export function parseEffect(effect: string): IntentKey & { amountB: bigint } {
  const [chainId = '', intentId = '', amountB = ''] = effect.split(':')
  return { sourceChainId: Number(chainId), intentId: BigInt(intentId), amountB: BigInt(amountB) }
}

export type Call = { to: Address; data: Hex }

/**
 * Requests an effect that the chain doesn't show: for the first time, or again if its transaction failed or a reorg
 * reverted it. Replaces a pending row that somebody else wrote or changed.
 *
 * @returns whether a transaction was requested
 */
export async function requestSolverTransaction(
  db: Db,
  account: Requester,
  key: TransactionKey,
  { to, data }: Call,
): Promise<boolean> {
  const call = { to, data, value: 0n }
  const request = { ...call, account: account.address, mac: account.macOf({ ...key, ...call }) }
  const transaction = await requestTransaction(db, { ...key, ...request })
  if (transaction.isNew) return true
  if (isOver(transaction)) return reopenTransaction(db, transaction, request)
  if (isRequestedBy(account, transaction)) return false
  await takeOverTransaction(db, transaction, request)
  return true
}

/** After this a bid's price is stale. Bids are made in an auction's last minute. */
const BID_LIFETIME_SECONDS = 300

/**
 * Whether an unmined bid was requested so long ago that it should be cancelled. After an outage many chains catch up,
 * so that the auction would still accept it, at the price from before the outage.
 */
export async function isBidStale(db: Db, { id }: { id: number }): Promise<boolean> {
  const { rows } = await sql<{ isStale: boolean }>`
    select requested_at < clock_timestamp() - ${BID_LIFETIME_SECONDS} * interval '1 second' as "isStale"
    from app.transaction where id = ${id}`.execute(db)
  return rows[0]?.isStale ?? false
}

/** The hash of the transaction that had the effect; null without one. */
export async function findTransactionHash(db: Db, key: TransactionKey): Promise<Hash | null> {
  const transaction = await findTransaction(db, key)
  return transaction?.succeeded ? transaction.txHash : null
}
