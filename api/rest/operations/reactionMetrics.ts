import type { ChainConfig } from '../../../services/config/chains.ts'
import {
  readDaySpending,
  readSpending,
} from '../../../services/relayer/recipients/sponsored/spending.ts'
import {
  readTransfersHealth,
  type TransfersHealth,
} from '../../../services/relayer/recipients/transfers/readTransfersHealth.ts'
import {
  countDone,
  countReactions,
  countTransactions,
  readReactionsHealth,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { type Reading, readingsPer } from '../../http/metrics.ts'

/** Milliseconds for which a count is cached: several gauges use one. */
const FRESH_FOR = 1_000
const DONE_FRESH_FOR = 30_000

/** The metrics of the reactions, their transactions and the account that pays. */
export function reactionMetrics(db: Db, configured: readonly ChainConfig[]): Reading[] {
  const open = remembered(() => countReactions(db), FRESH_FOR)
  const done = remembered(() => countDone(db), DONE_FRESH_FOR)
  const health = remembered(() => readReactionsHealth(db), FRESH_FOR)
  const chainIds = configured.map(({ chainId }) => chainId)
  const transfers = remembered(() => readTransfersHealth(db, chainIds), FRESH_FOR)
  const nameOf = ({ chainId }: { chainId: number }) =>
    configured.find((chain) => chain.chainId === chainId)?.name ?? String(chainId)
  const spent = remembered(() => readSpending(db), DONE_FRESH_FOR)
  const spentToday = remembered(async () => {
    // A kind that cost nothing today is included too, once it ever has.
    const known = (await spent()).map((one) => ({ ...one, wei: 0n }))
    return summed([...known, ...(await readDaySpending(db))])
  }, FRESH_FOR)
  const kind = (one: { kind: string }) => one.kind
  const ofOpen = readingsPer(open, {
    kind,
    state: ({ state }) => state,
    reason: ({ reason }) => reason,
  })
  const ofDone = readingsPer(done, { kind })
  const ofTransactions = readingsPer(() => countTransactions(db), {
    ...{ kind, chain: nameOf, state: ({ state }: { state: string }) => state },
  })
  const accounts = async () => (await health()).accounts
  const ofAccounts = readingsPer(accounts, { chain: nameOf })
  const ofHealth = readingsPer(async () => [await health()], {})
  const ofSpent = readingsPer(spent, { chain: nameOf, kind })
  const ofTransfers = readingsPer(transfers, { chain: nameOf })
  return [
    ofOpen(
      'cairn_reactions_open',
      'Desired effects that wait or were refused.',
      (one) => one.count,
    ),
    ofOpen('cairn_reaction_failures', 'Failed attempts of open effects.', (one) => one.failures),
    ofOpen('cairn_reaction_age_seconds', 'Age of the oldest open effect.', (one) => one.seconds),
    ofDone('cairn_reactions_done_total', 'Effects that are done.', (one) => one.count, 'counter'),
    ofDone(
      'cairn_reactions_done_seconds_total',
      'Time from desired to done, summed.',
      (one) => one.seconds,
      'counter',
    ),
    ofTransactions('cairn_transactions_live', 'Transactions under way.', (one) => one.count),
    ofAccounts(
      'cairn_relayer_balance_wei',
      'Balance of the account that pays for transactions.',
      ({ balance }) => (balance === null ? null : Number(balance)),
    ),
    ofAccounts(
      'cairn_relayer_out_of_gas',
      'Transactions that wait because the account can’t pay for them.',
      ({ waiting }) => waiting,
    ),
    readingsPer(accounts, { chain: nameOf, problem: ({ problem }) => problem ?? '' })(
      'cairn_relayer_blocked',
      '1 while something blocks the account’s transactions; see the label problem.',
      ({ problem }) => (problem === null ? null : 1),
    ),
    ofHealth('cairn_enclave_reachable', '1 while the reactions reach the enclave.', (one) =>
      Number(one.enclave === 'ok'),
    ),
    ofHealth('cairn_reactions_running', '1 while an instance of the reactions runs.', (one) =>
      Number(one.status !== 'stopped'),
    ),
    // Only sums, never a single Safe, since everyone may read them.
    ofSpent(
      'cairn_sponsored_transactions_total',
      'Transactions paid for the owners of Safes.',
      (one) => one.count,
      'counter',
    ),
    ofSpent('cairn_sponsored_wei_total', 'What they cost.', ({ wei }) => wei, 'counter'),
    readingsPer(spentToday, { chain: nameOf, kind })(
      'cairn_sponsored_day_wei',
      'What those of the last 24 hours cost.',
      ({ wei }) => wei,
    ),
    ofTransfers(
      'cairn_transfers_block',
      'Last block whose Safe transfers have been read.',
      ({ position }) => position,
    ),
    ofTransfers(
      'cairn_transfers_lag_seconds',
      'Time since all transfers had been read.',
      ({ lagSeconds }) => lagSeconds,
    ),
    ofTransfers(
      'cairn_transfers_failures_total',
      'Failed rounds since the follower started.',
      ({ failures }) => failures,
      'counter',
    ),
    ofTransfers('cairn_transfers_up', '1 while transfers are followed, at the head.', (one) =>
      Number(one.status === 'ok'),
    ),
    readingsPer(async () => (await transfers()).flatMap(safesByState), {
      ...{ chain: nameOf, state: ({ state }: { state: string }) => state },
    })(
      'cairn_transfers_safes',
      'Safes by state: followed, quiet, still to be read back.',
      ({ safes }) => safes,
    ),
  ]
}

function safesByState({ chainId, safes }: TransfersHealth) {
  return Object.entries(safes ?? {}).map(([state, safes]) => ({ chainId, state, safes }))
}

type Spent = { chainId: number; kind: string; wei: bigint }

/** One sum for each chain and kind. */
function summed(all: readonly Spent[]): Spent[] {
  const groups = Map.groupBy(all, ({ chainId, kind }) => `${chainId}:${kind}`)
  return [...groups.values()].map((group) => ({
    ...(group[0] as Spent),
    wei: group.reduce((sum, { wei }) => sum + wei, 0n),
  }))
}

/** An answer that is read at most once in a while, however many request it. */
function remembered<Answer>(ask: () => Promise<Answer>, freshFor: number): () => Promise<Answer> {
  let known: { at: number; answer: Promise<Answer> } | null = null
  return () => {
    const now = performance.now()
    if (known === null || now - known.at > freshFor) {
      const answer = ask()
      const asked = { at: now, answer }
      known = asked
      answer.catch(() => {
        if (known === asked) known = null
      })
    }
    return known.answer
  }
}
