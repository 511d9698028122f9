import type pg from 'pg'
import type { Block } from './transferContext.ts'

/** Checkpoints that are kept: an hour's and more, at one every few seconds. */
const KEPT = 1_000

/** How far a chain has been read; null before its first part. */
export async function readPosition(db: pg.ClientBase, chainId: number): Promise<number | null> {
  const { rows } = await db.query(
    'select next_block from app.transfer_position where chain_id = $1',
    [chainId],
  )
  return rows[0] === undefined ? null : Number(rows[0].next_block)
}

/** Blocks up to which it was read, the newest first; at most so many. */
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
    time: Number(row.block_time),
  }))
}

/** Records that a chain was read up to a block. Call it in the transaction that writes what was found. */
export async function writePosition(
  db: pg.ClientBase,
  chainId: number,
  { number, hash, time }: Block,
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
    [chainId, number, hash, time],
  )
  await db.query(
    `delete from app.transfer_checkpoint where chain_id = $1 and block_number <= (
       select block_number from app.transfer_checkpoint where chain_id = $1
       order by block_number desc offset $2 limit 1)`,
    [chainId, KEPT],
  )
}
