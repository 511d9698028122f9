import type pg from 'pg'
import { NOT_DERIVED } from './recordUnderivedSafes.ts'

/**
 * Problems that another run may find fixed: the missing root is there, or the Safes' contracts are
 * configured.
 */
const MENDABLE = ['UNKNOWN_KEY', NOT_DERIVED]

/**
 * Has a recovered chain read again from the first blob that lacked a key or a Safe. The problems of these
 * blocks are deleted: they are found again, or no longer exist.
 */
export async function reopenProblems(client: pg.ClientBase, chainId: number): Promise<void> {
  await client.query(
    `with first as (
       select min(p.block_number) as block
       from app.recovery_problem p join app.recovery r on r.chain_id = p.chain_id
       where p.chain_id = $1 and r.finished_at is not null and p.reason = any($2)
     ), reopened as (
       update app.recovery r set next_block = least(r.next_block, first.block), finished_at = null
       from first where r.chain_id = $1 and first.block is not null
       returning r.next_block
     )
     delete from app.recovery_problem p using reopened
     where p.chain_id = $1 and p.block_number >= reopened.next_block`,
    [chainId, MENDABLE],
  )
}
