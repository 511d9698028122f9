/**
 * The loop one would write by hand: requests logs range by range with viem, decodes them, and copies the indexer's event
 * and intent rows into two tables. Blocks and transactions, for times and senders, are requested in parallel batches. It
 * validates nothing, keeps no other table and can't resume after a kill.
 *
 * Environment: `LOOP_CHAIN` (rpcUrl, chainId, bridge, last, width), `DATABASE_URL`.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createPublicClient, type Hex, http, type Log, parseEventLogs } from 'viem'
import { toColumnName } from '../../../core/rows/columnName.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgeEvent } from '../../../src/event/bridgeEvent.ts'
import { type DecodedLog, toChainEvent } from '../../../src/event/toChainEvent.ts'
import { evolveSource } from '../../../src/intent/evolveSource.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import { toEventRow } from '../../../src/projection/eventRow.ts'
import { COLUMNS } from '../../../src/table/columns.ts'

type Row = Readonly<Record<string, unknown>>

/** Concurrent ranges. */
const AHEAD = 3
/** The benchmark bridge's deployment settings. */
const TERMS = { firmSeconds: 30, pickupWindow: 60, quorum: 1 }

const { rpcUrl, chainId, bridge, last, width } = JSON.parse(process.env.LOOP_CHAIN as string)
const client = createPublicClient({ transport: http(rpcUrl) })
const batching = createPublicClient({ transport: http(rpcUrl, { batch: { batchSize: 20 } }) })
const database = new pg.Client({ connectionString: process.env.DATABASE_URL })
await database.connect()
for (const table of ['event', 'intent'] as const) await createTable(table)

const intents = new Map<bigint, SourceFacts>()
const underWay: Promise<BridgeEvent[]>[] = []
let next = 0
while (underWay.length > 0 || next <= last) {
  while (underWay.length < AHEAD && next <= last) {
    underWay.push(readRange(next, Math.min(next + width - 1, last)))
    next += width
  }
  const events = (await underWay.shift()) as BridgeEvent[]
  for (const event of events) {
    if (!('intentId' in event.args)) continue
    const { intentId } = event.args
    intents.set(intentId, evolveSource(intents.get(intentId) ?? null, event, TERMS as never)!)
  }
  await copy(
    'event',
    events.map((event) => ({ ...toEventRow(event) })),
  )
}
await copy('intent', [...intents.values()])
// The open connection keeps the process alive for the measurement.
console.log('the loop is done')

async function readRange(from: number, to: number): Promise<BridgeEvent[]> {
  const logs = await client.getLogs({
    address: bridge,
    fromBlock: BigInt(from),
    toBlock: BigInt(to),
  })
  const numbers = [...new Set(logs.map(({ blockNumber }) => blockNumber))]
  const blocks = await Promise.all(
    numbers.map((blockNumber) => batching.getBlock({ blockNumber, includeTransactions: true })),
  )
  const times = new Map(blocks.map(({ hash, timestamp }) => [hash, Number(timestamp)]))
  const senders = new Map(
    blocks.flatMap(({ transactions }) => transactions.map(({ hash, from }) => [hash, from])),
  )
  const pointOf = ({
    blockNumber,
    blockHash,
    logIndex,
    transactionHash,
  }: Log<bigint, number, false>) => ({
    chainId,
    blockNumber: Number(blockNumber),
    blockHash,
    logIndex,
    transactionHash,
    blockTimestamp: times.get(blockHash) as number,
    transactionFrom: senders.get(transactionHash) as Hex,
  })
  return parseEventLogs({ abi: bridgeIntentV2Abi, logs }).map((log) => {
    const { eventName: type, args } = log
    const decoded = { type, address: bridge, args: { ...args }, point: pointOf(log) }
    return toChainEvent(decoded as DecodedLog) as BridgeEvent
  })
}

async function createTable(table: 'event' | 'intent'): Promise<void> {
  const { columns, key } = COLUMNS[table]
  const types: Record<string, string> = { numeric: 'numeric(78)', hex: 'text', json: 'jsonb' }
  const parts = Object.entries<string>(columns).map(([name, type]) => {
    const stored = type.replace('?', '')
    return `"${toColumnName(name)}" ${types[stored] ?? stored}${type.endsWith('?') ? '' : ' not null'}`
  })
  const keys = key.map((column) => `"${toColumnName(column)}"`)
  await database.query(`CREATE TABLE "${table}" (${parts}, PRIMARY KEY (${keys}))`)
}

async function copy(table: 'event' | 'intent', rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(COLUMNS[table].columns)
  const listed = columns.map((column) => `"${toColumnName(column)}"`)
  const lines = rows.map((row) => `${columns.map((column) => text(row[column])).join('\t')}\n`)
  await pipeline(
    Readable.from([lines.join('')]),
    database.query(copyFrom(`COPY "${table}" (${listed}) FROM STDIN`)),
  )
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
