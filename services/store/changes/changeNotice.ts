import type { ClientBase } from 'pg'

/** One row written or taken back. */
export type Change = {
  /** Grows with every change of anything. */
  sequence: bigint
  /** The intent concerned; both null for an event about no intent. */
  sourceChainId: number | null
  intentId: bigint | null
  table: 'event' | 'intent' | 'bid' | 'delivery'
  operation: 'insert' | 'update' | 'delete'
  /** Which event, when `table` is `event`; null of one that was written before the log said which. */
  event: { chainId: number; blockNumber: number; logIndex: number } | null
}

/** A chain's indexed head, in unix seconds and block numbers. */
export type ClockChange = {
  chainId: number
  timestamp: number
  blockNumber: number
  finalizedBlock: number
}

/** The payload of a `cairn_change` notification. */
export function changeFromNotice(payload: string): Change {
  const notice = JSON.parse(payload)
  const { chainId, blockNumber, logIndex } = notice
  return {
    sequence: BigInt(notice.sequence),
    sourceChainId: notice.sourceChainId,
    intentId: notice.intentId === null ? null : BigInt(notice.intentId),
    table: notice.table,
    operation: notice.operation,
    event: chainId === undefined ? null : { chainId, blockNumber, logIndex },
  }
}

/** The payload of a `cairn_clock` notification. @throws when it holds no clock */
export function clockFromNotice(payload: string): ClockChange {
  const clock = JSON.parse(payload) as ClockChange
  const { chainId, timestamp, blockNumber } = clock
  const isClock = [chainId, timestamp, blockNumber].every((one) => typeof one === 'number')
  if (!isClock) throw new TypeError('no clock')
  return clock
}

/**
 * What the change log holds after a sequence (`null`: nothing is asked for, only where it stands).
 * `changes` is null when they are more than `limit`.
 */
export async function changesSince(
  client: ClientBase,
  after: bigint | null,
  limit: number,
): Promise<{ changes: Change[] | null; sequence: bigint }> {
  const newest = await client.query(
    'select coalesce(max(sequence), 0)::text as top from app.change_log',
  )
  const sequence = BigInt(newest.rows[0].top)
  if (after === null) return { changes: [], sequence }
  const { rows } = await client.query(
    `select sequence::text, source_chain_id::text, intent_id::text, table_name, operation,
       chain_id::text, block_number::text, log_index
     from app.change_log where sequence > $1 and sequence <= $2 order by sequence limit $3`,
    [String(after), String(sequence), limit + 1],
  )
  return { changes: rows.length > limit ? null : rows.map(fromLog), sequence }
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
