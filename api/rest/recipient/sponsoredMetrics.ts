import type {
  ChainSpending,
  DaySpending,
} from '../../../services/relayer/recipients/sponsored/spending.ts'
import type { Reading, Sample } from '../../http/metrics.ts'

/**
 * The metrics of the transactions that the relayer pays for the owners of Safes: only sums, never a single
 * Safe, since everyone may read them.
 *
 * @param ever is called once per number, as is `day`: both should cache
 */
export function sponsoredMetrics(
  ever: () => Promise<ChainSpending[]>,
  day: () => Promise<DaySpending[]>,
  nameOf: (chainId: number) => string,
): Reading[] {
  const ofChains = (name: string, help: string, value: 'count' | 'wei'): Reading => ({
    ...{ name, help, type: 'counter' as const, labels: ['chain', 'kind'] },
    read: async () =>
      (await ever()).map((one) => ({
        labels: { chain: nameOf(one.chainId), kind: one.kind },
        value: Number(one[value]),
      })),
  })
  return [
    ofChains(
      'cairn_sponsored_transactions_total',
      'Transactions paid for the owners of Safes.',
      'count',
    ),
    ofChains('cairn_sponsored_wei_total', 'What they cost.', 'wei'),
    {
      name: 'cairn_sponsored_day_wei',
      help: 'What those of the last 24 hours cost.',
      labels: ['chain', 'kind'],
      read: async () => {
        // A kind that cost nothing today is included too, once it ever has.
        const known = (await ever()).map(({ chainId, kind }) => ({ chainId, kind, wei: 0n }))
        return summed([...known, ...(await day())], ({ chainId, kind }) => ({
          ...{ chain: nameOf(chainId), kind },
        }))
      },
    },
  ]
}

/** One sample for each set of labels. */
function summed<Spending extends { wei: bigint }>(
  all: readonly Spending[],
  labelsOf: (one: Spending) => Record<string, string>,
): Sample[] {
  const byLabels = new Map<string, { labels: Record<string, string>; value: number }>()
  for (const one of all) {
    const labels = labelsOf(one)
    const name = JSON.stringify(labels)
    const value = (byLabels.get(name)?.value ?? 0) + Number(one.wei)
    byLabels.set(name, { labels, value })
  }
  return [...byLabels.values()]
}
