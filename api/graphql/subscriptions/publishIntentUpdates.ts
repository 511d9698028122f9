import { type ChainsNow, chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { findPassedDeadlines } from '../../../services/store/intents/findPassedDeadlines.ts'
import { findVanishedIntents, loadIntents } from '../../../services/store/intents/intentLookup.ts'
import { type IntentKey, intentName } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { createIntentNode, type IntentNode } from '../resolvers/intentNode.ts'
import { batchPerEventLoopTurn } from './batchPerEventLoopTurn.ts'
import { findLatestIntentEvents } from './findLatestIntentEvents.ts'
import type { LiveSources } from './liveUpdates.ts'
import type { Topic } from './publishSubscribeTopic.ts'
import { missedChanges } from './subscriptionErrors.ts'

/** Source object of `IntentUpdate`, with the fields that subscribers filter by. */
export type IntentUpdate = IntentKey & {
  /** The same for all subscribers. */
  id: string
  /** The newest change included; 0 for a change by time alone. */
  sequence: bigint
  cause: 'event' | 'deadline'
  /** The newest event behind the update; null for a change by time alone. */
  event: EventRow | null
  /** Whether a reorg removed that event. */
  isRemoved: boolean
  /** Null if a reorg removed its creation. */
  intent: IntentNode | null
  /** The sender and solver of a removed intent. */
  sender: Hex | null
  solver: Hex | null
}

/** A reason to publish an intent. `moment`: the clock's time by which a deadline had passed; empty for a change. */
type Trigger = IntentKey & { sequence: bigint; moment: string }
/** A range of a chain's time. */
type Step = { chainId: number; from: number; to: number }
/** A chain's clock moved. `from` is null for a new chain. */
type Move = { chainId: number; from: number | null; to: number }
type Item = { trigger: Trigger } | { move: Move }

/** Deadlines published for one step of a clock. If more pass, subscribers must read again. */
const MAX_DEADLINES = 5_000

/**
 * Publishes an update for each intent that changes: by an event, by a reorg, or by a deadline that the indexed heads
 * pass. A block's changes to an intent are one update.
 */
export function publishIntentUpdates(
  sources: LiveSources,
  topic: Topic<IntentUpdate>,
): (event: FeedEvent) => void {
  const times = new Map<number, number>()
  let starts = startTimes(sources)
  const add = batchPerEventLoopTurn<Item>(
    async (items) => publish(items, await starts, sources, topic),
    (error) => {
      sources.onProblem(error)
      topic.failAll(missedChanges)
    },
  )
  return (event) => {
    if (event.kind === 'clock') {
      const { chainId, timestamp: to } = event.clock
      const from = times.get(chainId) ?? null
      times.set(chainId, to)
      if (from !== to && topic.hasSubscribers()) add({ move: { chainId, from, to } })
    } else if (event.kind === 'change' && topic.hasSubscribers()) {
      const { sourceChainId, intentId, sequence } = event.change
      if (sourceChainId === null || intentId === null) return
      add({ trigger: { sourceChainId, intentId, sequence, moment: '' } })
    } else if (event.kind === 'found' || event.kind === 'views') {
      // More chains may be readable now.
      starts = startTimes(sources)
    }
  }
}

/** The chains' clocks, from which the first steps start. */
async function startTimes({ chains }: LiveSources): Promise<ReadonlyMap<number, number>> {
  // If the database is unreachable, this runs again once the feed has reconnected.
  const { heads } = await chainsOrNone(chains).catch(() => ({ heads: new Map() as ChainHeads }))
  return new Map([...heads].map(([chainId, { timestamp }]) => [chainId, timestamp]))
}

async function publish(
  items: Item[],
  starts: ReadonlyMap<number, number>,
  { db, chains }: LiveSources,
  topic: Topic<IntentUpdate>,
): Promise<void> {
  if (!topic.hasSubscribers()) return
  const now = await chains.current()
  const triggers = new Map<string, Trigger>()
  for (const item of items) if ('trigger' in item) keepNewest(triggers, item.trigger)
  for (const item of items) {
    if (!('move' in item)) continue
    const step = stepOf(item.move, starts)
    const expired = step.from === step.to ? [] : await deadlinesIn(step, now, db)
    const moment = `${step.chainId}@${step.to}`
    for (const key of expired) keepNewest(triggers, { ...key, sequence: 0n, moment })
  }
  const keys = [...triggers.values()]
  const found = new Map(
    (await loadIntents(db, keys)).map((stored) => [intentName(stored.source), stored]),
  )
  const missing = keys.filter((key) => !found.has(intentName(key)))
  const removed = new Map(
    (await findVanishedIntents(db, missing)).map((one) => [intentName(one), one]),
  )
  const changed = keys.filter(({ sequence }) => sequence > 0n)
  const causes = await findLatestIntentEvents(db, changed)
  for (const { moment, ...trigger } of triggers.values()) {
    const key = intentName(trigger)
    const stored = found.get(key)
    const { sender = null, solver = null } = removed.get(key) ?? {}
    const cause = trigger.sequence === 0n ? 'deadline' : 'event'
    const intent = stored ? createIntentNode(stored, { chains: now }) : null
    const behind = causes.get(key) ?? NO_EVENT
    const id = updateId({ ...trigger, moment })
    topic.publish({ ...trigger, id, cause, ...behind, intent, sender, solver })
  }
}

const NO_EVENT = { event: null, isRemoved: false }

function updateId({ sourceChainId, intentId, sequence, moment }: Trigger): string {
  return `IntentUpdate:${sourceChainId}:${intentId}:${moment || sequence}`
}

/** A reorg may set a clock back, after which expired intents are open again: that step counts too. */
function stepOf({ chainId, from, to }: Move, starts: ReadonlyMap<number, number>): Step {
  const start = from ?? starts.get(chainId) ?? to
  return { chainId, from: Math.min(start, to), to: Math.max(start, to) }
}

/** The intents with a deadline in a step. Throws MISSED_CHANGES for too many. */
async function deadlinesIn(
  step: Step,
  now: ChainsNow,
  db: LiveSources['db'],
): Promise<IntentKey[]> {
  const terms = now.ready.find(({ chainId }) => chainId === step.chainId)?.bridge?.terms ?? null
  const keys = await findPassedDeadlines(db, { ...step, terms }, MAX_DEADLINES + 1)
  if (keys.length > MAX_DEADLINES) throw missedChanges()
  return keys
}

function keepNewest(triggers: Map<string, Trigger>, trigger: Trigger): void {
  const key = intentName(trigger)
  const other = triggers.get(key)
  if (!other || other.sequence < trigger.sequence) {
    // Moves it to the end: updates are published in the order of the latest changes.
    triggers.delete(key)
    triggers.set(key, trigger)
  }
}
