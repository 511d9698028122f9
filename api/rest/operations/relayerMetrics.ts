import { toRecipientClass } from '../../../core/recoveryBlob/blobSize.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { findGasPriceCap } from '../../../services/config/findGasPriceCap.ts'
import {
  readTransfersHealth,
  type TransfersHealth,
} from '../../../services/relayer/recipients/safeTransfers/readTransfersHealth.ts'
import {
  type DaySpending,
  readDaySpending,
  readSpending,
} from '../../../services/relayer/recipients/sponsored/sponsorBudget.ts'
import { createDoneReactionsCounter } from '../../../services/relayer/reconciler/countDoneReactions.ts'
import {
  gasOfSender,
  readUnpaidGas,
} from '../../../services/relayer/reconciler/perform/unpaidGas.ts'
import {
  countReactions,
  countTransactions,
  readReactionsHealth,
  readUnpaidGasShares,
} from '../../../services/relayer/reconciler/readReactionsHealth.ts'
import { cachedFor } from '../../../services/store/cache/staleWhileRevalidate.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { type Reading, readingsPer } from '../../http/metrics.ts'
import { createChainNamer } from '../chainNamer.ts'

/** Milliseconds for which a query is cached, since several metrics use one. */
const FRESH_FOR = 1_000
const SUMS_FRESH_FOR = 30_000

/** Metrics of the reactions, their transactions, and the account that pays for them. */
export function createRelayerMetrics(db: Db, configured: readonly ChainConfig[]): Reading[] {
  const open = cachedFor(FRESH_FOR, () => countReactions(db))
  const done = cachedFor(FRESH_FOR, createDoneReactionsCounter(db))
  const health = cachedFor(FRESH_FOR, () => readReactionsHealth(db))
  const chainIds = configured.map(({ chainId }) => chainId)
  const transfers = cachedFor(FRESH_FOR, () => readTransfersHealth(db, chainIds))
  const nameOfId = createChainNamer(configured)
  const nameOf = ({ chainId }: { chainId: number }) => nameOfId(chainId)
  const spent = cachedFor(FRESH_FOR, () => readSpending(db))
  const spentToday = cachedFor(FRESH_FOR, async () => {
    // Includes a zero for kinds that cost nothing today.
    const known = (await spent()).map((one) => ({ ...one, wei: 0n }))
    return summed([...known, ...(await readDaySpending(db))])
  })
  const unpaid = cachedFor(SUMS_FRESH_FOR, async () => {
    const shares = await readUnpaidGasShares(db)
    return Promise.all(
      configured.map(async (chain) => {
        const { chainId } = chain
        // While no reactions run, at the defaults.
        const usual = { cap: findGasPriceCap(chain), ofSender: gasOfSender(0n) }
        const share = shares.get(chainId) ?? usual
        const limit = shares.get(chainId)?.limit ?? null
        return { chainId, limit, gas: await readUnpaidGas(db, chainId, share) }
      }),
    )
  })
  const kind = (one: { kind: string }) => one.kind
  const ofOpen = readingsPer(open, {
    kind,
    state: ({ state }) => state,
    reason: ({ reason }) => reason,
  })
  const ofDone = readingsPer(done, { kind })
  const ofTransactions = readingsPer(() => countTransactions(db), {
    kind,
    chain: nameOf,
    state: ({ state }: { state: string }) => state,
  })
  const accounts = async () => (await health()).accounts
  const ofAccounts = readingsPer(accounts, { chain: nameOf })
  const ofHealth = readingsPer(async () => [await health()], {})
  const ofUnpaid = readingsPer(unpaid, { chain: nameOf })
  const ofSpent = readingsPer(spent, { chain: nameOf, kind })
  const ofTransfers = readingsPer(transfers, { chain: nameOf })
  return [
    ofOpen('cairn_reactions_open', 'Desired effects that are pending or were refused.', 'count'),
    ofOpen('cairn_reaction_failures', 'Failed attempts of open effects.', 'failures'),
    ofOpen('cairn_reaction_age_seconds', 'Age of the oldest open effect.', 'seconds'),
    ofDone('cairn_reactions_done_total', 'Effects done since the API was first scraped.', 'count'),
    ofDone(
      'cairn_reactions_done_seconds_total',
      'Time from desired to done of these effects, summed.',
      'seconds',
    ),
    ofTransactions('cairn_transactions_live', 'Transactions that are not confirmed yet.', 'count'),
    ofAccounts(
      'cairn_relayer_balance_wei',
      'Balance of the account that pays for transactions.',
      ({ balance }) => (balance === null ? null : Number(balance)),
    ),
    ofAccounts(
      'cairn_relayer_out_of_gas',
      'Transactions that wait because the account can’t pay for them.',
      'waiting',
    ),
    ofUnpaid(
      'cairn_relayer_unpaid_gas',
      'Gas of the last 24 hours beyond what its senders’ fees ever paid for, over all senders.',
      'gas',
    ),
    ofUnpaid('cairn_relayer_unpaid_gas_limit', 'Limit of unpaid gas.', 'limit'),
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
    // Sums only, never a single Safe, since the metrics may be public.
    ofSpent(
      'cairn_sponsored_transactions_total',
      'Transactions paid for the owners of Safes.',
      'count',
    ),
    ofSpent(
      'cairn_sponsored_wei_total',
      'Cost of the transactions paid for the owners of Safes.',
      'wei',
    ),
    readingsPer(spentToday, { chain: nameOf, kind })(
      'cairn_sponsored_day_wei',
      'Cost of the transactions paid for the owners of Safes in the last 24 hours.',
      'wei',
    ),
    ofTransfers(
      'cairn_transfers_block',
      'Last block whose Safe transfers have been read.',
      'position',
    ),
    ofTransfers('cairn_transfers_lag_seconds', 'Time since all transfers were read.', 'lagSeconds'),
    ofTransfers(
      'cairn_transfers_failures_total',
      'Failed rounds since the follower started.',
      'failures',
    ),
    ofTransfers('cairn_transfers_up', '1 while transfers are followed, at the head.', (one) =>
      Number(one.status === 'ok'),
    ),
    readingsPer(async () => (await transfers()).flatMap(safesByState), {
      chain: nameOf,
      state: ({ state }: { state: string }) => state,
    })(
      'cairn_transfers_safes',
      'Safes by state (followed; quiet: read once an hour; still to be read), rounded up to a power of two.',
      'safes',
    ),
  ]
}

/** The difference between two exact numbers would tell anyone how many Safes an intent that wasn't delivered yet pays. */
function safesByState({ chainId, safes }: TransfersHealth) {
  return Object.entries(safes ?? {}).map(([state, count]) => {
    return { chainId, state, safes: count === 0 ? 0 : toRecipientClass(count) }
  })
}

/** One sum for each chain and kind. */
function summed(all: readonly DaySpending[]): DaySpending[] {
  const groups = Map.groupBy(all, ({ chainId, kind }) => `${chainId}:${kind}`)
  return [...groups.values()].map((group) => ({
    ...(group[0] as DaySpending),
    wei: group.reduce((sum, { wei }) => sum + wei, 0n),
  }))
}
