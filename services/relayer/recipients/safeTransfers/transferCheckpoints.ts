import type pg from 'pg'
import { inTransaction } from '../../../store/database/inTransaction.ts'
import type { Block } from './transferFollowerContext.ts'

/** Checkpoints kept: more than an hour's, at one every few seconds. */
const KEPT = 1_000

/** A chain's position; null before its first part. */
export async function readPosition(db: pg.ClientBase, chainId: number): Promise<number | null> {
  const { rows } = await db.query(
    'select next_block from app.transfer_position where chain_id = $1',
    [chainId],
  )
  return rows[0] === undefined ? null : Number(rows[0].next_block)
}

/** Blocks up to which it was read, newest first, limited in number. */
export async function readCheckpoints(
  db: pg.ClientBase,
  chainId: number,
  limit = KEPT,
): Promise<Block[]> {
  const { rows } = await db.query(
    `select block_number, block_hash, block_time from app.transfer_checkpoint
     where chain_id = $1 order by block_number desc limit $2`,
    [chainId, limit],
  )
  return rows.map((row) => ({
    number: Number(row.block_number),
    hash: row.block_hash,
    timestamp: Number(row.block_time),
  }))
}

/** Records that a chain was read up to a block. Call it in the transaction that writes what was found. */
export async function writePosition(
  db: pg.ClientBase,
  chainId: number,
  { number, hash, timestamp }: Block,
): Promise<void> {
  await db.query(
    `insert into app.transfer_position (chain_id, next_block) values ($1, $2)
     on conflict (chain_id) do update set next_block = excluded.next_block`,
    [chainId, number + 1],
  )
  await db.query(
    `insert into app.transfer_checkpoint (chain_id, block_number, block_hash, block_time)
     values ($1, $2, $3, $4)
     on conflict (chain_id, block_number) do update
       set block_hash = excluded.block_hash, block_time = excluded.block_time`,
    [chainId, number, hash, timestamp],
  )
  await db.query(
    `delete from app.transfer_checkpoint where chain_id = $1 and block_number <= (
       select block_number from app.transfer_checkpoint where chain_id = $1
       order by block_number desc offset $2 limit 1)`,
    [chainId, KEPT],
  )
}

/**
 * Reverts what was read from blocks that have left the chain. Balances that may stem from them are read again; tokens
 * that appeared only in them are forgotten until they are seen again.
 *
 * @param fork the last known block that is still on the chain; null when none is
 */
export function rewind(db: pg.ClientBase, chainId: number, fork: number | null): Promise<void> {
  return inTransaction(db, async () => {
    if (fork === null) return forgetChain(db, chainId)
    const given = [chainId, fork]
    await db.query(
      'update app.transfer_position set next_block = $2 + 1 where chain_id = $1',
      given,
    )
    await db.query(
      'delete from app.transfer_checkpoint where chain_id = $1 and block_number > $2',
      given,
    )
    await db.query(
      `with above as materialized (
         select safe_address from app.followed_safe
         where chain_id = $1 and next_block > $2 + 1 order by safe_address for update
       )
       update app.followed_safe f set next_block = $2 + 1, read_to = null from above
       where f.chain_id = $1 and f.safe_address = above.safe_address`,
      given,
    )
    await db.query('delete from app.safe_balance where chain_id = $1 and first_block > $2', given)
    await db.query(
      `update app.safe_balance set is_stale = true, last_block = least(last_block, $2)
       where chain_id = $1 and (last_block > $2 or asked_block > $2)`,
      given,
    )
  })
}

async function forgetChain(db: pg.ClientBase, chainId: number): Promise<void> {
  await db.query(
    'select from app.followed_safe where chain_id = $1 order by safe_address for update',
    [chainId],
  )
  for (const table of ['safe_balance', 'followed_safe', 'transfer_checkpoint', 'transfer_position'])
    await db.query(`delete from app.${table} where chain_id = $1`, [chainId])
}
