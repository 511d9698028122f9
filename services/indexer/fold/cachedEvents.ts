import type { ClientBase } from 'pg'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import { decodeLog, EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { BlockRange } from '../prefill/blockRange.ts'

/** Events of whole blocks, in the chain's order, following on the page before. Never empty. */
export type EventPage = {
  events: BridgeEvent[]
  /** The block of the last one. */
  blockNumber: number
  blockTimestamp: number
}

/** A log in Ponder's cache whose block or transaction isn't there: whoever wrote it was interrupted. */
export class CacheHoleError extends Error {
  override readonly name = 'CacheHoleError'
}

/** Events of a page: bounds the memory, since an event with a recovery blob takes some kilobytes. */
const pageSize = 5_000

/**
 * The bridge's events in a range of blocks, from Ponder's cache.
 *
 * @throws CacheHoleError, and LogLayoutError for a log that is none of the bridge's.
 */
export async function* cachedEvents(
  client: ClientBase,
  chain: Pick<ChainConfig, 'chainId' | 'bridge'>,
  range: BlockRange,
  limit = pageSize,
): AsyncGenerator<EventPage> {
  let { from } = range
  while (from <= range.to) {
    const logs = wholeBlocks(await select(client, chain, { from, to: range.to }, limit), limit)
    if (logs === null) {
      // A single block holds more than a page.
      const block = (await select(client, chain, { from, to: range.to }, 1))[0] as CachedLog
      const only = { from: Number(block[0]), to: Number(block[0]) }
      yield pageOf(await select(client, chain, only, null), chain)
      from = only.to + 1
      continue
    }
    if (logs.length === 0) return
    const page = pageOf(logs, chain)
    yield page
    from = page.blockNumber + 1
  }
}

/** Block number, log index, topics 0 to 3, data, transaction hash, block hash, block time, sender. */
type CachedLog = [
  ...[string, number, Hex, Hex | null, Hex | null, Hex | null, Hex],
  ...[Hex, Hex | null, string, string | null],
]

async function select(
  client: ClientBase,
  { chainId, bridge }: Pick<ChainConfig, 'chainId' | 'bridge'>,
  { from, to }: BlockRange,
  limit: number | null,
): Promise<CachedLog[]> {
  const { rows } = await client.query<CachedLog>({
    name: 'cached_events',
    rowMode: 'array',
    text: `
      SELECT l.block_number, l.log_index, l.topic0, l.topic1, l.topic2, l.topic3, l.data,
             l.transaction_hash, b.hash, b.timestamp, t."from"
        FROM (SELECT * FROM ponder_sync.logs
               WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3
                 AND address = $4 AND topic0 = ANY($5)
               ORDER BY block_number, log_index LIMIT $6) l
        LEFT JOIN ponder_sync.blocks b ON b.chain_id = $1 AND b.number = l.block_number
        LEFT JOIN ponder_sync.transactions t ON t.chain_id = $1
              AND t.block_number = l.block_number AND t.transaction_index = l.transaction_index
       ORDER BY l.block_number, l.log_index`,
    values: [chainId, from, to, bridge.toLowerCase(), EVENT_SELECTORS, limit],
  })
  return rows
}

/** Without the last block, which may go on in the next page; null when that leaves nothing. */
function wholeBlocks(logs: CachedLog[], limit: number): CachedLog[] | null {
  if (logs.length < limit) return logs
  const last = (logs.at(-1) as CachedLog)[0]
  const end = logs.findIndex((log) => log[0] === last)
  return end === 0 ? null : logs.slice(0, end)
}

function pageOf(
  logs: CachedLog[],
  { chainId, bridge }: Pick<ChainConfig, 'chainId' | 'bridge'>,
): EventPage {
  const events: BridgeEvent[] = []
  let blockNumber = 0
  let blockTimestamp = 0
  for (const [number, logIndex, ...rest] of logs) {
    const [topic0, topic1, topic2, topic3, data, transactionHash, blockHash, time, from] = rest
    blockNumber = Number(number)
    blockTimestamp = Number(time)
    if (blockHash === null || from === null) {
      throw new CacheHoleError(`Ponder's cache has a log of block ${number} and not its block`)
    }
    const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== null)
    const point = { chainId, blockNumber, blockHash, blockTimestamp, logIndex, transactionHash }
    const event = decodeLog(
      { address: bridge, topics, data },
      { ...point, transactionFrom: from.toLowerCase() as Hex },
    )
    if (event) events.push(event)
  }
  return { events, blockNumber, blockTimestamp }
}
