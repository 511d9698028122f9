import type { ClientBase } from 'pg'

/** A row that was written, or removed by a reorg. */
export type Change = {
  /** Grows with every change. */
  sequence: bigint
  /** The intent that it is about; both null for an event about no intent. */
  sourceChainId: number | null
  intentId: bigint | null
  table: 'event' | 'intent' | 'bid' | 'delivery'
  operation: 'insert' | 'update' | 'delete'
  /** Identifies the event if `table` is `event`; null in entries from before the log recorded it. */
  event: { chainId: number; blockNumber: number; logIndex: number } | null
}

/** A chain's indexed head, in unix seconds and block numbers. */
export type ClockChange = {
  chainId: number
  timestamp: number
  blockNumber: number
  finalizedBlock: number
}

/**
 * The log's newest sequence according to a `cairn_change` notification. Every database role may send one, so it is only a
 * hint to read the log.
 */
export function sequenceInNotice(payload: string): bigint {
  return BigInt(JSON.parse(payload).sequence)
}

/** Parses the payload of a `cairn_clock` notification. @throws if it holds no clock */
export function clockFromNotice(payload: string): ClockChange {
  const clock = JSON.parse(payload) as ClockChange
  const { chainId, timestamp, blockNumber } = clock
  const isClock = [chainId, timestamp, blockNumber].every((one) => typeof one === 'number')
  if (!isClock) throw new TypeError('the payload holds no clock')
  return clock
}

/** Reads the newest sequence in the log; 0 if it is empty. */
export async function newestSequence(client: ClientBase): Promise<bigint> {
  const { rows } = await client.query(
    'select coalesce(max(sequence), 0)::text as top from app.change_log',
  )
  return BigInt(rows[0].top)
}

/** Reads up to `limit` changes after a sequence, oldest first. */
export async function changesAfter(
  client: ClientBase,
  after: bigint,
  limit: number,
): Promise<Change[]> {
  const { rows } = await client.query(
    `select sequence::text, source_chain_id::text, intent_id::text, table_name, operation,
       chain_id::text, block_number::text, log_index
     from app.change_log where sequence > $1 order by sequence limit $2`,
    [String(after), limit],
  )
  return rows.map(fromLog)
}

function fromLog(row: {
  sequence: string
  source_chain_id: string | null
  intent_id: string | null
  table_name: Change['table']
  operation: Change['operation']
  chain_id: string | null
  block_number: string | null
  log_index: number | null
}): Change {
  return {
    sequence: BigInt(row.sequence),
    sourceChainId: row.source_chain_id === null ? null : Number(row.source_chain_id),
    intentId: row.intent_id === null ? null : BigInt(row.intent_id),
    table: row.table_name,
    operation: row.operation,
    event:
      row.chain_id === null
        ? null
        : {
            chainId: Number(row.chain_id),
            blockNumber: Number(row.block_number),
            logIndex: row.log_index ?? 0,
          },
  }
}

/**
 * Parses a notification; null if it is malformed. Every database role may notify on any channel, and an exception in a
 * listener would end the process.
 */
export function readNotice<Notice>(
  payload: string | undefined,
  read: (payload: string) => Notice,
): Notice | null {
  try {
    return read(payload ?? '')
  } catch {
    return null
  }
}
