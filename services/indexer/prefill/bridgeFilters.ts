import { toEventSelector } from 'viem'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { LogFilter } from './ponderInternals.ts'

/**
 * The log filters that Ponder builds for a chain: one for each event of the bridge that has a handler,
 * which are the events of the domain. Events that the contract inherits are not indexed.
 *
 * A filter too few here costs speed (Ponder fetches what it misses); one too many costs rows nobody reads.
 */
export function bridgeFilters(
  chain: Pick<ChainConfig, 'chainId' | 'bridge' | 'startBlock'>,
): LogFilter[] {
  return EVENT_ABI.map((event) => ({
    type: 'log',
    chainId: chain.chainId,
    address: chain.bridge.toLowerCase(),
    topic0: toEventSelector(event),
    topic1: null,
    topic2: null,
    topic3: null,
    fromBlock: chain.startBlock,
    hasTransactionReceipt: false,
  }))
}
