import { keccak256 } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import {
  account,
  add,
  emit,
  FORFEIT_RECEIVER,
  foldBlob,
  MIN_AUCTION,
  type ModelChain,
  type ModelDelivery,
  type ModelIntent,
  NO_BLOBS,
  owe,
  pull,
  push,
  stakeOf,
} from './chainModel.ts'

/** Calls of the bridge. Each returns whether the contract would have taken it. */
type Offer = Pick<
  ModelIntent,
  'sender' | 'destChainId' | 'tokenA' | 'tokenB' | 'amountA' | 'expectedAmountB' | 'reward'
> & { duration: number; encryptedBlob: Hex }

export function createIntent(chain: ModelChain, offer: Offer): boolean {
  const { duration, encryptedBlob, ...terms } = offer
  const quorum = chain.quorums.get(offer.tokenA)
  if (quorum === undefined || duration < MIN_AUCTION) return false
  if (offer.amountA + offer.reward < 10_000n || offer.reward * 5n > offer.amountA) return false
  const id = (BigInt(chain.chainId) << 64n) | BigInt(chain.intents.length + 1)
  const endTime = chain.time + duration
  const blobAtCreation = encryptedBlob !== '0x'
  chain.intents.push({
    ...terms,
    id,
    endTime,
    firmAt: endTime - Math.min(Math.floor(duration / 3), chain.terms.firmSeconds),
    paramsHash: hashOfTerms(chain, offer),
    quorum,
    blobAtCreation,
    blobsHash: blobAtCreation ? foldBlob(NO_BLOBS, 1, encryptedBlob) : NO_BLOBS,
    named: false,
    feeBps: null,
    bestBid: null,
    winner: null,
    asked: false,
    revealed: false,
    ended: false,
  })
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

/** With an enclave's signature, which the model takes for given, here and below. */
export function anchor(
  chain: ModelChain,
  intent: ModelIntent,
  { feeBps, recipientClass, blob }: { feeBps: 250 | 700; recipientClass: number; blob: Hex },
): boolean {
  if (intent.ended || intent.feeBps !== null || chain.time >= intent.firmAt) return false
  if (blob === '0x' && !intent.blobAtCreation) return false
  intent.feeBps = feeBps
  intent.blobsHash = foldBlob(intent.blobsHash, 2, blob)
  emit(chain, 'IntentAnchored', {
    intentId: intent.id,
    feeBps,
    recipientClass,
    encryptedBlob: blob,
  })
  return true
}

/** At any time; what comes from firmAt on is an event and nothing else. */
export function appendBlob(chain: ModelChain, intent: ModelIntent, blob: Hex): boolean {
  return addBlob(chain, intent, 3, blob)
}

export function nameRecipients(chain: ModelChain, intent: ModelIntent, blob: Hex): boolean {
  if (intent.ended || intent.named || chain.time >= intent.firmAt) return false
  intent.named = true
  return addBlob(chain, intent, 4, blob)
}

function addBlob(chain: ModelChain, intent: ModelIntent, kind: 3 | 4, blob: Hex): boolean {
  if (chain.time < intent.firmAt) intent.blobsHash = foldBlob(intent.blobsHash, kind, blob)
  emit(chain, 'BlobAppended', { intentId: intent.id, kind, encryptedBlob: blob })
  return true
}

export function setSealingKey(chain: ModelChain, solver: Hex): boolean {
  if (chain.sealingKeys.has(solver)) return false
  chain.sealingKeys.add(solver)
  emit(chain, 'SealingKeySet', { solver, x: BigInt(solver), y: BigInt(solver) + 1n })
  return true
}

export function stake(chain: ModelChain, solver: Hex, token: Hex, amount: bigint): boolean {
  if (!chain.sealingKeys.has(solver) || amount <= 0n) return false
  stakeOf(chain, solver, token).total += amount
  pull(chain, token, amount)
  emit(chain, 'StakeAdded', { solver, token, amount })
  return true
}

export function unstake(chain: ModelChain, solver: Hex, token: Hex, amount: bigint): boolean {
  const held = stakeOf(chain, solver, token)
  if (amount <= 0n || held.total - held.locked < amount || chain.blocked.has(solver)) return false
  held.total -= amount
  pull(chain, token, -amount)
  emit(chain, 'StakeRemoved', { solver, token, amount })
  return true
}

export function placeBid(
  chain: ModelChain,
  intent: ModelIntent,
  solver: Hex,
  amountB: bigint,
): boolean {
  const { bestBid } = intent
  const least = bestBid ? bestBid.amountB + 1n : intent.expectedAmountB
  const open = !intent.ended && intent.feeBps !== null && chain.time < intent.endTime
  if (!open || amountB < least) return false
  if (solver !== bestBid?.solver) {
    if (!lock(chain, intent, solver)) return false
    if (bestBid) release(chain, intent, bestBid.solver)
  }
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
  const secondWindow = endTime + pickupWindow
  if (intent.ended || intent.winner || !bestBid || chain.time < endTime) return false
  if (chain.time >= endTime + 2 * pickupWindow) return false
  const isBest = solver === bestBid.solver
  if (!isBest && chain.time < secondWindow) return false
  if (amountB < (isBest ? bestBid.amountB : floorAt(intent, chain.time - secondWindow, chain))) {
    return false
  }
  if (!isBest && !lock(chain, intent, solver)) return false
  const fillDeadline = chain.time + executionWindow
  intent.winner = { solver, amountB, depositedAt: chain.time, fillDeadline }
  if (!isBest) forfeit(chain, intent, bestBid.solver)
  emit(chain, 'SolverDeposited', {
    intentId: intent.id,
    solver,
    amountB,
    bond: calculateBond(intent),
    fillDeadline: BigInt(fillDeadline),
  })
  return true
}

/** What anyone must offer in the second window: the best bid less up to 1 %, never below what is expected. */
function floorAt({ bestBid, expectedAmountB }: ModelIntent, since: number, chain: ModelChain) {
  const best = bestBid?.amountB ?? 0n
  const drop = (best * BigInt(since)) / (100n * BigInt(chain.terms.pickupWindow))
  return best - drop > expectedAmountB ? best - drop : expectedAmountB
}

export function askRecipients(chain: ModelChain, intent: ModelIntent, solver: Hex): boolean {
  const { winner, ended, asked } = intent
  if (ended || asked || winner?.solver !== solver) return false
  const since = chain.time - winner.depositedAt
  const window = chain.terms.executionWindow
  if (since < window / 4 || since >= window / 2) return false
  intent.asked = true
  emit(chain, 'RecipientsAsked', { intentId: intent.id, solver })
  return true
}

export function revealRecipients(chain: ModelChain, intent: ModelIntent): boolean {
  const { winner, ended, revealed } = intent
  if (ended || revealed || !winner) return false
  if (chain.time - winner.depositedAt >= (chain.terms.executionWindow * 3) / 4) return false
  intent.revealed = true
  emit(chain, 'RecipientsRevealed', { intentId: intent.id, sealedRecipients: account(5, 96) })
  return true
}

type Payment = { to: Hex; amount: bigint }
type Claim = Pick<
  ModelDelivery,
  'sourceChainId' | 'intentId' | 'paramsHash' | 'solver' | 'tokenB'
> & { payments: readonly Payment[] }

/** Anyone, on any chain, for any intent (the bridge can't know it), with any token of theirs. */
export function solve(chain: ModelChain, { payments, ...claim }: Claim): boolean {
  const paid = payments.map(({ to, amount }) => `${to}:${amount}`)
  const key = [claim.sourceChainId, claim.intentId, claim.paramsHash, claim.tokenB, claim.solver]
  const place = [...key, ...paid].join('|')
  if (chain.deliveries.has(place)) return false
  const chain2IntentId = (BigInt(chain.chainId) << 64n) | BigInt(chain.deliveries.size + 1)
  const amountB = payments.reduce((sum, { amount }) => sum + amount, 0n)
  chain.deliveries.set(place, { ...claim, chain2IntentId, amountB, solvedAt: chain.time })
  emit(chain, 'IntentSolved', { chain2IntentId, ...claim, amountB })
  const refused = payments.filter(({ to }) => chain.blocked.has(to))
  const amount = refused.reduce((sum, payment) => sum + payment.amount, 0n)
  if (amount === 0n) return true
  pull(chain, claim.tokenB, amount)
  for (const one of refused) owe(chain.deliveryCredits, one.to, claim.tokenB, one.amount)
  emit(chain, 'DeliveryCredited', { chain2IntentId, tokenB: claim.tokenB, amount })
  return true
}

export function settle(chain: ModelChain, intent: ModelIntent, chain2IntentId: bigint): boolean {
  const { winner, feeBps, tokenA, amountA, reward } = intent
  if (intent.ended || !winner || feeBps === null) return false
  intent.ended = true
  const fee = (amountA * BigInt(feeBps)) / 10_000n
  const payout = amountA - fee + reward
  release(chain, intent, winner.solver)
  add(chain.fees, tokenA, fee)
  emit(chain, 'IntentSettled', {
    intentId: intent.id,
    solver: winner.solver,
    payout,
    fee,
    chain2IntentId,
    attester: account(0xa3),
  })
  push(chain, tokenA, winner.solver, payout)
  return true
}

export function cancel(chain: ModelChain, intent: ModelIntent): boolean {
  if (intent.ended || intent.winner) return false
  if (intent.bestBid && chain.time >= intent.firmAt) return false
  intent.ended = true
  if (intent.bestBid) release(chain, intent, intent.bestBid.solver)
  const amount = intent.amountA + intent.reward
  emit(chain, 'IntentCancelled', { intentId: intent.id, user: intent.sender, amount })
  push(chain, intent.tokenA, intent.sender, amount)
  return true
}

export function refund(chain: ModelChain, intent: ModelIntent): boolean {
  if (intent.ended || chain.time < refundableFrom(chain, intent)) return false
  return giveBack(chain, intent)
}

/** With the enclaves' word that no delivery happened in time, which the caller sees to. */
export function refundUndelivered(chain: ModelChain, intent: ModelIntent): boolean {
  const { ended, winner } = intent
  if (ended || !winner || chain.time < winner.fillDeadline) return false
  return giveBack(chain, intent)
}

function giveBack(chain: ModelChain, intent: ModelIntent): boolean {
  intent.ended = true
  const { id: intentId, sender: user, winner, bestBid, asked, revealed } = intent
  const holder = winner?.solver ?? bestBid?.solver ?? null
  const spared = winner !== null && asked && !revealed
  if (holder && spared) release(chain, intent, holder)
  if (holder && !spared) forfeit(chain, intent, holder)
  const amount = intent.amountA + intent.reward
  const forfeitedBond = holder && !spared ? calculateBond(intent) : 0n
  emit(chain, 'IntentRefunded', { intentId, user, amount, forfeitedBond, reason: winner ? 1 : 0 })
  push(chain, intent.tokenA, user, amount)
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

export function claimDelivery(chain: ModelChain, key: string): boolean {
  const credit = chain.deliveryCredits.get(key)
  if (!credit || chain.blocked.has(credit.owner)) return false
  chain.deliveryCredits.delete(key)
  pull(chain, credit.token, -credit.amount)
  emit(chain, 'DeliveryClaimed', credit)
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

export function calculateBond({ amountA, reward }: ModelIntent): bigint {
  return ((amountA + reward) * 5n) / 100n
}

function lock(chain: ModelChain, intent: ModelIntent, solver: Hex): boolean {
  const held = stakeOf(chain, solver, intent.tokenA)
  if (held.total - held.locked < calculateBond(intent)) return false
  held.locked += calculateBond(intent)
  return true
}

function release(chain: ModelChain, intent: ModelIntent, solver: Hex): void {
  stakeOf(chain, solver, intent.tokenA).locked -= calculateBond(intent)
}

function forfeit(chain: ModelChain, intent: ModelIntent, solver: Hex): void {
  const amount = calculateBond(intent)
  const held = stakeOf(chain, solver, intent.tokenA)
  held.locked -= amount
  held.total -= amount
  add(chain.forfeited, intent.tokenA, amount)
  emit(chain, 'BidForfeited', { intentId: intent.id, solver, amount })
  push(chain, intent.tokenA, FORFEIT_RECEIVER, amount)
}

function refundableFrom(chain: ModelChain, { winner, bestBid, endTime }: ModelIntent): number {
  if (winner) return winner.fillDeadline + chain.terms.settlementGrace
  return bestBid ? endTime + 2 * chain.terms.pickupWindow : endTime
}

/** As Solidity's `abi.encode` has them: a word each. */
function hashOfTerms(chain: ModelChain, offer: Offer): Hex {
  const { sender, tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, duration } = offer
  const accounts = [chain.bridge, sender, tokenA, tokenB].map((one) => one.slice(2))
  const numbers = [amountA, expectedAmountB, reward, destChainId, duration].map(hexOf)
  const words = [hexOf(chain.chainId), ...accounts, ...numbers]
  return keccak256(`0x${words.map((word) => word.padStart(64, '0')).join('')}`)
}

function hexOf(value: bigint | number): string {
  return value.toString(16)
}
