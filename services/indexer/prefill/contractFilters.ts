import { type AbiEvent, toEventSelector } from 'viem'
import { EVENT_ABI, VAULT_EVENTS } from '../../../src/event/eventFields.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { LogFilter } from './ponderInternals.ts'

/**
 * The log filters that Ponder builds for a chain: one for each event of the bridge, and of the vault if there
 * is one, that has a handler, which are the events of the domain. Events that a contract inherits are not indexed.
 *
 * A filter too few here costs speed (Ponder fetches what it misses); one too many costs rows nobody reads.
 */
export function contractFilters(
  chain: Pick<ChainConfig, 'chainId' | 'bridge' | 'vault' | 'startBlock'>,
): LogFilter[] {
  const { bridge, vault } = chain
  return [
    ...EVENT_ABI.map((event) => filterOf(chain, bridge, event)),
    ...(vault ? VAULT_EVENTS.map(({ abi }) => filterOf(chain, vault, abi)) : []),
  ]
}

function filterOf(
  { chainId, startBlock }: Pick<ChainConfig, 'chainId' | 'startBlock'>,
  contract: string,
  event: AbiEvent,
): LogFilter {
  return {
    type: 'log',
    chainId,
    address: contract.toLowerCase(),
    topic0: toEventSelector(event),
    topic1: null,
    topic2: null,
    topic3: null,
    fromBlock: startBlock,
    hasTransactionReceipt: false,
  }
}
