import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { ChainConfig } from '../../config/chains.ts'

/** Logs of any of these contracts (lower case) with any of these selectors. */
export type ContractsFilter = {
  addresses: Hex[]
  topics: Hex[]
  /** The selectors that each of the contracts has. */
  selectors: ReadonlyMap<Hex, ReadonlySet<string>>
}

/** Every contract of a chain with every event: what no contract writes, none can be asked for in vain. */
export function contractsFilter({
  bridge,
  vault,
}: Pick<ChainConfig, 'bridge' | 'vault'>): ContractsFilter {
  const selectors = new Map([[lowerCase(bridge), new Set<Hex>(EVENT_SELECTORS)]])
  if (vault) selectors.set(lowerCase(vault), new Set<Hex>(VAULT_SELECTORS))
  const topics = new Set([...selectors.values()].flatMap((ofOne) => [...ofOne]))
  return { addresses: [...selectors.keys()], topics: [...topics], selectors }
}

function lowerCase(address: string): Hex {
  return address.toLowerCase() as Hex
}
