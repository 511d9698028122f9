import { numberToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EVENT_SELECTORS } from '../../../src/event/decodeBridgeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { RangeSizer } from '../../chain/history/rangeSizer.ts'
import { type BlockRange, type LogPart, readLogs } from '../../chain/history/readLogs.ts'
import { requestFromPool } from '../../chain/history/requestFromPool.ts'
import { headerMatchesHash } from '../../chain/proof/headerMatchesHash.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { PonderInternals } from '../ponder/ponderInternals.ts'

/** The contracts whose history is fetched, and the providers to fetch it from. */
export type HistorySource = {
  pool: RpcPool
  filter: ContractsFilter
  signal: AbortSignal | undefined
  /** How long to wait for any provider to answer. */
  totalTimeoutMs: number
  /** The range width that a provider's refusal suggests, if any. */
  suggestedRangeWidth: (refusal: RpcError, range: BlockRange) => number | undefined
  /** Whether the chain's headers hash to their block hashes, which exposes false headers. Not every chain's do. */
  hasVerifiableHeaders: boolean
  /** Providers not to use. */
  exclude?: ReadonlySet<Provider>
  /**
   * A block above the history on whose hash the providers agree. With it, no provider is believed because of its place: a
   * conflict that neither proof nor vote decides is thrown.
   */
  agreedBlock?: number
}

type FinalitySource = Pick<
  HistorySource,
  'signal' | 'totalTimeoutMs' | 'hasVerifiableHeaders' | 'exclude'
>

/** Options for requests about final blocks. Their data exists, so null is never accepted. */
export function finalAnswers({ signal, totalTimeoutMs, exclude }: FinalitySource): SendOptions {
  const usable = (result: unknown) => result !== null
  return { signal, totalTimeoutMs, exclude, retryBehind: true, usable }
}

/** Options for requests for final headers, alone or with logs. A header that doesn't verify isn't accepted. */
export function finalHeaders(source: FinalitySource): SendOptions {
  const usable = (result: unknown) => Array.isArray(result) || headerMatchesHash(result)
  return { ...finalAnswers(source), ...(source.hasVerifiableHeaders && { usable }) }
}

/** Logs of any of these contracts (lower case) with any of these selectors. */
export type ContractsFilter = {
  addresses: Hex[]
  topics: Hex[]
  /** Event selectors by contract. */
  selectors: ReadonlyMap<Hex, ReadonlySet<string>>
}

/** All events of a chain's bridge and vault. */
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

/** Reads the range width that a refusal suggests. Ponder knows how the various providers word it. */
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

/** The logs of one range from one provider, in chain order. */
export type FetchedLogs = LogPart<Provider>

/** Fetches the contracts' logs in a range, in as many parts as the providers require. */
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
