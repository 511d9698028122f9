import type { ClientBase } from 'pg'
import { findStoreProblem } from '../database/storeProblem.ts'

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

/**
 * The chain whose clock moved according to a `cairn_clock` notification: likewise only a hint, to read the clock.
 *
 * @throws if it names no chain
 */
export function chainInNotice(payload: string): number {
  const { chainId } = JSON.parse(payload)
  if (!Number.isSafeInteger(chainId)) throw new TypeError('the payload names no chain')
  return chainId
}

/**
 * Reads a chain's clock, and the newest sequence in the log as of the same moment. Null if the views show no such chain,
 * or don't exist yet.
 */
export async function readClock(
  client: ClientBase,
  chainId: number,
): Promise<{ clock: ClockChange; sequence: bigint } | null> {
  const { rows } = await client
    .query(
      `select timestamp, block_number, finalized_block,
         (select coalesce(max(sequence), 0)::text from app.change_log) as sequence
       from cairn.chain_clock where chain_id = $1`,
      [chainId],
    )
    .catch((error: unknown) => {
      if (findStoreProblem(error) !== 'not_ready') throw error
      return { rows: [] }
    })
  const [row] = rows
  if (row === undefined) return null
  const clock = {
    chainId,
    timestamp: Number(row.timestamp),
    blockNumber: Number(row.block_number),
    finalizedBlock: Number(row.finalized_block),
  }
  return { clock, sequence: BigInt(row.sequence) }
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
