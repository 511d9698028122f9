import type { ClientBase } from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import { EVENT_SELECTORS } from '../../../src/event/decodeLog.ts'
import { VAULT_SELECTORS } from '../../../src/event/decodeVaultLog.ts'
import type { ChainConfig } from '../../config/chains.ts'
import type { BlockRange } from '../prefill/blockRange.ts'

/** Events of whole blocks, in the chain's order, following on the page before. Never empty. */
export type EventPage = {
  events: ChainEvent[]
  /** The block of the last one. */
  blockNumber: number
  blockTimestamp: number
}

/** A log in Ponder's cache whose block or transaction isn't there, or is another one. */
export class CacheHoleError extends Error {
  override readonly name = 'CacheHoleError'
}

/** Events of a page: bounds the memory, since an event with a recovery blob takes some kilobytes. */
const pageSize = 5_000

type Source = Pick<ChainConfig, 'chainId' | 'bridge' | 'vault'>

/**
 * The events of a chain's contracts in a range of blocks, from Ponder's cache.
 *
 * @throws CacheHoleError, and LogLayoutError for a log that is none of theirs.
 */
export async function* cachedEvents(
  client: ClientBase,
  source: Source,
  range: BlockRange,
  limit = pageSize,
): AsyncGenerator<EventPage> {
  let { from } = range
  while (from <= range.to) {
    const found = await selectLogs(client, source, { from, to: range.to }, limit)
    const logs = wholeBlocks(found, limit) ?? (await blockOf(client, source, found))
    if (logs.length === 0) return
    const page = await pageOf(client, source, logs)
    yield page
    from = page.blockNumber + 1
  }
}

const SELECTORS = [...new Set([...EVENT_SELECTORS, ...VAULT_SELECTORS])]

/** Block number and hash, place in the block, transaction's place and hash, contract, topics 0 to 3, data. */
type CachedLog = [
  ...[blockNumber: string, blockHash: Hex, logIndex: number],
  ...[transactionIndex: number, transactionHash: Hex],
  address: Hex,
  ...[topic0: Hex, topic1: Hex | null, topic2: Hex | null, topic3: Hex | null, data: Hex],
]

async function selectLogs(
  client: ClientBase,
  { chainId, bridge, vault }: Source,
  { from, to }: BlockRange,
  limit: number | null,
): Promise<CachedLog[]> {
  const addresses = [bridge, ...(vault ? [vault] : [])].map((one) => one.toLowerCase())
  const { rows } = await client.query<CachedLog>({
    rowMode: 'array',
    text: `
      SELECT block_number, block_hash, log_index, transaction_index, transaction_hash,
             address, topic0, topic1, topic2, topic3, data
        FROM ponder_sync.logs
       WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND address = ANY($4) AND topic0 = ANY($5)
       ORDER BY block_number, log_index LIMIT $6`,
    values: [chainId, from, to, addresses, SELECTORS, limit],
  })
  return rows
}

/** Without the last block, which may go on in the next page; null when that leaves nothing. */
function wholeBlocks(logs: CachedLog[], limit: number): CachedLog[] | null {
  if (logs.length < limit) return logs
  const last = (logs.at(-1) as CachedLog)[0]
  const end = logs.findIndex(([blockNumber]) => blockNumber === last)
  return end === 0 ? null : logs.slice(0, end)
}

/** All logs of the first block, which holds more than a page. */
function blockOf(client: ClientBase, source: Source, [first]: CachedLog[]): Promise<CachedLog[]> {
  const block = Number(first?.[0])
  return selectLogs(client, source, { from: block, to: block }, null)
}

/** What the logs themselves don't tell: their blocks' times and their transactions' senders. */
type Surroundings = {
  blocks: Map<string, { hash: Hex; timestamp: number }>
  senders: Map<string, Hex>
}

async function selectSurroundings(
  client: ClientBase,
  { chainId }: Source,
  logs: CachedLog[],
): Promise<Surroundings> {
  const range = [chainId, logs[0]?.[0], logs.at(-1)?.[0]]
  const blocks = await client.query<[string, Hex, string]>({
    rowMode: 'array',
    text: `SELECT number, hash, timestamp FROM ponder_sync.blocks
            WHERE chain_id = $1 AND number BETWEEN $2 AND $3`,
    values: range,
  })
  const transactions = await client.query<[string, number, Hex, Hex]>({
    rowMode: 'array',
    text: `SELECT block_number, transaction_index, hash, "from" FROM ponder_sync.transactions
            WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3`,
    values: range,
  })
  return {
    blocks: new Map(
      blocks.rows.map(([number, hash, time]) => [number, { hash, timestamp: Number(time) }]),
    ),
    senders: new Map(
      transactions.rows.map(([block, index, hash, from]) => [
        `${block}/${index}/${hash}`,
        from.toLowerCase() as Hex,
      ]),
    ),
  }
}

async function pageOf(client: ClientBase, source: Source, logs: CachedLog[]): Promise<EventPage> {
  const { blocks, senders } = await selectSurroundings(client, source, logs)
  const page: EventPage = { events: [], blockNumber: 0, blockTimestamp: 0 }
  for (const [number, blockHash, logIndex, transactionIndex, transactionHash, ...rest] of logs) {
    const block = blocks.get(number)
    const transactionFrom = senders.get(`${number}/${transactionIndex}/${transactionHash}`)
    if (block?.hash !== blockHash || transactionFrom === undefined) {
      throw new CacheHoleError(
        `Ponder's cache has a log of block ${number} without its block or its transaction`,
      )
    }
    page.blockNumber = Number(number)
    page.blockTimestamp = block.timestamp
    const [address, topic0, topic1, topic2, topic3, data] = rest
    const event = decodeContractLog(
      source,
      { address, topics: topicsOf(topic0, topic1, topic2, topic3), data },
      {
        chainId: source.chainId,
        blockNumber: page.blockNumber,
        blockHash,
        blockTimestamp: block.timestamp,
        logIndex,
        transactionHash,
        transactionFrom,
      },
    )
    if (event) page.events.push(event)
  }
  return page
}

function topicsOf(...topics: (Hex | null)[]): Hex[] {
  return topics.filter((topic) => topic !== null)
}
