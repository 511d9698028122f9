import { sql } from 'kysely'
import type { Address, Hash, Hex } from 'viem'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import { isOver, type TransactionKey } from '../../chain/transactions/transaction.ts'
import type { Db } from '../../store/database/database.ts'
import type { SolverAccount } from '../account/solverAccount.ts'
import type { UnderWay, UnderWayForIntent } from '../plan/snapshot.ts'
import type { IntentKey } from './journal.ts'

/** A transaction that the snapshot may not show yet. */
export type LiveTransaction = UnderWay & {
  onChainId: number
  /** Block that holds it, if one does. */
  blockNumber: number | null
}

/** Effects on our own tokens, and on intents. */
const TOKEN_KINDS = ['approve', 'stake', 'unstake', 'claim'] as const
const INTENT_KINDS = ['bid', 'deposit', 'ask', 'deliver'] as const

/** Names of our effects. A bid is one by its amount, everything else by its token or intent. */
export const effectKey = {
  token: (kind: (typeof TOKEN_KINDS)[number], chainId: number, token: string): TransactionKey => {
    return { kind, chainId, effect: token.toLowerCase() }
  },
  seal: (chainId: number): TransactionKey => ({ kind: 'seal', chainId, effect: 'sealing key' }),
  intent: (
    kind: UnderWayForIntent['kind'],
    { sourceChainId, intentId, destChainId }: IntentKey & { destChainId: number },
    amountB: bigint,
  ): TransactionKey => {
    const chainId = kind === 'deliver' ? destChainId : sourceChainId
    return { kind, chainId, effect: `${sourceChainId}:${intentId}:${amountB}` }
  },
}

/**
 * The account's transactions that aren't over. Read them before the chains: one mined in
 * between is then still counted, which commits too much for one round and never too little.
 */
export async function liveTransactions(db: Db, account: Address): Promise<LiveTransaction[]> {
  const { rows } = await sql<TransactionKey & { blockNumber: number | null }>`
    select kind, effect, chain_id as "chainId", block_number as "blockNumber"
    from app.transaction
    where account = ${account.toLowerCase()} and state in ('chosen', 'signed', 'sent', 'mined')`.execute(
    db,
  )
  return rows.flatMap((row) => {
    const underWay = underWayOf(row)
    const { chainId: onChainId, blockNumber } = row
    return underWay ? [{ ...underWay, onChainId, blockNumber }] : []
  })
}

function underWayOf({ kind, effect, chainId }: TransactionKey): UnderWay | null {
  if (kind === 'seal') return { kind, chainId }
  const ofToken = TOKEN_KINDS.find((one) => one === kind)
  if (ofToken) return { kind: ofToken, chainId, token: effect }
  const ofIntent = INTENT_KINDS.find((one) => one === kind)
  return ofIntent ? { kind: ofIntent, ...intentOfEffect(effect) } : null
}

/** The intent of a bid's, deposit's or delivery's effect, and what it commits us to. */
export function intentOfEffect(effect: string): IntentKey & { amountB: bigint } {
  const [chainId = '', intentId = '', amountB = ''] = effect.split(':')
  return { sourceChainId: Number(chainId), intentId: BigInt(intentId), amountB: BigInt(amountB) }
}

export type Call = { to: Address; data: Hex }

/**
 * Requests an effect that the chain doesn't show: for the first time, or again if an earlier try is
 * over (it failed, or a reorg took it back).
 *
 * @returns whether anything was asked for
 */
export async function wantEffect(
  db: Db,
  { address, macOf }: Pick<SolverAccount, 'address' | 'macOf'>,
  key: TransactionKey,
  { to, data }: Call,
): Promise<boolean> {
  const call = { to, data, value: 0n }
  const request = { ...call, mac: macOf({ ...key, ...call }) }
  const transaction = await requestTransaction(db, { ...key, account: address, ...request })
  if (transaction.isNew) return true
  return isOver(transaction) && reopenTransaction(db, transaction, request)
}

/** Hash of the transaction that had the effect; null when unknown. */
export async function hashOfEffect(db: Db, key: TransactionKey): Promise<Hash | null> {
  const transaction = await findTransaction(db, key)
  return transaction?.succeeded ? transaction.txHash : null
}
