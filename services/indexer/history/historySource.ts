import type { BlockRange } from '../../chain/history/readLogs.ts'
import { headerMatchesHash } from '../../chain/proof/headerMatchesHash.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
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
  suggestedRangeWidth: (refusal: RpcError, range: BlockRange) => number | undefined
  /** Whether the chain's headers hash to its blocks' hashes, so that a false one shows. Not every chain's do. */
  provesHeaders: boolean
  /** Providers not to ask. */
  exclude?: ReadonlySet<Provider>
}

type Answerable = Pick<HistorySource, 'signal' | 'patienceMs' | 'provesHeaders' | 'exclude'>

/** How to ask for what is in a final block: somebody has it, so null is never the answer. */
export function finalAnswers({ signal, patienceMs, exclude }: Answerable): SendOptions {
  const usable = (result: unknown) => result !== null
  return { signal, patienceMs, exclude, awaitBehind: true, usable }
}

/** The same for headers, and for lists beside them. Another provider is asked for a header that isn't proven. */
export function finalHeaders(source: Answerable): SendOptions {
  const usable = (result: unknown) => Array.isArray(result) || headerMatchesHash(result)
  return { ...finalAnswers(source), ...(source.provesHeaders && { usable }) }
}
