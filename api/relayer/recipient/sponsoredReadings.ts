import type {
  ChainSpending,
  SafeSpending,
} from '../../../services/recipients/sponsored/readSpending.ts'
import type { Reading, Sample } from '../../http/metrics.ts'

/** Safes that are told of one by one: each is a series of its own. */
const SAFES = 20

/**
 * What `/metrics` tells of the transactions that the relayer pays for the owners of Safes.
 *
 * @param ever is asked once for each number, as is `day`: both should remember
 */
export function sponsoredReadings(
  ever: () => Promise<ChainSpending[]>,
  day: () => Promise<SafeSpending[]>,
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
        // A kind that cost nothing today is told of as well, once it ever has.
        const known = (await ever()).map(({ chainId, kind }) => ({ chainId, kind, wei: 0n }))
        return summed([...known, ...(await day())], ({ chainId, kind }) => ({
          ...{ chain: nameOf(chainId), kind },
        }))
      },
    },
    {
      name: 'cairn_sponsored_safe_day_wei',
      help: 'The same for each of the Safes that cost the most.',
      labels: ['chain', 'safe'],
      read: async () =>
        summed(await day(), ({ chainId, safeAddress }) => ({
          ...{ chain: nameOf(chainId), safe: safeAddress },
        }))
          .toSorted((one, other) => other.value - one.value)
          .slice(0, SAFES),
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
