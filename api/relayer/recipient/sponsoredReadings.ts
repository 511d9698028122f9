import {
  readDearestSafes,
  readSpending,
} from '../../../services/recipients/sponsored/readSpending.ts'
import type { Db } from '../../../services/store/database.ts'
import type { Reading } from '../../http/metrics.ts'

/** Safes that are told of one by one: each is a series of its own. */
const SAFES = 20

/** What `/metrics` tells of the transactions that the relayer pays for the owners of Safes. */
export function sponsoredReadings(db: Db, nameOf: (chainId: number) => string): Reading[] {
  const ofChains = (name: string, help: string, value: 'count' | 'wei' | 'weiToday'): Reading => ({
    ...{ name, help, labels: ['chain', 'kind'] },
    read: async () =>
      (await readSpending(db)).map((one) => ({
        labels: { chain: nameOf(one.chainId), kind: one.kind },
        value: Number(one[value]),
      })),
  })
  return [
    ofChains('cairn_sponsored_transactions', 'Transactions paid for the owners of Safes.', 'count'),
    ofChains('cairn_sponsored_wei', 'What they cost.', 'wei'),
    ofChains('cairn_sponsored_day_wei', 'What those of the last 24 hours cost.', 'weiToday'),
    {
      name: 'cairn_sponsored_safe_day_wei',
      help: 'The same for each of the Safes that cost the most.',
      labels: ['chain', 'safe'],
      read: async () =>
        (await readDearestSafes(db, SAFES)).map(({ chainId, safeAddress, wei }) => ({
          labels: { chain: nameOf(chainId), safe: safeAddress },
          value: Number(wei),
        })),
    },
  ]
}
