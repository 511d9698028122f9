import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { account, emit, type ModelChain, type ModelIntent, pull, push } from './chainModel.ts'

/** Calls of the bridge. Each returns whether the contract would have taken it. */
type Offer = Pick<
  ModelIntent,
  'sender' | 'destChainId' | 'tokenA' | 'tokenB' | 'amountA' | 'expectedAmountB' | 'reward'
> & { duration: number; encryptedBlob: Hex }

export function createIntent(chain: ModelChain, offer: Offer): boolean {
  if (chain.paused) return false
  const { duration, encryptedBlob, ...terms } = offer
  const id = (BigInt(chain.chainId) << 64n) | BigInt(chain.intents.length + 1)
  const endTime = chain.time + duration
  const open = { feeBps: null, bestBid: null, winner: null, ended: false }
  chain.intents.push({ id, endTime, ...terms, ...open })
  pull(chain, offer.tokenA, offer.amountA + offer.reward)
  const { sender: user, destChainId, ...amounts } = terms
  emit(chain, 'IntentCreated', {
    intentId: id,
    user,
    ...amounts,
    destChainId: BigInt(destChainId),
    endTime: BigInt(endTime),
    encryptedBlob,
  })
  return true
}

export function anchor(chain: ModelChain, intent: ModelIntent, feeBps: 250 | 700): boolean {
  if (intent.ended || intent.feeBps !== null || chain.time >= intent.endTime) return false
  intent.feeBps = feeBps
  emit(chain, 'IntentAnchored', { intentId: intent.id, feeBps, encryptedBlob: account(1, 512) })
  return true
}

export function appendBlob(chain: ModelChain, intent: ModelIntent): boolean {
  emit(chain, 'BlobAppended', { intentId: intent.id, encryptedBlob: account(1, 512) })
  return true
}

export function placeBid(
  chain: ModelChain,
  intent: ModelIntent,
  solver: Hex,
  amountB: bigint,
): boolean {
  const least = intent.bestBid ? intent.bestBid.amountB + 1n : intent.expectedAmountB
  const open = !intent.ended && intent.feeBps !== null && chain.time < intent.endTime
  if (!open || amountB < least) return false
  intent.bestBid = { solver, amountB }
  emit(chain, 'BidPlaced', { intentId: intent.id, solver, amountB })
  return true
}

export function deposit(
  chain: ModelChain,
  intent: ModelIntent,
  solver: Hex,
  amountB: bigint,
): boolean {
  const { bestBid, endTime } = intent
  const { pickupWindow, executionWindow } = chain.terms
  const early = chain.time < endTime + pickupWindow
  if (intent.ended || intent.winner || !bestBid || chain.time < endTime) return false
  if (chain.time >= endTime + 2 * pickupWindow) return false
  if (early && (solver !== bestBid.solver || amountB < bestBid.amountB)) return false
  if (amountB < intent.expectedAmountB) return false
  const bond = (intent.amountA * 5n) / 100n
  const fillDeadline = chain.time + executionWindow
  intent.winner = { solver, amountB, bond, fillDeadline }
  pull(chain, intent.tokenA, bond)
  emit(chain, 'SolverDeposited', {
    intentId: intent.id,
    solver,
    amountB,
    bond,
    fillDeadline: BigInt(fillDeadline),
  })
  return true
}

/** Anyone, on any chain, for any intent (the bridge can't know it), with any token of theirs. */
export function solve(
  chain: ModelChain,
  claim: { sourceChainId: bigint; intentId: bigint; solver: Hex; tokenB: Hex; amountB: bigint },
): boolean {
  const key = `${claim.sourceChainId}|${claim.intentId}|${claim.solver}`
  if (chain.deliveries.has(key)) return false
  const chain2IntentId = (BigInt(chain.chainId) << 64n) | BigInt(chain.deliveries.size + 1)
  chain.deliveries.set(key, chain2IntentId)
  emit(chain, 'IntentSolved', { chain2IntentId, ...claim })
  return true
}

/** With an attestation, which the model takes for given. */
export function settle(chain: ModelChain, intent: ModelIntent, chain2IntentId: bigint): boolean {
  const { winner, feeBps, tokenA, amountA, reward } = intent
  if (intent.ended || !winner || feeBps === null) return false
  intent.ended = true
  const fee = (amountA * BigInt(feeBps)) / 10_000n
  const payout = amountA - fee + reward + winner.bond
  chain.fees.set(tokenA, (chain.fees.get(tokenA) ?? 0n) + fee)
  emit(chain, 'IntentSettled', {
    intentId: intent.id,
    solver: winner.solver,
    payout,
    fee,
    chain2IntentId,
    solveTxHash: account(7, 32),
    attester: account(0xa3),
  })
  push(chain, tokenA, winner.solver, payout)
  return true
}

export function cancel(chain: ModelChain, intent: ModelIntent): boolean {
  if (intent.ended || intent.bestBid) return false
  intent.ended = true
  const amount = intent.amountA + intent.reward
  emit(chain, 'IntentCancelled', { intentId: intent.id, user: intent.sender, amount })
  push(chain, intent.tokenA, intent.sender, amount)
  return true
}

export function refund(chain: ModelChain, intent: ModelIntent): boolean {
  if (intent.ended || chain.time < refundableFrom(chain, intent)) return false
  intent.ended = true
  const { id: intentId, sender: user, winner } = intent
  const amount = intent.amountA + intent.reward
  const slashedBond = winner?.bond ?? 0n
  const reason = winner ? 1 : 0
  emit(chain, 'IntentRefunded', { intentId, user, amount, slashedBond, reason })
  push(chain, intent.tokenA, user, amount + slashedBond)
  return true
}

export function claim(chain: ModelChain, key: string): boolean {
  const credit = chain.credits.get(key)
  if (!credit) return false
  chain.credits.delete(key)
  pull(chain, credit.token, -credit.amount)
  emit(chain, 'CreditClaimed', credit)
  return true
}

export function collectFees(chain: ModelChain, token: Hex): boolean {
  const amount = chain.fees.get(token) ?? 0n
  const treasury = account(0xa2)
  if (amount === 0n || chain.blocked.has(treasury)) return false
  chain.fees.delete(token)
  pull(chain, token, -amount)
  emit(chain, 'FeesCollected', { token, treasury, amount })
  return true
}

function refundableFrom(chain: ModelChain, { winner, bestBid, endTime }: ModelIntent): number {
  if (winner) return winner.fillDeadline + chain.terms.settlementGrace
  return bestBid ? endTime + 2 * chain.terms.pickupWindow : endTime
}
