import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { createSingleConnection, runWhileConnected } from '../database/openSingleConnection.ts'
import { requireSessionSettings } from '../database/sessionSettings.ts'
import { startHeartbeat } from '../database/startHeartbeat.ts'
import {
  type Change,
  type ClockChange,
  hasPosition,
  type LogPosition,
  readChainClock,
  readChangesAfter,
  readNewestPosition,
} from './changeLog.ts'
import { chainInNotice, readNotice, sequenceInNotice } from './changeNotificationPayloads.ts'

/** The feed's events, in order. */
export type FeedEvent =
  /** A row was written, or removed by a reorg. */
  | { kind: 'change'; change: Change }
  /** A chain's indexed head moved. */
  | { kind: 'clock'; clock: ClockChange }
  /** The views show other chains or builds: every row may have changed. */
  | { kind: 'views' }
  /** The connection broke: no changes until `found`. */
  | { kind: 'lost' }
  /** Listening again. The missed changes were emitted before, or `gap` if there were too many. */
  | { kind: 'found' }
  /** Changes were skipped: read everything again. */
  | { kind: 'gap' }

export type ChangeFeed = {
  /** Whether the feed is connected. While it isn't, cached data can't be trusted. */
  isConnected(): boolean
  /** Calls `listener` synchronously for each event, until the returned function is called. It must not throw. */
  subscribe(listener: (event: FeedEvent) => void): () => void
  /** Calls `listener` after lines were added to the journal, and whenever some may have been missed. */
  onJournal(listener: () => void): () => void
  /** Stops listening permanently. */
  stop(): Promise<void>
}

type ChangeFeedOptions = {
  databaseUrl: string
  /** Called when the connection can't be made or breaks. */
  onProblem?: (error: Error) => void
  /** Limit on changes replayed after a reconnection; beyond it a `gap` is emitted. Default 10,000. */
  catchUpLimit?: number
}

/** Announces new lines of the journal. Handled separately because it invalidates no cache. */
const JOURNAL_CHANNEL = 'cairn_push'
const CHANGE_CHANNEL = 'cairn_change'
const CHANNELS = [CHANGE_CHANNEL, 'cairn_clock', 'cairn_projection', JOURNAL_CHANNEL]
/** Changes that one statement reads from the log. */
const PAGE_SIZE = 1_000
/** Milliseconds between heartbeats, and until each must be answered. */
const HEARTBEAT_MS = 2_000
const FIRST_BACKOFF_MS = 100
const LONGEST_BACKOFF_MS = 5_000

/**
 * Follows the projections' changes over a connection of its own, and reconnects when it breaks. Returns at once; the first
 * `found` event shows that it listens.
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

/** Reconnects with backoff; `position.latest` is the last change of the log that was emitted. */
async function follow(options: Following, emit: Emit, stop: AbortSignal): Promise<void> {
  const position: Position = { latest: null }
  let backoff = FIRST_BACKOFF_MS
  while (!stop.aborted) {
    let wasConnected = false
    const observed: Emit = (event) => {
      wasConnected ||= event.kind === 'found'
      emit(event)
    }
    await listenOnce(options, observed, position, stop).catch((error: Error) => {
      if (!stop.aborted) options.onProblem?.(error)
    })
    if (wasConnected) {
      backoff = FIRST_BACKOFF_MS
      emit({ kind: 'lost' })
    }
    if (stop.aborted) return
    await pause(backoff, undefined, { signal: stop }).catch(() => {})
    backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)
  }
}

type Position = { latest: LogPosition | null }

/** Listens until the connection ends. */
async function listenOnce(
  options: Following,
  emit: Emit,
  position: Position,
  stop: AbortSignal,
): Promise<void> {
  const client = createSingleConnection(options.databaseUrl, 'cairn_feed', {
    query_timeout: 10_000,
  })
  await runWhileConnected(client, stop, async (ended) => {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    await requireSessionSettings(client)
    await startListening(client, options, emit, position, reject)
    const stopHeartbeat = watchForSilence(client)
    await Promise.race([ended, failed]).finally(stopHeartbeat)
  })
}

/** Listens before it emits what was missed, so that no change falls between the two. */
async function startListening(
  client: pg.Client,
  { catchUpLimit = 10_000, emitJournal }: Following,
  emit: Emit,
  position: Position,
  onFailure: (error: Error) => void,
): Promise<void> {
  const queue: Notice[] = []
  let isReading = true
  client.on('notification', ({ channel, payload }) => {
    if (channel === JOURNAL_CHANNEL) return emitJournal()
    const notice = readNotice(payload, (text) => toNotice(channel, text))
    // An equal notice is queued already: reading for it twice gives the same result.
    if (notice === null || queue.includes(notice)) return
    queue.push(notice)
    if (!isReading) void emitQueued().catch(onFailure)
  })
  const emitQueued = async () => {
    isReading = true
    for (let notice = queue.shift(); notice !== undefined; notice = queue.shift()) {
      if (notice === 'views') emit({ kind: 'views' })
      else if (typeof notice === 'number') await emitClock(client, emit, position, notice)
      else if (notice > (position.latest?.sequence ?? 0n)) await emitLogged(client, emit, position)
    }
    isReading = false
  }
  for (const channel of CHANNELS) await client.query(`listen ${channel}`)
  await emitMissed(client, emit, position, catchUpLimit)
  await emitQueued()
  emit({ kind: 'found' })
}

/** The sequence of a change in the log, the chain whose clock moved, or new views. */
type Notice = bigint | number | 'views'

function toNotice(channel: string, payload: string): Notice | null {
  if (channel === CHANGE_CHANNEL) return sequenceInNotice(payload)
  if (channel === 'cairn_clock') return chainInNotice(payload)
  return channel === 'cairn_projection' ? 'views' : null
}

/** Emits what changed while disconnected, or a `gap` if there is too much, or what was emitted is no longer in the log. */
async function emitMissed(
  client: pg.Client,
  emit: Emit,
  position: Position,
  limit: number,
): Promise<void> {
  const { latest } = position
  if (latest !== null && (await hasPosition(client, latest))) {
    const missed = await readChangesAfter(client, latest.sequence, limit + 1)
    if (missed.length <= limit) return emitChanges(missed, emit, position)
  }
  position.latest = await readNewestPosition(client)
  if (latest !== null) emit({ kind: 'gap' })
}

/** Emits a chain's clock, after the changes of its own commit. */
async function emitClock(
  client: pg.Client,
  emit: Emit,
  position: Position,
  chainId: number,
): Promise<void> {
  const read = await readChainClock(client, chainId)
  if (read === null) return
  if (read.sequence > (position.latest?.sequence ?? 0n)) await emitLogged(client, emit, position)
  emit({ kind: 'clock', clock: read.clock })
}

/** Emits the log's changes after the position. */
async function emitLogged(client: pg.Client, emit: Emit, position: Position): Promise<void> {
  for (;;) {
    const changes = await readChangesAfter(client, position.latest?.sequence ?? 0n, PAGE_SIZE)
    emitChanges(changes, emit, position)
    if (changes.length < PAGE_SIZE) return
  }
}

function emitChanges(
  changes: readonly (Change & LogPosition)[],
  emit: Emit,
  position: Position,
): void {
  for (const { writtenAt, ...change } of changes) {
    position.latest = { sequence: change.sequence, writtenAt }
    emit({ kind: 'change', change })
  }
}

/** Closes the connection if a heartbeat isn't answered, since a peer may vanish silently. */
function watchForSilence(client: pg.Client): () => void {
  const request = { text: 'select 1', query_timeout: HEARTBEAT_MS } as pg.QueryConfig
  const stop = startHeartbeat(HEARTBEAT_MS, () =>
    client.query(request).catch(() => {
      stop()
      client.end().catch(() => {})
    }),
  )
  return stop
}
