import type { Address } from 'viem'
import { calculateBond } from '../../src/money/calculateBond.ts'
import { mapInParallel } from '../process/mapInParallel.ts'
import { intentName } from '../store/intents/storedIntent.ts'
import { runAction } from './act/runAction.ts'
import { type IntentRequest, takeSnapshot } from './chain/takeSnapshot.ts'
import { wasForfeited } from './chain/wasForfeited.ts'
import {
  isRunning,
  type JournalEntry,
  loadActiveEntries,
  loadDayForfeits,
  recordIntent,
  recordOutcome,
} from './journal/intentJournal.ts'
import { loadPendingTransactions } from './journal/transactionJournal.ts'
import {
  deriveOutcome,
  deriveSolverIntentPhase,
  mayBeReplaced,
} from './plan/deriveSolverIntentPhase.ts'
import { findShortages } from './plan/findShortages.ts'
import { planRound } from './plan/planRound.ts'
import type { ChainSnapshot, IntentSnapshot, Snapshot } from './plan/solverSnapshot.ts'
import { calculateTokenValue } from './policy/calculateBidCeiling.ts'
import { type Policy, type PricedToken, tokenKey } from './policy/policy.ts'
import { chainOf, type SolverContext } from './solverContext.ts'

/**
 * A round: reads the chains, updates the journal, decides, and starts the decided actions. All state is in the
 * database and on the chains, so the process can end at any point.
 *
 * @param latest the previous round's snapshot, for the chains' times only
 */
export async function runRound(solver: SolverContext, latest: Snapshot | null): Promise<Snapshot> {
  const { account, db } = solver
  const policy = solver.policy()
  // Before the chains: see loadPendingTransactions.
  const transactions = await loadPendingTransactions(db, account)
  const [entries, running] = await Promise.all([
    loadActiveEntries(db, account),
    isRunning(db, account.address),
  ])
  const snapshot = await takeSnapshot({
    chains: solver.chains,
    account: account.address,
    sealingKey: account.sealingPoint,
    tokens: tokensOf(policy, entries),
    intents: unique([...entries, ...selectSoonAuctions(solver.market.auctions(), latest)]),
    transactions,
    onTrouble: ({ name }, error) => solver.events.chainTrouble(name, error),
  })
  for (const { name, chainId } of solver.chains)
    if (snapshot.chains.get(chainId)?.isStalled) solver.events.chainStalled(name)
  if (running) reportObstacles(solver, snapshot, policy)
  await recordProgress(solver, snapshot, entries)
  const traded = excludeMisdescribedTokens(policy, snapshot.chains, solver.events.misdescribedToken)
  const hasLostTooMuch = await isForfeitLimitExceeded(solver, policy)
  if (running && hasLostTooMuch) solver.events.forfeitLimit()
  const acceptsNew = running && !policy.isStale && !hasLostTooMuch
  const { actions, skipped } = planRound(snapshot, traded, acceptsNew)
  for (const { intent, reason } of skipped) {
    if (reason === 'loss') solver.events.withholding(intent)
    if (reason === 'clock_behind')
      solver.events.clockBehind(chainOf(solver, intent.sourceChainId).name)
  }
  // At once: in sequence, each bid would wait for the rehearsals of those before it, and so would the next round's deposits.
  await mapInParallel(actions, CONCURRENT_ACTIONS, async (action) => {
    const run = runAction(solver, action, snapshot)
    // The next round must see requested transactions; actions that wait for the relayer continue in the background.
    if (action.do !== 'deliver' && action.do !== 'settle') await run
  })
  return snapshot
}

/** Whether more was forfeited in a day than the policy accepts: then something is wrong that new bids would repeat. */
async function isForfeitLimitExceeded(
  { db, account }: Pick<SolverContext, 'db' | 'account'>,
  policy: Policy,
): Promise<boolean> {
  const { forfeitLimit } = policy
  if (forfeitLimit === null) return false
  const forfeits = await loadDayForfeits(db, account.address)
  const values = forfeits.map(
    (one) => calculateTokenValue(policy, one.sourceChainId, one.tokenA, calculateBond(one)) ?? 0n,
  )
  return values.reduce((sum, value) => sum + value, 0n) > forfeitLimit
}

/** Keeps rehearsals within what a node answers at once. */
const CONCURRENT_ACTIONS = 16

/** Logs what keeps the solver from bidding: otherwise it would wait in silence. */
function reportObstacles(solver: SolverContext, snapshot: Snapshot, policy: Policy): void {
  const { account, events } = solver
  const nameOf = (chainId: number) => chainOf(solver, chainId).name
  if (policy.isStale) events.policyStale()
  for (const { chainId, sealingKey, gasPrice, gasPriceCap } of snapshot.chains.values()) {
    if (!policy.chains.has(chainId)) continue
    if (sealingKey === 'other') events.foreignSealingKey(nameOf(chainId), account.address)
    if (gasPrice > gasPriceCap) events.gasTooDear(nameOf(chainId))
  }
  for (const shortage of findShortages(snapshot, policy))
    events.shortOfFunds(nameOf(shortage.chainId), account.address, shortage)
}

/** Without duplicates. The first counts: our own entry, if there is one. */
function unique(keys: readonly IntentRequest[]): IntentRequest[] {
  return [...new Map(keys.toReversed().map((key) => [intentName(key), key])).values()]
}

/** The policy's tokens, and those of intents accepted under an earlier policy. */
function tokensOf(
  policy: Policy,
  entries: readonly JournalEntry[],
): ReadonlyMap<number, readonly Address[]> {
  const traded = [...policy.tokens.values()].map(({ chainId, address }) => ({ chainId, address }))
  const active = entries.flatMap((entry) => [
    { chainId: entry.sourceChainId, address: entry.tokenA },
    { chainId: entry.destChainId, address: entry.tokenB },
  ])
  const all = new Map(
    [...traded, ...active].map((token) => [tokenKey(token.chainId, token.address), token]),
  )
  const byChain = Map.groupBy(all.values(), ({ chainId }) => chainId)
  return new Map(
    [...byChain].map(([chainId, tokens]) => [chainId, tokens.map(({ address }) => address)]),
  )
}

/** Updates the journal from the chains, and adds wins that it lacks. */
async function recordProgress(
  solver: SolverContext,
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
): Promise<void> {
  const { db, account, events } = solver
  const known = new Map(entries.map((entry) => [intentName(entry), entry]))
  for (const intent of snapshot.intents) {
    const entry = known.get(intentName(intent))
    const isOurWin = intent.phase === 'deposited' && intent.solver === account.address
    if (!entry && !isOurWin) continue
    const outcome = deriveOutcome(intent, snapshot)
    if (outcome === 'lost' && mayBeReplaced(intent, entry?.myBid ?? null, snapshot)) {
      void recordLoss(solver, intent)
      continue
    }
    if (outcome) {
      await recordOutcome(db, account.address, intent, outcome)
      events.over(intent, outcome)
      continue
    }
    const phase = deriveSolverIntentPhase(intent, snapshot)
    if (phase !== entry?.phase || intent.fillDeadline !== entry.fillDeadline)
      await recordIntent(db, account.address, intent, { phase })
  }
}

/** Records whether a lost intent cost our bond, in the background: no deposit may wait for a node that looks for logs. */
function recordLoss(solver: SolverContext, intent: IntentSnapshot): Promise<void> {
  const { db, account, events, backoff } = solver
  const { sourceChainId, intentId, endTime } = intent
  const chain = chainOf(solver, sourceChainId)
  return backoff.attempt(
    `outcome/${intentName(intent)}`,
    async () => {
      const isForfeited = await wasForfeited(chain, intentId, account.address, endTime)
      const outcome = isForfeited ? 'slashed' : 'lost'
      await recordOutcome(db, account.address, intent, outcome)
      events.over(intent, outcome)
    },
    (error) => events.chainTrouble(chain.name, error),
  )
}

/**
 * The policy without the tokens whose own decimals aren't those of the chains file, whether that is wrong or the token has
 * changed: our prices would be wrong by powers of ten.
 *
 * @param onExcluded called for each, with the token's own decimals
 */
function excludeMisdescribedTokens(
  policy: Policy,
  chains: ReadonlyMap<number, Pick<ChainSnapshot, 'decimals'>>,
  onExcluded: (token: PricedToken, actual: number) => void,
): Policy {
  const tokens = new Map(
    [...policy.tokens].filter(([, token]) => {
      const actual = chains.get(token.chainId)?.decimals.get(token.address.toLowerCase())
      if (actual === undefined || actual === token.decimals) return true
      onExcluded(token, actual)
      return false
    }),
  )
  return { ...policy, tokens }
}

/** Seconds before an auction's end from which we read it from its chain: far more than we need for a bid. */
const SOON = 600

/**
 * Auctions that end soon, by their chain's latest known clock, or have ended. Reading all in each round would let anyone slow
 * us down for days with a few thousand long auctions, which cost little more than gas, until we bid too late.
 *
 * @param latest the snapshot of the previous round; null: nothing is known yet
 */
export function selectSoonAuctions<Auction extends { sourceChainId: number; endTime: number }>(
  auctions: readonly Auction[],
  latest: Pick<Snapshot, 'chains'> | null,
): Auction[] {
  return auctions.filter(({ sourceChainId, endTime }) => {
    // On a chain without traffic, the latest block may be older than the auction is long.
    const clock = latest?.chains.get(sourceChainId)?.clock
    return clock === undefined || endTime < clock + SOON
  })
}
