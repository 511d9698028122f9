import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type JournalLine,
  type PushFilter,
  readJournalBounds,
  readPartOfPushJournal,
} from '../../../services/store/push/readPushJournal.ts'
import type { EventHub } from './pushEventHub.ts'

/** Lines read at once. A slow reader's stream holds as many, and all streams' lines must fit into memory. */
const PAGE = 100

export type JournalOptions = {
  db: Db
  hub: EventHub
  filter: PushFilter
  /** The last event that the reader has; 0: none; null: it wants new ones only. */
  after: number | null
  signal: AbortSignal
  /** Called once, when reading ends. */
  onClose: () => void
}

/** The reader may have missed lines: its position is unknown, or older than what is kept. */
export type Missed = { prunedTo: number }

/**
 * The journal's lines: first those after the reader's last one, then each as it is written. Ends when the signal
 * aborts or the reader returns. Rejects if the database can't be reached.
 */
export async function tailPushEventJournal(
  options: JournalOptions,
): Promise<AsyncIterableIterator<JournalLine | Missed>> {
  const { hub, filter, signal, onClose } = options
  const { position, lines } = await hub.follow(filter, onClose)
  signal.addEventListener('abort', lines.end, { once: true })
  if (signal.aborted) lines.end()
  const generator = read(options, position, lines.values)
  const leave = () => {
    signal.removeEventListener('abort', lines.end)
    lines.end()
  }
  const reader: AsyncIterableIterator<JournalLine | Missed> = {
    next: async () => {
      const result = await generator.next().catch((error: unknown) => {
        leave()
        throw error
      })
      if (result.done) leave()
      return result
    },
    // Also ends a pending `next`.
    return: async () => {
      leave()
      return generator.return(undefined)
    },
    [Symbol.asyncIterator]: () => reader,
  }
  return reader
}

async function* read(
  options: JournalOptions,
  position: number,
  lines: AsyncIterableIterator<JournalLine>,
): AsyncGenerator<JournalLine | Missed, undefined> {
  const from = options.after === null ? position : yield* missed(options, options.after, position)
  // The hub may still have been reading lines up to the position, for a reader who has left.
  for await (const line of lines) if (line.sequence > from) yield line
}

/**
 * The lines between the reader's last one and the beginning of the stream.
 *
 * @returns the line after which the stream goes on: a reader who comes from another API may already have lines that this
 *   one's hub hasn't read
 */
async function* missed(
  { db, hub, filter, signal }: JournalOptions,
  after: number,
  upTo: number,
): AsyncGenerator<JournalLine | Missed, number> {
  const { newest, prunedTo } = await hub.inTurn(() => readJournalBounds(db))
  const isUnknown = after > newest
  if (isUnknown || (after > 0 && after < prunedTo)) yield { prunedTo }
  let last = after
  while (last < upTo && !signal.aborted) {
    const range = { after: last, upTo, limit: PAGE }
    const { lines, readTo } = await hub.inTurn(() => readPartOfPushJournal(db, filter, range))
    yield* lines
    last = readTo
  }
  return isUnknown ? upTo : last
}
