import type { Db } from '../../../services/store/database/database.ts'
import type { PushFilter } from '../../../services/store/push/pushFilter.ts'
import {
  type JournalLine,
  journalBounds,
  readJournal,
} from '../../../services/store/push/readJournal.ts'
import { renderPushEvent } from '../../../services/store/push/renderPushEvent.ts'
import type { EventHub } from './eventHub.ts'

/** So that neither proxies nor clients take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client comes back. */
const RETRY_MS = 2_000
const PAGE = 500

export type StreamOptions = {
  db: Db
  hub: EventHub
  filter: PushFilter
  /** The last event that the client has; null: it wants new ones only. 0: all that are kept. */
  after: number | null
  signal: AbortSignal
  onClose: () => void
  heartbeatMs?: number
}

/** Server-sent events as text: first what came after the client's last one, then each as it is written. */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string> {
  const { db, hub, filter, after, signal, onClose, heartbeatMs = HEARTBEAT_MS } = options
  const { position, lines } = await hub.follow(filter, onClose)
  signal.addEventListener('abort', lines.end, { once: true })
  if (signal.aborted) lines.end()
  try {
    yield `retry: ${RETRY_MS}\n\n`
    if (after !== null) yield* missed(db, filter, after, position)
    yield* live(lines.values, after !== null && after > position ? 0 : (after ?? 0), heartbeatMs)
  } catch {
    // A reader that was too slow, or a database that went away: the client comes back with its last id.
  } finally {
    signal.removeEventListener('abort', lines.end)
    lines.end()
  }
}

/** What was written between the client's last event and the beginning of the stream. */
async function* missed(
  db: Db,
  filter: PushFilter,
  after: number,
  upTo: number,
): AsyncGenerator<string> {
  const { prunedTo } = await journalBounds(db)
  if (after > upTo || (after > 0 && after < prunedTo)) yield resetText(prunedTo)
  let last = after
  while (last < upTo) {
    const lines = await readJournal(db, filter, { after: last, upTo, limit: PAGE })
    if (lines.length > 0) yield lines.map(eventText).join('')
    last = lines.length < PAGE ? upTo : lines.at(-1)!.sequence
  }
}

async function* live(
  lines: AsyncIterator<JournalLine>,
  after: number,
  heartbeatMs: number,
): AsyncGenerator<string> {
  let next = lines.next()
  for (;;) {
    let timer: NodeJS.Timeout | undefined
    const beat = new Promise<null>((resolve) => {
      timer = setTimeout(resolve, heartbeatMs, null)
    })
    const result = await Promise.race([next, beat]).finally(() => clearTimeout(timer))
    if (result === null) yield ':\n\n'
    else if (result.done) return
    else {
      next = lines.next()
      // So that a failure that comes while the text is on its way isn't taken for nobody's.
      next.catch(() => {})
      if (result.value.sequence > after) yield eventText(result.value)
    }
  }
}

/** One event on the wire. */
function eventText(line: JournalLine): string {
  const { sequence, type } = line
  return `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(renderPushEvent(line))}\n\n`
}

/** The position isn't one of this journal, or older than what is kept: something may be missing. */
function resetText(prunedTo: number): string {
  const message = 'events may be missing: read your data again'
  const data = { code: 'EVENTS_MISSED', message, prunedTo: String(prunedTo) }
  return `event: stream.reset\ndata: ${JSON.stringify(data)}\n\n`
}
