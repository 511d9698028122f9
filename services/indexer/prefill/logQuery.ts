import { EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { ChainConfig } from '../../config/chains.ts'

/** Logs of any of these contracts (lower case) with any of these selectors. */
export type LogQuery = { addresses: string[]; topics: string[] }

/** Every contract of a chain with every event: what no contract writes, none can be asked for in vain. */
export function logQuery({ bridge, vault }: Pick<ChainConfig, 'bridge' | 'vault'>): LogQuery {
  const addresses = [bridge, ...(vault ? [vault] : [])].map((address) => address.toLowerCase())
  const topics = [...EVENT_SELECTORS, ...(vault ? VAULT_SELECTORS : [])]
  return { addresses: [...new Set(addresses)], topics: [...new Set(topics)] }
}
