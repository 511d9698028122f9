import { countEntries } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import type { Registered } from '../../../services/relayer/recipients/registration/registeredRecipientStore.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'

/** Addresses listed per client and per wallet: ten of the longest answers, then one every two seconds. */
const PACE = { perSecond: 500, burst: 10_000 }

/** Charges a page of a wallet's addresses to the client and the wallet. @throws RateLimitedError when either has exhausted its limit */
export type RequireListing = (recipients: readonly Registered[], client: string) => Promise<void>

/**
 * Limits the addresses that are listed, because the longest answer takes up to half a second of CPU time. All endpoints
 * that list addresses share one limit.
 */
export function createListingLimit(db: Db): RequireListing {
  const ofClients = createRateLimit('addresses', PACE)
  const ofWallets = createRateLimit('wallet-addresses', PACE)
  return async (recipients, client) => {
    const tags = recipients.flatMap((recipient) => recipient.tags)
    const count = await countEntries(db, tags)
    if (count === 0) return
    // A client that has exhausted its own share takes nothing from the wallet's.
    ofClients.require(client, count)
    ofWallets.require(tags[0] ?? '', count)
  }
}
