import type { Hex } from 'viem'
import { encodeBridgeCall } from '../../chain/encodeBridgeCall.ts'
import { recordIntent } from '../journal/intentJournal.ts'
import {
  type Call,
  effectKey,
  findTransactionHash,
  requestSolverTransaction,
} from '../journal/transactionJournal.ts'
import { isAllowed } from '../plan/planApprovals.ts'
import { sameAddress } from '../plan/sameAddress.ts'
import type { Action } from '../plan/solverActionTypes.ts'
import type { IntentSnapshot, Snapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { crossCheckIntentTerms } from './crossCheckIntentTerms.ts'
import { deliverIntent } from './deliverIntent.ts'
import { rehearseIntent } from './rehearseIntent.ts'
import { requestUpkeep } from './requestUpkeep.ts'

/**
 * Runs an action that a round decided on. It only requests transactions, each effect once: the account's sender
 * signs and sends them. After a failure the action pauses until a later round decides on it again.
 */
export function runAction(
  solver: SolverContext,
  action: Action,
  snapshot: Snapshot,
): Promise<void> {
  const { backoff, events } = solver
  const intent = 'intent' in action ? action.intent : null
  const key = `${action.do}/${keyOf(action)}`
  return backoff.attempt(
    key,
    () => act(solver, action, snapshot),
    (error) => events.stepFailed(action.do, intent, error),
  )
}

function keyOf(action: Action): string {
  if (!('intent' in action))
    return 'token' in action ? `${action.chainId}/${action.token}` : String(action.chainId)
  const { sourceChainId, intentId } = action.intent
  return `${sourceChainId}/${intentId}/${'amountB' in action ? action.amountB : ''}`
}

function act(solver: SolverContext, action: Action, snapshot: Snapshot): Promise<void> {
  switch (action.do) {
    case 'bid':
    case 'deposit':
      return commit(solver, action, snapshot)
    case 'ask':
      return ask(solver, action.intent)
    case 'deliver':
      return deliverIntent(solver, action.intent)
    case 'settle':
      return settle(solver, action.intent)
    default:
      return requestUpkeep(solver, action, snapshot)
  }
}

/** Bids or deposits. */
async function commit(
  solver: SolverContext,
  { do: kind, intent, amountB }: Extract<Action, { amountB: bigint }>,
  snapshot: Snapshot,
): Promise<void> {
  const { account, db, events } = solver
  await crossCheckIntentTerms(solver, intent)
  const isBid = kind === 'bid'
  // A deposit for our own bid can only save the bond.
  if (isBid || !sameAddress(intent.solver, account.address)) {
    requireApproval(intent, amountB, snapshot)
    await rehearseIntent(solver, intent, amountB)
  }
  const { intentId, paramsHash, blobsHash } = intent
  // A deposit names the terms and blobs that we have read: it reverts if the chain has others.
  const data = isBid
    ? encodeBridgeCall('placeBid', [intentId, amountB])
    : encodeBridgeCall('depositAndPickup', [intentId, paramsHash, blobsHash, amountB])
  const call = bridgeCallFor(solver, intent, data)
  const phase = isBid ? 'bidding' : 'depositing'
  const isNew = await db.transaction().execute(async (transaction) => {
    await recordIntent(transaction, account.address, intent, { phase, bid: amountB })
    return requestSolverTransaction(
      transaction,
      account,
      effectKey.intent(kind, intent, amountB),
      call,
    )
  })
  if (isNew) events[phase](intent, amountB)
}

/** The round has requested the approval. With a token that refuses it, we could never deliver. */
function requireApproval(
  { destChainId: chainId, tokenB: token }: IntentSnapshot,
  amount: bigint,
  snapshot: Snapshot,
): void {
  if (isAllowed({ chainId, token, amount }, snapshot)) return
  const message = 'the bridge isn’t approved for tokenB yet; the solver bids once it is'
  throw Object.assign(new Error(message), { code: 'APPROVAL_PENDING' })
}

async function ask(solver: SolverContext, intent: IntentSnapshot): Promise<void> {
  const { account, db, events } = solver
  const data = encodeBridgeCall('askRecipients', [intent.intentId])
  const call = bridgeCallFor(solver, intent, data)
  const key = effectKey.intent('ask', intent, intent.amountB)
  if (await requestSolverTransaction(db, account, key, call)) events.asking(intent)
}

function bridgeCallFor(solver: SolverContext, { sourceChainId }: IntentSnapshot, data: Hex): Call {
  return { to: chainOf(solver, sourceChainId).bridge, data }
}

/** The relayer settles by itself; a request speeds it up, and shows why it can't. */
async function settle(solver: SolverContext, intent: IntentSnapshot): Promise<void> {
  const { account, db, relayer, events } = solver
  await recordIntent(db, account.address, intent, { phase: 'settling' })
  const { delivery, intentId, sourceChainId, destChainId } = intent
  if (!delivery) return
  const [depositTxHash, solveTxHash] = await settlementHashes(solver, intent)
  await relayer.settle({
    intentId,
    depositTxHash,
    solveTxHash,
    chain2IntentId: delivery.chain2IntentId,
    network: chainOf(solver, sourceChainId).name,
    destinationChain: chainOf(solver, destChainId).name,
    solverAddress: account.address,
  })
  events.settlementRequested(intent)
}

/** From our own transactions, or from the relayer's record if those are lost. */
async function settlementHashes({ db, relayer }: SolverContext, intent: IntentSnapshot) {
  const [deposited, solved] = await Promise.all([
    findTransactionHash(db, effectKey.intent('deposit', intent, intent.amountB)),
    findTransactionHash(db, effectKey.intent('deliver', intent, intent.amountB)),
  ])
  if (deposited && solved) return [deposited, solved] as const
  const record = await relayer.intentDetails(intent.intentId)
  const depositTxHash = deposited ?? record.depositTxHash
  const solveTxHash = solved ?? record.solveTxHash
  if (!depositTxHash || !solveTxHash)
    throw new Error('the relayer has not indexed the intent’s transactions yet')
  return [depositTxHash, solveTxHash] as const
}
