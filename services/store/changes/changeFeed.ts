import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import {
  type Change,
  type ClockChange,
  changeFromNotice,
  changesSince,
  clockFromNotice,
} from './changeNotice.ts'
import { readNotice } from './readNotice.ts'

/** What the feed tells, in the order in which it happened. */
export type FeedEvent =
  /** A row that tells of an intent was written or taken back. */
  | { kind: 'change'; change: Change }
  /** A chain's indexed head moved. */
  | { kind: 'clock'; clock: ClockChange }
  /** Other chains or other builds are shown from now on: every row may have changed. */
  | { kind: 'views' }
  /** The connection broke: changes go unheard until `found`. */
  | { kind: 'lost' }
  /** Listening again. What changed meanwhile was told just before, or `gap` if it was too much. */
  | { kind: 'found' }
  /** Changes were left out: read again whatever you hold. */
  | { kind: 'gap' }

export type ChangeFeed = {
  /** Whether changes are heard at present. While they aren't, nothing read earlier can be trusted. */
  isConnected(): boolean
  /** Calls `listener` for each event, synchronously, until the returned function is called. It must not throw. */
  subscribe(listener: (event: FeedEvent) => void): () => void
  /** The same for lines added to the journal: called after them, and whenever some may have gone unheard. */
  onJournal(listener: () => void): () => void
  /** Stops listening for good. */
  stop(): Promise<void>
}

export type ChangeFeedOptions = {
  databaseUrl: string
  /** Told when the connection can't be made or breaks. */
  onProblem?: (error: Error) => void
  /** Changes told again after a broken connection, at most; beyond it a `gap`. Default 10,000. */
  catchUpLimit?: number
  /** Milliseconds between signs of life asked of the connection, and for each to come. Default 2,000. */
  heartbeatMs?: number
}

/** Says that the journal has new lines. Apart from the others: it changes nothing that caches hold. */
const JOURNAL_CHANNEL = 'cairn_push'
const CHANNELS = ['cairn_change', 'cairn_clock', 'cairn_projection', JOURNAL_CHANNEL]
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000

/**
 * Follows the changes of the projections over a connection of its own, and comes back by itself when
 * it breaks. Returns at once; the first `found` says that it listens.
 */
export function startChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const listeners = new Set<(event: FeedEvent) => void>()
  const journalListeners = new Set<() => void>()
  const stopping = new AbortController()
  let connected = false
  const emit = (event: FeedEvent) => {
    if (event.kind === 'found') connected = true
    if (event.kind === 'lost') connected = false
    for (const listener of [...listeners]) listener(event)
    if (event.kind === 'found') emitJournal()
  }
  const emitJournal = () => {
    for (const listener of [...journalListeners]) listener()
  }
  const running = follow({ ...options, emitJournal }, emit, stopping.signal)
  const subscribe = (listener: (event: FeedEvent) => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    isConnected: () => connected,
    subscribe,
    onJournal: (listener) => {
      journalListeners.add(listener)
      return () => journalListeners.delete(listener)
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

type Emit = (event: FeedEvent) => void
type Following = ChangeFeedOptions & { emitJournal: () => void }

/** Connects again and again; `position.sequence` is the last change emitted. */
async function follow(options: Following, emit: Emit, stop: AbortSignal): Promise<void> {
  const position = { sequence: null as bigint | null }
  let wait = FIRST_WAIT_MS
  while (!stop.aborted) {
    let heard = false
    const noted: Emit = (event) => {
      heard ||= event.kind === 'found'
      emit(event)
    }
    await listenOnce(options, noted, position, stop).catch((error: Error) => {
      if (!stop.aborted) options.onProblem?.(error)
    })
    if (heard) {
      wait = FIRST_WAIT_MS
      emit({ kind: 'lost' })
    }
    if (stop.aborted) return
    await pause(wait, undefined, { signal: stop }).catch(() => {})
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

type Position = { sequence: bigint | null }

/** Listens until the connection ends. */
async function listenOnce(
  options: Following,
  emit: Emit,
  position: Position,
  stop: AbortSignal,
): Promise<void> {
  const client = new pg.Client({
    connectionString: options.databaseUrl,
    application_name: 'cairn_feed',
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
  })
  // Rejected also by an error that the server sends before it closes.
  const ended = new Promise<void>((resolve, reject) => {
    client.on('error', reject)
    client.on('end', resolve)
  })
  ended.catch(() => {})
  const leave = () => void client.end().catch(() => {})
  stop.addEventListener('abort', leave)
  try {
    // pg settles no `connect` that `end` cuts short: without the other, a stop would wait for ever.
    await Promise.race([client.connect(), ended])
    if (stop.aborted) return
    await hear(client, options, emit, position)
    const heartbeat = keepAsking(client, options.heartbeatMs ?? 2_000)
    await ended.finally(() => clearInterval(heartbeat))
  } finally {
    stop.removeEventListener('abort', leave)
    await client.end().catch(() => {})
  }
}

/** Starts listening, then emits what was missed: in this order nothing falls between the two. */
async function hear(
  client: pg.Client,
  { catchUpLimit = 10_000, emitJournal }: Following,
  emit: Emit,
  position: Position,
): Promise<void> {
  const early: FeedEvent[] = []
  let take: Emit = (event) => {
    early.push(event)
  }
  client.on('notification', ({ channel, payload }) => {
    if (channel === JOURNAL_CHANNEL) return emitJournal()
    const event = readNotice(payload, (text) => toFeedEvent(channel, text))
    if (event) take(event)
  })
  for (const channel of CHANNELS) await client.query(`listen ${channel}`)
  const emitNew = (event: FeedEvent) => {
    if (event.kind === 'change') {
      if (position.sequence !== null && event.change.sequence <= position.sequence) return
      position.sequence = event.change.sequence
    }
    emit(event)
  }
  const missed = await changesSince(client, position.sequence, catchUpLimit)
  if (missed.changes === null) emit({ kind: 'gap' })
  for (const change of missed.changes ?? []) emitNew({ kind: 'change', change })
  position.sequence = missed.sequence
  for (const event of early) emitNew(event)
  take = emitNew
  emit({ kind: 'found' })
}

function toFeedEvent(channel: string, payload: string): FeedEvent | null {
  if (channel === 'cairn_change') return { kind: 'change', change: changeFromNotice(payload) }
  if (channel === 'cairn_clock') return { kind: 'clock', clock: clockFromNotice(payload) }
  return channel === 'cairn_projection' ? { kind: 'views' } : null
}

/** A peer that vanished without a word is noticed when an answer fails to come. */
function keepAsking(client: pg.Client, everyMs: number): NodeJS.Timeout {
  const timer = setInterval(() => {
    client.query({ text: 'select 1', query_timeout: everyMs } as pg.QueryConfig).catch(() => {
      clearInterval(timer)
      client.end().catch(() => {})
    })
  }, everyMs)
  return timer.unref()
}
