import { sql } from 'kysely'
import type { Address, Hash, Hex } from 'viem'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { reopenTransaction } from '../../chain/transactions/reopenTransaction.ts'
import { requestTransaction } from '../../chain/transactions/requestTransaction.ts'
import { isOver, type TransactionKey } from '../../chain/transactions/transaction.ts'
import type { Db } from '../../store/database/database.ts'
import type { SolverAccount } from '../account/solverAccount.ts'
import type { SeenIntent, UnderWay, UnderWayForIntent } from '../plan/snapshot.ts'

type IntentKey = Pick<SeenIntent, 'sourceChainId' | 'intentId'>

/** A transaction that the snapshot may not show yet. */
export type LiveTransaction = UnderWay & {
  onChainId: number
  /** Block that holds it, if one does. */
  blockNumber: number | null
}

/** Effects on our own tokens, independent of intents. */
type TokenKind = Exclude<UnderWay, UnderWayForIntent | { kind: 'seal' }>['kind']

const TOKEN_KINDS: readonly string[] = [
  'approve',
  'stake',
  'unstake',
  'claim',
] satisfies TokenKind[]
const INTENT_KINDS: readonly string[] = [
  ...(['bid', 'deposit', 'ask', 'deliver'] satisfies UnderWayForIntent['kind'][]),
]

/** Names of our effects. A bid is one by its amount, everything else by its token or intent. */
export const effectKey = {
  token: (kind: TokenKind, chainId: number, token: string): TransactionKey => ({
    ...{ kind, chainId, effect: token.toLowerCase() },
  }),
  seal: (chainId: number): TransactionKey => ({ kind: 'seal', chainId, effect: 'sealing key' }),
  bid: ({ sourceChainId, intentId }: IntentKey, amountB: bigint): TransactionKey => ({
    ...{ kind: 'bid', chainId: sourceChainId, effect: `${sourceChainId}:${intentId}:${amountB}` },
  }),
  deposit: ({ sourceChainId, intentId }: IntentKey, amountB: bigint): TransactionKey => ({
    ...{ kind: 'deposit', chainId: sourceChainId },
    effect: `${sourceChainId}:${intentId}:${amountB}`,
  }),
  ask: ({ sourceChainId, intentId, amountB }: IntentKey & { amountB: bigint }): TransactionKey => ({
    ...{ kind: 'ask', chainId: sourceChainId, effect: `${sourceChainId}:${intentId}:${amountB}` },
  }),
  deliver: (
    { sourceChainId, intentId, destChainId }: IntentKey & { destChainId: number },
    amountB: bigint,
  ): TransactionKey => ({
    ...{ kind: 'deliver', chainId: destChainId },
    effect: `${sourceChainId}:${intentId}:${amountB}`,
  }),
}

/**
 * The account's transactions that aren't over. Read them before the chains: one mined in
 * between is then still counted, which commits too much for one round and never too little.
 */
export async function liveTransactions(db: Db, account: Address): Promise<LiveTransaction[]> {
  const { rows } = await sql<{
    kind: string
    effect: string
    chainId: number
    state: string
    blockNumber: number | null
  }>`
    select kind, effect, chain_id as "chainId", state, block_number as "blockNumber"
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

function underWayOf(row: { kind: string; effect: string; chainId: number }): UnderWay | null {
  const { kind, effect, chainId } = row
  if (kind === 'seal') return { kind, chainId }
  if (TOKEN_KINDS.includes(kind)) return { kind: kind as TokenKind, chainId, token: effect }
  if (!INTENT_KINDS.includes(kind)) return null
  return { kind: kind as UnderWayForIntent['kind'], ...intentOfEffect(effect) }
}

/** The intent of a bid's, deposit's or delivery's effect, and what it commits us to. */
export function intentOfEffect(effect: string): IntentKey & { amountB: bigint } {
  const [chainId = '', intentId = '', amountB = ''] = effect.split(':')
  return { sourceChainId: Number(chainId), intentId: BigInt(intentId), amountB: BigInt(amountB) }
}

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
  { to, data }: { to: Address; data: Hex },
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
