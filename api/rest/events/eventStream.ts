import { type JournalLine, renderPushEvent } from '../../../services/store/push/readJournal.ts'
import { withHeartbeats } from '../../http/withHeartbeats.ts'
import { followJournal, type JournalOptions } from './followJournal.ts'

/** So that neither proxies nor clients take a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000
/** Milliseconds after which a client reconnects. */
const RETRY_MS = 2_000

type StreamOptions = JournalOptions & { heartbeatMs?: number }

/** Server-sent events as text: first what came after the client's last one, then each as it is written. */
export async function* eventStream(options: StreamOptions): AsyncGenerator<string> {
  const { heartbeatMs = HEARTBEAT_MS, ...journal } = options
  const lines = await followJournal(journal)
  try {
    yield `retry: ${RETRY_MS}\n\n`
    for await (const line of withHeartbeats(lines, heartbeatMs)) {
      if (line === null) yield ':\n\n'
      else yield 'prunedTo' in line ? resetText(line.prunedTo) : eventText(line)
    }
  } catch {
    // A reader that was too slow, or a lost database: the client reconnects with its last id.
  } finally {
    await lines.return?.()
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
