import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { ChainConfig } from '../../config/chains.ts'

/** Logs of any of these contracts (lower case) with any of these selectors. */
export type ContractsFilter = { addresses: Hex[]; topics: Hex[] }

/** Every contract of a chain with every event: what no contract writes, none can be asked for in vain. */
export function contractsFilter({
  bridge,
  vault,
}: Pick<ChainConfig, 'bridge' | 'vault'>): ContractsFilter {
  const addresses = [bridge, ...(vault ? [vault] : [])].map(
    (address) => address.toLowerCase() as Hex,
  )
  const topics = [...EVENT_SELECTORS, ...(vault ? VAULT_SELECTORS : [])]
  return { addresses: [...new Set(addresses)], topics: [...new Set(topics)] }
}
