import { promises as dns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './publicAddress.ts'

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>

/** A host that webhooks must not reach. */
export class AddressRefusedError extends Error {
  override name = 'AddressRefusedError'
  readonly code = 'ADDRESS_REFUSED'

  constructor() {
    super('the host is not on the public internet')
  }
}

/**
 * Asks the name servers directly, without one of Node's few threads, so that names that never resolve keep
 * nobody else waiting.
 */
export function createResolve(): Resolve {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = [v4, v6].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (found.length > 0 || v4.status === 'fulfilled') return found
    throw v4.reason
  }
}

/**
 * Resolves a name for exactly the connection about to be made, and returns only public addresses; what the
 * name resolves to before or afterwards doesn't matter.
 */
export function checkedLookup(resolve: Resolve, isAllowed = isPublicAddress): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (found) => {
        // One private address refuses the name: an honest one has none.
        if (found.length === 0 || !found.every(isAllowed))
          return callback(new AddressRefusedError(), '')
        const addresses = found.map((address) => ({ address, family: isIP(address) }))
        if (options.all) callback(null, addresses)
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error) => callback(error, ''),
    )
  }
}
