import type pg from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import type { Enclave, OpenedBlob } from '../../enclave/enclaveInterface.ts'
import {
  addRecoveredEvent,
  addRows,
  createRecoveredIntents,
  type FoundBlob,
  type RecoveredIntents,
  type RecoveredRows,
} from './recoveredIntents.ts'
import { type RecoveredSafe, writeRecoveredRows } from './writeRecoveredRows.ts'

/** Blobs or deliveries per request to the enclave. */
const ASKED = 500

/** Concurrent requests. A failure discards them, so there are few. */
const QUESTIONS = 2

/** Approximate number of blobs whose rows are written in one transaction. */
const WRITTEN = 4_000

/** The blob was opened and its bundle restored, but one of its Safes can't be derived. */
export const NOT_DERIVED = 'SAFE_NOT_DERIVED'

/** The bridge's events up to a block, after the previous part. */
export type EventPart = { to: number; events: readonly ChainEvent[] }

type RecoverableChain = {
  chainId: number
  bridge: Hex
  startBlock: number
}

/** The enclave operations that recovery uses. */
export type RecoveringEnclave = Pick<Enclave, 'openBlobs' | 'deriveStealths'>

type ChainRecovery = {
  chain: RecoverableChain
  /** The whole history in the chain's order, from the start block. */
  parts: AsyncIterable<EventPart>
  enclave: RecoveringEnclave
  client: pg.ClientBase
  /** Called after each part with its last block and the number of blobs opened by this run. */
  onPart?(to: number, blobs: number): void
}

/**
 * Restores what schema `app` knew of a chain's intents, from the chain's history alone. It resumes where an earlier
 * run ended: what that run read is only added to the book, unless a key or a Safe was missing.
 *
 * @returns every intent of the chain
 */
export async function recoverChain(recovery: ChainRecovery): Promise<RecoveredIntents> {
  const { chain, client, enclave, onPart } = recovery
  const book = createRecoveredIntents()
  const nextBlock = await beginOrResume(client, chain)
  const answers = mapConcurrently(
    findQuestions(recovery, book, nextBlock),
    QUESTIONS,
    async (question) => ({ ...question, opened: await open(enclave, question.found) }),
  )
  let blobs = 0
  let unwritten = 0
  let rows = noRows()
  // One part is written while the next is being opened.
  let writing: Promise<void> = Promise.resolve()
  try {
    for await (const { found, opened, next, isLast } of answers) {
      for (const [position, one] of found.entries()) addRows(rows, book, one, opened[position]!)
      unwritten += found.length
      if (!isLast && unwritten < WRITTEN) continue
      const safes = await deriveSafes(enclave, rows)
      await writing
      writing = writeRecoveredRows(client, chain.chainId, rows, next, safes)
      // The next wait throws it. Until then it must not count as unhandled.
      writing.catch(() => {})
      blobs += unwritten
      onPart?.(next - 1, blobs)
      unwritten = 0
      rows = noRows()
    }
  } finally {
    // Even after a failure, because the connection must not be used while a part is being written.
    await writing
  }
  return book
}

function noRows(): RecoveredRows {
  return { bundles: [], deliveries: [], problems: [] }
}

/**
 * Has the enclave derive the Safes of deliveries again. Records each blob with one that it can't derive, because the
 * destination isn't among its chains or a root is missing.
 */
async function deriveSafes(
  enclave: RecoveringEnclave,
  { deliveries, problems }: RecoveredRows,
): Promise<RecoveredSafe[]> {
  const safes: RecoveredSafe[] = []
  const lacking = new Set<FoundBlob>()
  for (let from = 0; from < deliveries.length; from += ASKED) {
    const some = deliveries.slice(from, from + ASKED)
    const asked = some.map(({ blob: _, ...delivery }) => delivery)
    const { derived } = await enclave.deriveStealths({ deliveries: asked })
    for (const [position, { blob, chainId, intentId, index }] of some.entries()) {
      const stealth = derived[position]
      const createdAt = blob.blockTimestamp
      if (!stealth) lacking.add(blob)
      else safes.push({ ...stealth, chainId, intentId, index, createdAt, askedBy: null })
    }
  }
  for (const blob of lacking) problems.push({ blob, reason: NOT_DERIVED })
  return safes
}

/** Consecutive blobs of the history. */
type Question = {
  found: readonly FoundBlob[]
  /** The first unread block, once these blobs and all before them are written. */
  next: number
  /** Whether a part of the history ends with these blobs. */
  isLast: boolean
}

/** Adds the history to the book, and yields the blobs that earlier runs haven't written. */
async function* findQuestions(
  { parts, onPart }: ChainRecovery,
  book: RecoveredIntents,
  nextBlock: number,
): AsyncGenerator<Question> {
  for await (const { to, events } of parts) {
    const found: FoundBlob[] = []
    for (const event of events) {
      const one = addRecoveredEvent(book, event)
      if (one !== null && event.point.blockNumber >= nextBlock) found.push(one)
    }
    if (to < nextBlock) {
      onPart?.(to, 0)
      continue
    }
    for (let from = 0; from === 0 || from < found.length; from += ASKED) {
      const some = found.slice(from, from + ASKED)
      const isLast = from + ASKED >= found.length
      // The first blob's block may contain earlier ones, so it is read again.
      yield { found: some, isLast, next: isLast ? to + 1 : some[0]!.blockNumber }
    }
  }
}

async function beginOrResume(client: pg.ClientBase, chain: RecoverableChain): Promise<number> {
  const { chainId, bridge, startBlock } = chain
  // With another bridge or an earlier start block, or if intents were missing, nothing that was read before counts.
  await client.query(
    `with begun as (
       insert into app.recovery (chain_id, bridge, start_block, next_block) values ($1, $2, $3, $3)
       on conflict (chain_id) do update set bridge = excluded.bridge, start_block = excluded.start_block,
         next_block = excluded.next_block, finished_at = null, certificate = null,
         former_bridges = case when app.recovery.bridge = excluded.bridge then app.recovery.former_bridges
           else array_remove(app.recovery.former_bridges, app.recovery.bridge) || app.recovery.bridge end
       where app.recovery.bridge <> excluded.bridge
         or coalesce(app.recovery.start_block > excluded.start_block, true)
         or (app.recovery.finished_at is not null
           and (app.recovery.certificate -> 'intents' ->> 'missing')::bigint > 0)
       returning chain_id)
     delete from app.recovery_problem p using begun where p.chain_id = begun.chain_id`,
    [chainId, bridge, startBlock],
  )
  await reopenProblems(client, chainId)
  const { rows } = await client.query(
    'select next_block::text as next from app.recovery where chain_id = $1',
    [chainId],
  )
  return Number(rows[0].next)
}

/** In the order of the blobs. */
async function open(
  enclave: RecoveringEnclave,
  found: readonly Pick<FoundBlob, 'blob' | 'expected'>[],
): Promise<OpenedBlob[]> {
  if (found.length === 0) return []
  const blobs = found.map(({ blob, expected }) => ({ blob, expected }))
  return (await enclave.openBlobs({ blobs })).opened
}

/** Problems that may be fixed before another run: a missing root, or Safe contracts that aren't configured. */
const MENDABLE = ['UNKNOWN_KEY', NOT_DERIVED]

/**
 * Makes the next run read a recovered chain again from the first blob that lacked a key or a Safe. Deletes the
 * problems of these blocks: the run finds them again, or they are gone.
 */
async function reopenProblems(client: pg.ClientBase, chainId: number): Promise<void> {
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
