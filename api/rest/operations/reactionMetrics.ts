import type { ChainConfig } from '../../../services/config/chains.ts'
import {
  readDaySpending,
  readSpending,
} from '../../../services/relayer/recipients/sponsored/spending.ts'
import { readTransfersHealth } from '../../../services/relayer/recipients/transfers/readTransfersHealth.ts'
import {
  countDone,
  countReactions,
  countTransactions,
  readReactionsHealth,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { Reading } from '../../http/metrics.ts'
import { sponsoredMetrics } from '../recipient/sponsoredMetrics.ts'
import { transferMetrics } from '../recipient/transferMetrics.ts'

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
  const nameOf = (chainId: number) =>
    configured.find((chain) => chain.chainId === chainId)?.name ?? String(chainId)
  const ofOpen = (name: string, help: string, value: 'count' | 'failures' | 'seconds') => ({
    ...{ name, help, labels: ['kind', 'state', 'reason'] },
    read: async () =>
      (await open()).map(({ kind, state, reason, ...numbers }) => ({
        labels: { kind, state, reason },
        value: numbers[value],
      })),
  })
  const ofDone = (name: string, help: string, value: 'count' | 'seconds') => ({
    ...{ name, help, type: 'counter' as const, labels: ['kind'] },
    read: async () =>
      (await done()).map((one) => ({ labels: { kind: one.kind }, value: one[value] })),
  })
  return [
    ofOpen('cairn_reactions_open', 'Desired effects that wait or were refused.', 'count'),
    ofOpen('cairn_reaction_failures', 'Failed attempts of open effects.', 'failures'),
    ofOpen('cairn_reaction_age_seconds', 'Age of the oldest open effect.', 'seconds'),
    ofDone('cairn_reactions_done_total', 'Effects that are done.', 'count'),
    ofDone('cairn_reactions_done_seconds_total', 'Time from desired to done, summed.', 'seconds'),
    {
      name: 'cairn_transactions_live',
      help: 'Transactions under way.',
      labels: ['kind', 'chain', 'state'],
      read: async () =>
        (await countTransactions(db)).map(({ kind, chainId, state, count }) => ({
          labels: { kind, chain: nameOf(chainId), state },
          value: count,
        })),
    },
    {
      name: 'cairn_relayer_balance_wei',
      help: 'Balance of the account that pays for transactions.',
      labels: ['chain'],
      read: async () =>
        (await health()).accounts.flatMap(({ chainId, balance }) =>
          balance === null ? [] : [{ labels: { chain: nameOf(chainId) }, value: Number(balance) }],
        ),
    },
    {
      name: 'cairn_relayer_out_of_gas',
      help: 'Transactions that wait because the account can’t pay for them.',
      labels: ['chain'],
      read: async () =>
        (await health()).accounts.map(({ chainId, waiting }) => ({
          labels: { chain: nameOf(chainId) },
          value: waiting,
        })),
    },
    {
      name: 'cairn_relayer_blocked',
      help: '1 while something blocks the account’s transactions; see the label problem.',
      labels: ['chain', 'problem'],
      read: async () =>
        (await health()).accounts.flatMap(({ chainId, problem }) =>
          problem === null ? [] : [{ labels: { chain: nameOf(chainId), problem }, value: 1 }],
        ),
    },
    {
      name: 'cairn_enclave_reachable',
      help: '1 while the reactions reach the enclave.',
      read: async () => [{ value: Number((await health()).enclave === 'ok') }],
    },
    {
      name: 'cairn_reactions_running',
      help: '1 while an instance of the reactions runs.',
      read: async () => [{ value: Number((await health()).status !== 'stopped') }],
    },
    ...sponsoredMetrics(
      remembered(() => readSpending(db), DONE_FRESH_FOR),
      remembered(() => readDaySpending(db), FRESH_FOR),
      nameOf,
    ),
    ...transferMetrics(transfers, nameOf),
  ]
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
