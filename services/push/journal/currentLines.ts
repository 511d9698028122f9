import { type RawBuilder, sql } from 'kysely'
import type { CurrentLine } from '../../../core/push/decideJournalLines.ts'
import type { ChainHeads } from '../../store/chains/readChainStates.ts'
import type { Db } from '../../store/database/database.ts'
import type { NewLine } from './newLine.ts'

/** A line that no reorg has revoked, with what its successor needs. */
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
