import type { BlockRange } from '../../chain/history/readLogs.ts'
import type { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import type { ContractsFilter } from './contractsFilter.ts'

/** Whose history is fetched, and from whom. */
export type HistorySource = {
  pool: RpcPool
  filter: ContractsFilter
  signal: AbortSignal | undefined
  /** How long to wait for any provider to answer. */
  patienceMs: number
  /** The width of a range that a provider names as it turns a wider one down, if it does. */
  namedWidth: (refusal: RpcError, range: BlockRange) => number | undefined
}

/** How to ask for what is in a final block: somebody has it, so null is never the answer. */
export function finalAnswers({
  signal,
  patienceMs,
}: Pick<HistorySource, 'signal' | 'patienceMs'>): SendOptions {
  return { signal, patienceMs, awaitBehind: true, usable: (result) => result !== null }
}
