import { numberToHex } from 'viem'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'
import type { ContractsFilter } from './contractsFilter.ts'

/**
 * The width of a range that a provider names as it turns a wider one down. Ponder knows the many ways in which
 * providers put it.
 */
export function suggestedRangeWidth(
  { narrowerRanges }: Pick<PonderInternals, 'narrowerRanges'>,
  { addresses, topics }: ContractsFilter,
) {
  return (refusal: RpcError, { from, to }: BlockRange): number | undefined => {
    const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
    const { shouldRetry, isSuggestedRange, ranges } = narrowerRanges({
      params: [{ address: addresses, topics: [topics], ...range }],
      error: refusal,
    })
    const first = ranges?.[0]
    if (!shouldRetry || !isSuggestedRange || !first) return undefined
    return Number(first.toBlock) - Number(first.fromBlock) + 1
  }
}
