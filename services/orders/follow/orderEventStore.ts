import { sql } from 'kysely'
import type { LogPoint } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent, ChainEventType } from '../../../src/event/chainEvent.ts'
import { argsFromJson, argsToJson, type JsonArgs } from '../../../src/event/eventArgsJson.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { VaultChain } from '../chain/vaultChain.ts'

/** The final block up to which events are copied. */
type Cursor = { blockNumber: number; blockHash: string }

/** Events per insert. */
const BATCH = 1_000

/** Events per query, which keeps each one short. */
const PAGE = 10_000

type CopiedRow = {
  type: ChainEventType
  point: LogPoint
  args: JsonArgs
  block: number
  index: number
}

/**
 * Gives the copied events of a chain to `apply`, in chain order; all of them together may exceed the memory. Drops a copy
 * with a row that can't be read, which would keep the chain from being served: the chain has all of it.
 *
 * @returns their cursor; null without a copy, and then what was applied doesn't count
 */
export async function loadOrderEvents(
  db: Db,
  chain: VaultChain,
  apply: (event: ChainEvent) => void,
  page = PAGE,
): Promise<Cursor | null> {
  const copy = await db
    .transaction()
    // Another instance may drop the copy between two pages.
    .setIsolationLevel('repeatable read')
    .execute((snapshot) => readCopy(snapshot, chain, apply, page))
  if (copy !== 'unreadable') return copy
  await dropOrderEvents(db, chain)
  return null
}

async function readCopy(
  db: Db,
  chain: VaultChain,
  apply: (event: ChainEvent) => void,
  page: number,
): Promise<Cursor | 'unreadable' | null> {
  const { rows } = await sql<Cursor>`
    select block_number as "blockNumber", block_hash as "blockHash" from orders.cursor
    where chain_id = ${chain.chainId} and contracts = ${contractsOf(chain)}`.execute(db)
  const [cursor] = rows
  if (cursor === undefined) return null
  // The primary key's index yields them in order. Without statistics, as after a restore or a long read of a chain, PostgreSQL
  // would sort all of them for each page, and time out.
  await sql`set local enable_sort = off`.execute(db)
  let after = { block: -1, index: -1 }
  for (;;) {
    const { rows: copied } = await sql<CopiedRow>`
      select type, point, args, block_number as block, log_index as index from orders.event
      where chain_id = ${chain.chainId} and block_number <= ${cursor.blockNumber}
        and (block_number, log_index) > (${after.block}::bigint, ${after.index}::integer)
      order by block_number, log_index limit ${page}`.execute(db)
    for (const row of copied) {
      if (!applyRow(row, apply)) return 'unreadable'
    }
    if (copied.length < page) return cursor
    after = copied.at(-1) as CopiedRow
  }
}

/** False for a row that can't be read, or that no vault can have emitted. */
function applyRow({ type, point, args }: CopiedRow, apply: (event: ChainEvent) => void): boolean {
  try {
    const { blockNumber, logIndex, blockTimestamp } = point
    if (![blockNumber, logIndex, blockTimestamp].every(Number.isSafeInteger)) return false
    apply({ type, point, args: argsFromJson(type, args) } as ChainEvent)
    return true
  } catch {
    return false
  }
}

/**
 * Appends final events and advances the cursor. Two instances may do so at once. Does nothing if the copy ends before
 * `after`: another instance has dropped it and is rebuilding it, and a gap would lose orders.
 *
 * @param after the block that the events follow
 * @returns whether the events are in the copy
 */
export function appendOrderEvents(
  db: Db,
  chain: VaultChain,
  events: readonly ChainEvent[],
  { blockNumber, blockHash }: Cursor,
  after: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { rows: cursors } = await sql<{ contracts: string; blockNumber: number }>`
      select contracts, block_number as "blockNumber" from orders.cursor
      where chain_id = ${chain.chainId} for update`.execute(transaction)
    const [cursor] = cursors
    const isCurrent = cursor?.contracts === contractsOf(chain)
    if (after > (isCurrent ? cursor.blockNumber : chain.config.startBlock - 1)) return false
    // Another vault's events would be restored as orders of this one.
    if (!isCurrent) await deleteEvents(transaction, chain)
    for (let from = 0; from < events.length; from += BATCH) {
      const rows = events.slice(from, from + BATCH).map(({ type, point, args }) => {
        const { blockNumber: block, logIndex } = point
        return { type, point, args: argsToJson(type, args as never), block, logIndex }
      })
      await sql`
        insert into orders.event (chain_id, block_number, log_index, type, point, args)
        select ${chain.chainId}, (one->>'block')::bigint, (one->>'logIndex')::integer,
          one->>'type', one->'point', one->'args'
        from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as one
        on conflict do nothing`.execute(transaction)
    }
    await sql`
      insert into orders.cursor as known (chain_id, contracts, block_number, block_hash)
      values (${chain.chainId}, ${contractsOf(chain)}, ${blockNumber}, ${blockHash})
      on conflict (chain_id) do update set contracts = excluded.contracts,
        block_number = excluded.block_number, block_hash = excluded.block_hash
      where known.contracts <> excluded.contracts or known.block_number < excluded.block_number`.execute(
      transaction,
    )
    return true
  })
}

/** Deletes a chain's copy. */
export async function dropOrderEvents(db: Db, chain: VaultChain): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await deleteEvents(transaction, chain)
    await sql`delete from orders.cursor where chain_id = ${chain.chainId}`.execute(transaction)
  })
}

async function deleteEvents(db: Db, { chainId }: VaultChain): Promise<void> {
  await sql`delete from orders.event where chain_id = ${chainId}`.execute(db)
}

function contractsOf({ vault, bridge }: VaultChain): string {
  return `${vault} ${bridge}`
}
