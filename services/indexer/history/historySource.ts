import { numberToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import { type BlockRange, type LogPart, readLogs } from '../../chain/history/readLogs.ts'
import { requestFromPool } from '../../chain/history/requestFromPool.ts'
import { headerMatchesHash } from '../../chain/proof/headerMatchesHash.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'

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
  return { signal, patienceMs, exclude, retryBehind: true, usable }
}

/** The same for headers, and for lists beside them. Another provider is asked for a header that isn't proven. */
export function finalHeaders(source: Answerable): SendOptions {
  const usable = (result: unknown) => Array.isArray(result) || headerMatchesHash(result)
  return { ...finalAnswers(source), ...(source.provesHeaders && { usable }) }
}

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

/** The logs of one range as one provider gave them, in the chain's order. */
export type FetchedLogs = LogPart<Provider>

/** The contracts' logs in a range, in as many parts as the providers insist on. */
export async function fetchLogs(
  source: HistorySource,
  { from, to }: BlockRange,
  sizer: RangeSizer,
  options: Pick<SendOptions, 'exclude' | 'once'> = {},
): Promise<FetchedLogs[]> {
  const { addresses, topics } = source.filter
  const address = addresses.length === 1 ? addresses[0] : addresses
  const send = requestFromPool(source.pool, { ...finalHeaders(source), ...options })
  const filters = [{ address, topics: [topics] }]
  const { suggestedRangeWidth: suggestedWidth } = source
  const parts: FetchedLogs[] = []
  for await (const part of readLogs(send, { filters, from, to, sizer, suggestedWidth }))
    parts.push(part)
  return parts
}
