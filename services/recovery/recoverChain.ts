import type pg from 'pg'
import type { BridgeEvent, Hex } from '../../src/event/bridgeEvent.ts'
import { oneAhead } from '../chain/history/oneAhead.ts'
import type { Enclave, OpenedBlob } from '../enclave/port.ts'
import { isToShield } from '../recipients/recovery/isToShield.ts'
import { findDeliveries } from '../recipients/recovery/writeDeliveries.ts'
import { addUnderived } from './addUnderived.ts'
import {
  type BookedIntent,
  enter,
  type FoundBlob,
  type IntentBook,
  openBook,
} from './intentBook.ts'
import { createPartWriter, type PartWriter } from './partWriter.ts'
import { addRows, addUnanchored, noRows } from './recoveredRows.ts'
import { reopenProblems } from './reopenProblems.ts'
import { writeRows } from './writeRows.ts'

/** Blobs in one question to the enclave; two questions are under way at once. */
const BATCH = 500

/** Blobs whose rows are written in one transaction, about. */
const PART = 4_000

/** The bridge's events up to a block, following on the part before. */
export type EventPart = { to: number; events: readonly BridgeEvent[] }

export type RecoverableChain = {
  chainId: number
  bridge: Hex
  startBlock: number
}

/** What recovery asks of the enclave. */
export type RecoveringEnclave = Pick<Enclave, 'openBlobs' | 'findStealths' | 'tagRecipients'>

export type ChainRecovery = {
  chain: RecoverableChain
  /** The whole history in the chain's order, from the start block on. */
  parts: AsyncIterable<EventPart>
  enclave: RecoveringEnclave
  client: pg.ClientBase
  /** The bridge of a chain; null for one that isn't configured. */
  bridgeOn(chainId: number): Hex | null
  /** Told when a part is opened: its last block, and the blobs opened by this run. */
  onPart?(to: number, blobs: number): void
}

/**
 * Brings back what schema `app` knew of a chain's intents, from the chain's history alone. Goes on
 * where an earlier run ended: what that one read is only entered into the book, unless it lacked a key or
 * a Safe.
 *
 * @returns every intent of the chain
 */
export async function recoverChain(recovery: ChainRecovery): Promise<IntentBook> {
  const { chain, client } = recovery
  const book = openBook()
  const nextBlock = await beginOrResume(client, chain)
  const writer = createPartWriter(client, chain.chainId)
  try {
    await recoverParts(recovery, book, nextBlock, writer)
  } finally {
    // Also after a failure: nothing else may be asked of the connection while a part is being written.
    await writer.finish()
  }
  await recoverUnanchored(recovery, book)
  return book
}

async function recoverParts(
  recovery: ChainRecovery,
  book: IntentBook,
  nextBlock: number,
  writer: PartWriter,
): Promise<void> {
  let blobs = 0
  // The next part is being opened while the rows of this one are put together.
  for await (const { found, opened, next } of oneAhead(openParts(recovery, book, nextBlock))) {
    const rows = noRows()
    const paying: FoundBlob[] = []
    for (const [position, one] of found.entries()) {
      addRows(rows, book, one, opened[position]!)
      while (paying.length < rows.deliveries.length) paying.push(one)
    }
    const deliveries = await findDeliveries(recovery.enclave, rows.deliveries)
    addUnderived(rows, paying, deliveries)
    await writer.begin(rows, next, deliveries)
    blobs += found.length
    recovery.onPart?.(next - 1, blobs)
  }
}

/** Blobs of the history with what is in them; once they are written, it is read up to `next`. */
type OpenedPart = {
  found: readonly FoundBlob[]
  opened: readonly OpenedBlob[]
  /** The first block that isn't read with it. */
  next: number
}

/** Enters the history into the book, and opens what earlier runs haven't. */
async function* openParts(
  { parts, enclave, onPart }: ChainRecovery,
  book: IntentBook,
  nextBlock: number,
): AsyncGenerator<OpenedPart> {
  for await (const { to, events } of parts) {
    const waiting: FoundBlob[] = []
    for (const event of events) {
      const found = enter(book, event)
      if (found !== null && event.point.blockNumber >= nextBlock) waiting.push(found)
    }
    if (to < nextBlock) onPart?.(to, 0)
    for (let from = 0; to >= nextBlock && (from === 0 || from < waiting.length); from += PART) {
      const found = waiting.slice(from, from + PART)
      const isLast = from + PART >= waiting.length
      const next = isLast ? to + 1 : (found[0]?.blockNumber ?? 0)
      yield { found, opened: await openAll(enclave, found), next }
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

/** A creation's blob that nobody has anchored is the bundle as it is, if the relayer would take it. */
async function recoverUnanchored(recovery: ChainRecovery, book: IntentBook): Promise<void> {
  const { client, chain, enclave, bridgeOn } = recovery
  const open = [...book.intents.values()].filter(
    ({ isAnchored, creation }) => !isAnchored && creation !== null && creation.createdAt !== null,
  )
  const rows = noRows()
  const opened = await openAll(enclave, open.map(questionOf))
  const toShield = await isToShield(
    client,
    enclave,
    open.map((intent, position) => {
      const { destChainId: chainId } = intent.terms
      const one = opened[position]!
      return { chainId, recipients: one.ok ? one.contents.recipients : [] }
    }),
  )
  for (const [position, intent] of open.entries()) {
    if (toShield[position]) continue
    addUnanchored(rows, intent, opened[position]!, bridgeOn(intent.terms.destChainId))
  }
  const { rows: known } = await client.query(
    'select next_block::text as next from app.recovery where chain_id = $1',
    [chain.chainId],
  )
  await writeRows(client, chain.chainId, rows, Number(known[0].next))
}

function questionOf({ creation, expected }: BookedIntent) {
  return { blob: creation!.blob, expected }
}

/** In the questions' order. */
async function openAll(
  enclave: Pick<Enclave, 'openBlobs'>,
  questions: readonly Pick<FoundBlob, 'blob' | 'expected'>[],
): Promise<OpenedBlob[]> {
  const batches: Pick<FoundBlob, 'blob' | 'expected'>[][] = []
  for (let from = 0; from < questions.length; from += BATCH) {
    batches.push(questions.slice(from, from + BATCH))
  }
  const answers: OpenedBlob[][] = []
  let next = 0
  const lane = async () => {
    while (next < batches.length) {
      const at = next++
      const blobs = batches[at]!.map(({ blob, expected }) => ({ blob, expected }))
      answers[at] = (await enclave.openBlobs({ blobs })).opened
    }
  }
  await Promise.all([lane(), lane()])
  return answers.flat()
}
