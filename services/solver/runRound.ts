import type { Address } from 'viem'
import { takeAction } from './act/takeAction.ts'
import { type IntentRequest, takeSnapshot } from './chain/takeSnapshot.ts'
import {
  activeEntries,
  isRunning,
  type JournalEntry,
  noteIntent,
  noteOutcome,
} from './journal/journal.ts'
import { liveTransactions } from './journal/liveTransactions.ts'
import { planRound } from './plan/planRound.ts'
import type { Snapshot } from './plan/snapshot.ts'
import { outcomeOf, phaseOf } from './plan/solverPhase.ts'
import { type Policy, tokenKey } from './policy/policy.ts'
import type { Solver } from './solver.ts'

/**
 * One round: reads the chains, records their state of our intents, decides, and starts what it
 * decided. All its state is in the database and on the chains, so it can end at any point.
 */
export async function runRound(solver: Solver): Promise<Snapshot> {
  const { account, db } = solver
  const policy = solver.policy()
  // First our transactions, then the chains: see liveTransactions.
  const transactions = await liveTransactions(db, account.address)
  const [entries, running] = await Promise.all([
    activeEntries(db, account.address),
    isRunning(db, account.address),
  ])
  const snapshot = await takeSnapshot({
    chains: solver.chains,
    account: account.address,
    sealingKey: account.sealingPoint,
    tokens: tokensOf(policy, entries),
    intents: unique([...entries, ...solver.market.auctions()]),
    transactions,
    onTrouble: ({ name }, error) => solver.events.chainTrouble(name, error),
  })
  await noteStandings(solver, snapshot, entries)
  const { actions } = planRound(snapshot, policy, running)
  for (const action of actions) {
    const doing = takeAction(solver, action, snapshot)
    // Transactions are recorded before the next round; actions that ask others run on.
    if (action.do !== 'deliver' && action.do !== 'settle') await doing
  }
  return snapshot
}

type Key = { sourceChainId: number; intentId: bigint }

const keyOf = ({ sourceChainId, intentId }: Key) => `${sourceChainId}/${intentId}`

/** Each once; of several the first, which is our own entry where there is one. */
function unique(keys: readonly IntentRequest[]): IntentRequest[] {
  return [...new Map(keys.toReversed().map((key) => [keyOf(key), key])).values()]
}

/** Tokens that the policy trades, and those of intents taken on under an earlier policy. */
function tokensOf(
  policy: Policy,
  entries: readonly JournalEntry[],
): ReadonlyMap<number, readonly Address[]> {
  const traded = [...policy.tokens.values()].map(({ chainId, address }) => ({ chainId, address }))
  const bound = entries.flatMap((entry) => [
    { chainId: entry.sourceChainId, address: entry.tokenA },
    { chainId: entry.destChainId, address: entry.tokenB },
  ])
  const all = new Map(
    [...traded, ...bound].map((token) => [tokenKey(token.chainId, token.address), token]),
  )
  const byChain = Map.groupBy(all.values(), ({ chainId }) => chainId)
  return new Map(
    [...byChain].map(([chainId, tokens]) => [chainId, tokens.map(({ address }) => address)]),
  )
}

/** Updates the journal from the chains, including wins that it didn't know. */
async function noteStandings(
  { db, account, events }: Solver,
  snapshot: Snapshot,
  entries: readonly JournalEntry[],
): Promise<void> {
  const known = new Map(entries.map((entry) => [keyOf(entry), entry]))
  for (const intent of snapshot.intents) {
    const entry = known.get(keyOf(intent))
    const isOurWin = intent.phase === 'deposited' && intent.solver === account.address
    if (!entry && !isOurWin) continue
    const outcome = outcomeOf(intent, snapshot)
    if (outcome) {
      await noteOutcome(db, account.address, intent, outcome)
      events.over(intent, outcome)
      continue
    }
    const phase = phaseOf(intent, snapshot)
    if (phase !== entry?.phase || intent.fillDeadline !== entry.fillDeadline)
      await noteIntent(db, account.address, intent, { phase })
  }
}
