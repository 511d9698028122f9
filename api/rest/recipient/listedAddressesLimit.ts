import { countEntries } from '../../../services/relayer/recipients/entries/findEntries.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'

/** Addresses listed, per client and per wallet: two of the longest answers, then one in ten seconds. */
const PACE = { perSecond: 500, burst: 10_000 }

/**
 * Refuses a client that lists so many addresses that it would overload the server: for a wallet with
 * thousands an answer takes a third of a second of a processor.
 */
type ListedAddressesLimit = {
  /**
   * @param tags what stands for the wallet
   * @throws RateLimitedError
   */
  take(tags: readonly Hex[], client: string): Promise<void>
}

export function createListedAddressesLimit(db: Db): ListedAddressesLimit {
  const ofClients = createRateLimit('addresses', PACE)
  const ofWallets = createRateLimit('wallet-addresses', PACE)
  return {
    take: async (tags, client) => {
      const count = await countEntries(db, tags)
      if (count === 0) return
      // A client that has used up its own share takes nothing from the wallet's.
      ofClients.require(client, count)
      ofWallets.require(tags[0] ?? '', count)
    },
  }
}
