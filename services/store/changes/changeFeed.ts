import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import {
  type Change,
  type ClockChange,
  changesAfter,
  clockFromNotice,
  newestSequence,
  readNotice,
  sequenceInNotice,
} from './changeNotice.ts'

/** The feed's events, in the order in which they happened. */
export type FeedEvent =
  /** A row about an intent was written or taken back. */
  | { kind: 'change'; change: Change }
  /** A chain's indexed head moved. */
  | { kind: 'clock'; clock: ClockChange }
  /** Other chains or builds are shown from now on: every row may have changed. */
  | { kind: 'views' }
  /** The connection broke: changes are missed until `found`. */
  | { kind: 'lost' }
  /** Listening again. Changes meanwhile came just before, or `gap` if there were too many. */
  | { kind: 'found' }
  /** Changes were left out: read everything again. */
  | { kind: 'gap' }

export type ChangeFeed = {
  /** Whether the feed is connected. While it isn't, nothing read earlier can be trusted. */
  isConnected(): boolean
  /** Calls `listener` for each event, synchronously, until the returned function is called. It must not throw. */
  subscribe(listener: (event: FeedEvent) => void): () => void
  /** The same for lines added to the journal: called after them, and whenever some may have been missed. */
  onJournal(listener: () => void): () => void
  /** Stops listening permanently. */
  stop(): Promise<void>
}

type ChangeFeedOptions = {
  databaseUrl: string
  /** Called when the connection can't be made or breaks. */
  onProblem?: (error: Error) => void
  /** Changes replayed after a broken connection, at most; beyond it a `gap`. Default 10,000. */
  catchUpLimit?: number
}

/** Announces new lines of the journal. Separate from the others because it invalidates no cache. */
const JOURNAL_CHANNEL = 'cairn_push'
const CHANGE_CHANNEL = 'cairn_change'
const CHANNELS = [CHANGE_CHANNEL, 'cairn_clock', 'cairn_projection', JOURNAL_CHANNEL]
/** Changes that are read from the log at once. */
const PAGE = 1_000
/** Between two checks of the connection, and for each answer. */
const HEARTBEAT_MS = 2_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000

/**
 * Follows the changes of the projections over its own connection, and reconnects when that breaks.
 * Returns at once; the first `found` says that it listens.
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

/** Connects again and again; `position.sequence` is the last change of the log that was emitted. */
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
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  client.on('error', reject)
  client.on('end', resolve)
  ended.catch(() => {})
  const leave = () => void client.end().catch(() => {})
  stop.addEventListener('abort', leave)
  try {
    // pg never settles a `connect` that `end` interrupts: without the other promise, a stop would
    // wait for ever.
    await Promise.race([client.connect(), ended])
    if (stop.aborted) return
    await hear(client, options, emit, position, reject)
    const heartbeat = keepAsking(client)
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
  onFailure: (error: Error) => void,
): Promise<void> {
  const heard: Heard[] = []
  let isReading = true
  client.on('notification', ({ channel, payload }) => {
    if (channel === JOURNAL_CHANNEL) return emitJournal()
    const one = readNotice(payload, (text) => toHeard(channel, text))
    if (one === null) return
    heard.push(one)
    if (!isReading) void emitHeard().catch(onFailure)
  })
  /** One after the other: a clock must not be emitted before the changes of its own commit. */
  const emitHeard = async () => {
    isReading = true
    for (let one = heard.shift(); one !== undefined; one = heard.shift()) {
      if (typeof one !== 'bigint') emit(one)
      else if (one > (position.sequence ?? 0n)) await emitLogged(client, emit, position)
    }
    isReading = false
  }
  for (const channel of CHANNELS) await client.query(`listen ${channel}`)
  await emitMissed(client, emit, position, catchUpLimit)
  await emitHeard()
  emit({ kind: 'found' })
}

/** A change's number, which is in the log, or what happened. */
type Heard = bigint | FeedEvent

function toHeard(channel: string, payload: string): Heard | null {
  if (channel === CHANGE_CHANNEL) return sequenceInNotice(payload)
  if (channel === 'cairn_clock') return { kind: 'clock', clock: clockFromNotice(payload) }
  return channel === 'cairn_projection' ? { kind: 'views' } : null
}

/** Emits what changed while disconnected, or a `gap` if that is too much. */
async function emitMissed(
  client: pg.Client,
  emit: Emit,
  position: Position,
  limit: number,
): Promise<void> {
  const { sequence } = position
  const missed = sequence === null ? [] : await changesAfter(client, sequence, limit + 1)
  if (sequence === null || missed.length > limit) {
    position.sequence = await newestSequence(client)
    if (sequence !== null) emit({ kind: 'gap' })
    return
  }
  emitChanges(missed, emit, position)
}

/** Emits what the log holds now: only what is there moves the position. */
async function emitLogged(client: pg.Client, emit: Emit, position: Position): Promise<void> {
  for (;;) {
    const changes = await changesAfter(client, position.sequence ?? 0n, PAGE)
    emitChanges(changes, emit, position)
    if (changes.length < PAGE) return
  }
}

function emitChanges(changes: readonly Change[], emit: Emit, position: Position): void {
  for (const change of changes) {
    position.sequence = change.sequence
    emit({ kind: 'change', change })
  }
}

/** A peer that silently vanished is noticed when an answer doesn't come. */
function keepAsking(client: pg.Client): NodeJS.Timeout {
  const timer = setInterval(() => {
    client.query({ text: 'select 1', query_timeout: HEARTBEAT_MS } as pg.QueryConfig).catch(() => {
      clearInterval(timer)
      client.end().catch(() => {})
    })
  }, HEARTBEAT_MS)
  return timer.unref()
}
