import { type RawBuilder, sql } from 'kysely'
import type { CurrentLine } from '../../../core/push/decideJournalLines.ts'
import type {
  IntentPushData,
  OrderPushData,
  PushedLog,
  PushType,
} from '../../../core/push/pushEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import type { ChainHeads, ChainState } from '../../store/chains/readChainStates.ts'
import type { Db } from '../../store/database/openDatabase.ts'

/** A line to be written into the journal. Times are unix seconds, addresses lower case. */
export type NewLine = {
  type: PushType
  /** Null for events that can't be revoked. */
  key: string | null
  chainId: number
  /** Null for a deadline that passed. */
  blockNumber: number | null
  blockHash: string | null
  logIndex: number | null
  at: number
  /** Once this block of `chainId` is final, so is the line. */
  finalBlock: number
  sourceChainId: number
  destChainId: number
  intentId: bigint | null
  orderId: string | null
  sender: string
  solver: string | null
  data: IntentPushData | OrderPushData
}

/** The changes of one intent or order: lines to revoke, and new ones. */
export type JournalChange = { reverted: number[]; lines: NewLine[] }

/** Days that the journal covers, by the chains' own time. */
export const KEPT_DAYS = 30

/** Events of a chain before this time, in unix seconds, aren't recorded any more. A false head may be far in the future. */
export function cutoffOf({ head }: { head: Pick<ChainState['head'], 'timestamp'> }): number {
  return Math.min(head.timestamp, Math.floor(Date.now() / 1_000)) - KEPT_DAYS * 86_400
}

/** A line that no reorg has revoked, with the fields that a line revoking it copies. */
export type StoredLine<Data> = CurrentLine &
  Pick<
    NewLine,
    'chainId' | 'sourceChainId' | 'destChainId' | 'intentId' | 'orderId' | 'sender' | 'solver'
  > & { data: Data }

type Row<Data> = Omit<StoredLine<Data>, 'isGone'> & {
  at: number
  blockNumber: number | null
  isOnChain: boolean
}

/**
 * The lines that no reorg has revoked, oldest first. A line is `gone` when its log is no longer on its chain
 * or, for a deadline, when the chain's clock went back before it.
 *
 * @param condition on a row aliased `line`
 */
export async function readCurrentLines<Data>(
  db: Db,
  condition: RawBuilder<unknown>,
  heads: ChainHeads,
): Promise<StoredLine<Data>[]> {
  const { rows } = await sql<Row<Data>>`
    select line.sequence, line.key, line.at, line.chain_id as "chainId", line.block_number as "blockNumber",
      line.source_chain_id as "sourceChainId", line.dest_chain_id as "destChainId",
      line.intent_id as "intentId", line.order_id as "orderId", line.sender, line.solver, line.data,
      exists (select 1 from cairn.event e where e.chain_id = line.chain_id
        and e.block_number = line.block_number and e.log_index = line.log_index
        and e.block_hash = line.block_hash) as "isOnChain"
    from app.push_event line where line.stands and line.key is not null and ${condition}
    order by line.sequence`.execute(db)
  return rows.map(({ at, blockNumber, isOnChain, ...line }) => {
    const now = heads.get(line.chainId)?.timestamp
    const isAhead = now !== undefined && now < at
    return { ...line, isGone: blockNumber === null ? isAhead : !isOnChain }
  })
}

/** A log as receivers get it. */
export function logOf(event: Pick<ChainEvent, 'type' | 'point'> | null): PushedLog | null {
  if (event === null) return null
  const { chainId, blockNumber, blockHash, logIndex, transactionHash } = event.point
  return {
    type: event.type,
    chainId: String(chainId),
    blockNumber,
    blockHash,
    logIndex,
    transactionHash,
  }
}

export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
