import type pg from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import type { Enclave, OpenedBlob } from '../../enclave/enclaveInterface.ts'
import { findDeliveries } from '../recipients/recovery/writeDeliveries.ts'
import { enter, type FoundBlob, type IntentBook, openBook } from './intentBook.ts'
import { createPipelinedWriter, type PipelinedWriter } from './pipelinedWriter.ts'
import { recordUnderivedSafes } from './recordUnderivedSafes.ts'
import { addRows, noRows, type RecoveredRows } from './recoveredRows.ts'
import { reopenProblems } from './reopenProblems.ts'

/** Blobs in one question to the enclave. */
const ASKED = 500

/** Requests under way at once; more would only be discarded after a failure. */
const QUESTIONS = 2

/** Blobs whose rows are written in one transaction, about. */
const WRITTEN = 4_000

/** The bridge's events up to a block, following on the part before. */
export type EventPart = { to: number; events: readonly ChainEvent[] }

type RecoverableChain = {
  chainId: number
  bridge: Hex
  startBlock: number
}

/** What recovery asks of the enclave. */
export type RecoveringEnclave = Pick<Enclave, 'openBlobs' | 'deriveStealths'>

type ChainRecovery = {
  chain: RecoverableChain
  /** The whole history in the chain's order, from the start block on. */
  parts: AsyncIterable<EventPart>
  enclave: RecoveringEnclave
  client: pg.ClientBase
  /** Called when a part is opened: its last block, and the blobs opened by this run. */
  onPart?(to: number, blobs: number): void
}

/**
 * Restores what schema `app` knew of a chain's intents, from the chain's history alone. It resumes where
 * an earlier run ended: what that one read is only entered into the book, unless it lacked a key or a
 * Safe.
 *
 * @returns every intent of the chain
 */
export async function recoverChain(recovery: ChainRecovery): Promise<IntentBook> {
  const { chain, client } = recovery
  const book = openBook()
  const nextBlock = await beginOrResume(client, chain)
  const writer = createPipelinedWriter(client, chain.chainId)
  try {
    await recoverParts(recovery, book, nextBlock, writer)
  } finally {
    // Also after a failure: the connection must not be used while a part is being written.
    await writer.finish()
  }
  return book
}

async function recoverParts(
  recovery: ChainRecovery,
  book: IntentBook,
  nextBlock: number,
  writer: PipelinedWriter,
): Promise<void> {
  let blobs = 0
  let batch = emptyBatch()
  const answers = mapConcurrently(
    findQuestions(recovery, book, nextBlock),
    QUESTIONS,
    async (question) => ({
      ...question,
      opened: await open(recovery.enclave, question.found),
    }),
  )
  for await (const { found, opened, next, isLast } of answers) {
    for (const [position, one] of found.entries()) {
      addRows(batch.rows, book, one, opened[position]!)
      while (batch.paying.length < batch.rows.deliveries.length) batch.paying.push(one)
    }
    batch.blobs += found.length
    if (!isLast && batch.blobs < WRITTEN) continue
    await write(recovery.enclave, writer, batch, next)
    blobs += batch.blobs
    recovery.onPart?.(next - 1, blobs)
    batch = emptyBatch()
  }
}

/** Restored rows that aren't written yet; `paying` has the blob of each of `rows.deliveries`. */
type Batch = { rows: RecoveredRows; paying: FoundBlob[]; blobs: number }

function emptyBatch(): Batch {
  return { rows: noRows(), paying: [], blobs: 0 }
}

async function write(
  enclave: RecoveringEnclave,
  writer: PipelinedWriter,
  { rows, paying }: Batch,
  next: number,
): Promise<void> {
  const deliveries = await findDeliveries(enclave, rows.deliveries)
  recordUnderivedSafes(rows, paying, deliveries)
  await writer.begin(rows, next, deliveries)
}

/** Blobs that follow each other in the history. */
type Question = {
  found: readonly FoundBlob[]
  /** The first block that isn't read once they, and all before them, are written. */
  next: number
  /** Whether a part of the history ends with them. */
  isLast: boolean
}

/** Enters the history into the book, and gives the blobs that earlier runs haven't written. */
async function* findQuestions(
  { parts, onPart }: ChainRecovery,
  book: IntentBook,
  nextBlock: number,
): AsyncGenerator<Question> {
  for await (const { to, events } of parts) {
    const found: FoundBlob[] = []
    for (const event of events) {
      const one = enter(book, event)
      if (one !== null && event.point.blockNumber >= nextBlock) found.push(one)
    }
    if (to < nextBlock) {
      onPart?.(to, 0)
      continue
    }
    for (let from = 0; from === 0 || from < found.length; from += ASKED) {
      const some = found.slice(from, from + ASKED)
      const isLast = from + ASKED >= found.length
      // The block of the first one may have had others before it, and is read again.
      yield { found: some, isLast, next: isLast ? to + 1 : some[0]!.blockNumber }
    }
  }
}

async function beginOrResume(client: pg.ClientBase, chain: RecoverableChain): Promise<number> {
  const { chainId, bridge, startBlock } = chain
  await client.query(
    `insert into app.recovery (chain_id, bridge, next_block) values ($1, $2, $3)
     on conflict (chain_id) do update set bridge = excluded.bridge, next_block = excluded.next_block
     where app.recovery.bridge <> excluded.bridge`,
    [chainId, bridge, startBlock],
  )
  await reopenProblems(client, chainId)
  const { rows } = await client.query(
    'select next_block::text as next from app.recovery where chain_id = $1',
    [chainId],
  )
  return Number(rows[0].next)
}

/** In the blobs' order. */
async function open(
  enclave: RecoveringEnclave,
  found: readonly Pick<FoundBlob, 'blob' | 'expected'>[],
): Promise<OpenedBlob[]> {
  if (found.length === 0) return []
  const blobs = found.map(({ blob, expected }) => ({ blob, expected }))
  return (await enclave.openBlobs({ blobs })).opened
}
