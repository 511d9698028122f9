import { type Hex, pad } from 'viem'
import {
  ChangedDuringReadError,
  UnusableAnswerError,
} from '../../../chain/history/historyErrors.ts'
import { createRangeSizer } from '../../../chain/history/rangeSizer.ts'
import {
  type LogFilter,
  type LogQuery,
  readAllLogs,
  readLogs,
} from '../../../chain/history/readLogs.ts'
import { requestFromPool } from '../../../chain/history/requestFromPool.ts'
import type { ChainLog } from '../../../chain/history/rpcSchemas.ts'
import type { Provider } from '../../../chain/rpcPool/provider.ts'
import { RpcError } from '../../../chain/rpcPool/rpcError.ts'
import type { Block, TransferFollowerContext } from './transferFollowerContext.ts'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A token that emitted a transfer to or from a Safe, and when. */
export type SafeToken = { safe: Hex; token: Hex; firstBlock: number; lastBlock: number }

type TransferPart = {
  /** The last block read. */
  end: Block
  tokens: SafeToken[]
}

type Known = {
  /** A block that must be on the answering node's chain. */
  anchor: Block | null
  /** Listed tokens, lower case. */
  listed: ReadonlySet<string>
}

/**
 * Reads transfers to or from these Safes, from a block on: as many blocks as the node allows, up to `to`. In a single
 * block with more than the node returns, which anyone can cause cheaply, reads only listed tokens. A second node is asked
 * for the same blocks: what either returns counts, because a log only has balances read, while an omitted one would hide
 * a payment.
 *
 * @throws ChangedDuringReadError when the anchor isn't on the chain, or when the Safes' parts are from different forks;
 *   RpcError
 */
export async function readTransfers(
  context: TransferFollowerContext,
  safes: readonly Hex[],
  { from, to }: { from: number; to: number },
  { anchor, listed }: Known,
): Promise<TransferPart> {
  const { pool, sizer, settings } = context
  const { totalTimeoutMs, safesAtOnce } = settings
  const isNobody = safes.length === 0
  const groups = chunksOf(safes, safesAtOnce).map(filtersOf)
  const fallbackFilters = (filters: readonly LogFilter[]) => onlyOf([...listed] as Hex[], filters)
  const parts = readLogs(requestFromPool(pool, { totalTimeoutMs }), {
    groups,
    // Without a Safe there are no logs to request; only the position advances.
    from: isNobody ? to : from,
    to,
    sizer: isNobody ? createRangeSizer() : sizer,
    extraHeaders: () => (anchor === null ? [] : [anchor.number]),
    fallbackFilters,
  })
  const { value: part } = await parts.next()
  if (!part) throw new RangeError(`no block from ${from} to ${to}`)
  const [known = null] = part.extraHeaders
  if (anchor !== null && known?.hash !== anchor.hash)
    throw new ChangedDuringReadError(`block ${anchor.number} has left the chain`)
  const range = { from: part.from, to: part.to }
  const others = isNobody
    ? []
    : await readFromOther(context, part.provider, {
        ...range,
        groups,
        fallbackFilters,
      })
  return { end: part.end, tokens: tokensOf([...part.logs, ...others], new Set(safes)) }
}

/** The same logs by another node, as far as it gives them in time; none if no other answers. */
async function readFromOther(
  { pool, stop: signal, settings: { totalTimeoutMs, secondTimeoutMs } }: TransferFollowerContext,
  first: Provider,
  query: LogQuery,
): Promise<ChainLog[]> {
  const isOther = (provider: Provider) => provider !== first && !provider.isBackingOff
  if (!pool.trusted().some(isOther)) return []
  const exclude = new Set(pool.providers.filter((provider) => !isOther(provider)))
  const sizer = createRangeSizer({ first: query.to - query.from + 1 })
  // It may allow far fewer blocks at once, or answer slowly on purpose to hold up the chain's Safes.
  const end = performance.now() + secondTimeoutMs
  const isDone = () => performance.now() > end
  const send = requestFromPool(pool, { totalTimeoutMs, exclude, once: true, signal })
  try {
    return await readAllLogs(send, { ...query, sizer, isDone })
  } catch (error) {
    const kinds = [RpcError, UnusableAnswerError, ChangedDuringReadError]
    if (kinds.some((kind) => error instanceof kind)) return []
    throw error
  }
}

/** A log matches by its sender or by its receiver, which takes two filters. */
function filtersOf(safes: readonly Hex[]): LogFilter[] {
  if (safes.length === 0) return []
  const padded = safes.map((safe) => pad(safe, { size: 32 }))
  return [{ topics: [TRANSFER, padded] }, { topics: [TRANSFER, null, padded] }]
}

/** An empty list of addresses would match any. */
function onlyOf(address: readonly Hex[], filters: readonly LogFilter[]): LogFilter[] {
  return address.length === 0 ? [] : filters.map((filter) => ({ ...filter, address }))
}

function tokensOf(found: readonly ChainLog[], safes: ReadonlySet<Hex>): SafeToken[] {
  const tokens = new Map<string, SafeToken>()
  for (const { address: token, topics, data, blockNumber: block } of found) {
    // An ERC-721 has the same event with its last argument indexed: four topics, and not a balance that
    // we track. A transfer of zero moves nothing, and anyone may send one of a token that isn't theirs.
    if (topics.length !== 3 || /^0x0*$/.test(data)) continue
    for (const safe of topics.slice(1).map(addressOf)) {
      if (!safes.has(safe)) continue
      const known = tokens.get(`${safe}${token}`)
      tokens.set(`${safe}${token}`, {
        safe,
        token,
        firstBlock: Math.min(block, known?.firstBlock ?? block),
        lastBlock: Math.max(block, known?.lastBlock ?? block),
      })
    }
  }
  return [...tokens.values()]
}

function addressOf(topic: Hex): Hex {
  return `0x${topic.slice(-40)}`
}

/** At least one, if only an empty one, to read the end of the range. */
function chunksOf(safes: readonly Hex[], size: number): (readonly Hex[])[] {
  const chunks: (readonly Hex[])[] = []
  for (let at = 0; at === 0 || at < safes.length; at += size)
    chunks.push(safes.slice(at, at + size))
  return chunks
}
