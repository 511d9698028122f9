import { type ChainsNow, chainsOrNone } from '../../../services/store/chains/chainStateCache.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { deadlinesPassed } from '../../../services/store/intents/deadlinesPassed.ts'
import { loadIntents, vanishedIntents } from '../../../services/store/intents/findIntent.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { keyOf } from '../loaders/createLoaders.ts'
import { type IntentNode, intentNode } from '../resolvers/intentNode.ts'
import { batchPerTurn } from './batchPerTurn.ts'
import { eventsBehind } from './eventsBehind.ts'
import type { LiveSources } from './liveUpdates.ts'
import { missedChanges } from './subscriptionErrors.ts'
import type { Topic } from './topic.ts'

/** What `IntentUpdate` of the schema is resolved from, and what subscribers choose by. */
export type IntentUpdate = IntentKey & {
  /** The same for all subscribers. */
  id: string
  /** The newest change included; 0 when time alone changed it. */
  sequence: bigint
  cause: 'event' | 'deadline'
  /** The newest event behind it; null when time alone changed it. */
  event: EventRow | null
  /** That event's block left the chain. */
  isRemoved: boolean
  /** Null when a reorg took back its creation. */
  intent: IntentNode | null
  /** Of an intent that is gone: who took part in it. */
  sender: Hex | null
  solver: Hex | null
}

/** `moment` is the clock's time by which a deadline had passed. */
type Trigger = IntentKey & { sequence: bigint; moment: string }
type Step = { chainId: number; from: number; to: number }
/** A chain's clock moved; `from` is null when the chain is new. */
type Move = { chainId: number; from: number | null; to: number }
type Item = { trigger: Trigger } | { move: Move }

/** Deadlines that may pass in one step of a clock; with more, subscribers must read again. */
const MOST_DEADLINES = 5_000

/**
 * Publishes an update for each intent that changes: by an event, by a reorg, or by a deadline that
 * its chains' indexed heads pass. Changes of one block to one intent are one update.
 */
export function followIntents(
  sources: LiveSources,
  topic: Topic<IntentUpdate>,
): (event: FeedEvent) => void {
  const times = new Map<number, number>()
  let starts = startTimes(sources)
  const add = batchPerTurn<Item>(
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
      // Chains may be readable that weren't.
      starts = startTimes(sources)
    }
  }
}

/** The chains' clocks now, from which the first step starts. */
async function startTimes({ chains }: LiveSources): Promise<ReadonlyMap<number, number>> {
  // An unreachable database is asked again when the feed has reconnected.
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
  for (const item of items) if ('trigger' in item) newest(triggers, item.trigger)
  for (const item of items) {
    if (!('move' in item)) continue
    const step = stepOf(item.move, starts)
    const late = step.from === step.to ? [] : await lateBy(step, now, db)
    const moment = `${step.chainId}@${step.to}`
    for (const key of late) newest(triggers, { ...key, sequence: 0n, moment })
  }
  const keys = [...triggers.values()]
  const found = new Map(
    (await loadIntents(db, keys)).map((stored) => [keyOf(stored.source), stored]),
  )
  const gone = new Map(
    (
      await vanishedIntents(
        db,
        keys.filter((key) => !found.has(keyOf(key))),
      )
    ).map((one) => [keyOf(one), one]),
  )
  const causes = await eventsBehind(
    db,
    keys.filter(({ sequence }) => sequence > 0n),
  )
  for (const { moment, ...trigger } of triggers.values()) {
    const stored = found.get(keyOf(trigger))
    const { sender = null, solver = null } = gone.get(keyOf(trigger)) ?? {}
    const cause = trigger.sequence === 0n ? 'deadline' : 'event'
    const intent = stored ? intentNode(stored, { chains: now }) : null
    const behind = causes.get(keyOf(trigger)) ?? NO_EVENT
    const id = updateId({ ...trigger, moment })
    topic.publish({ ...trigger, id, cause, ...behind, intent, sender, solver })
  }
}

const NO_EVENT = { event: null, isRemoved: false }

function updateId({ sourceChainId, intentId, sequence, moment }: Trigger): string {
  return `IntentUpdate:${sourceChainId}:${intentId}:${moment || sequence}`
}

/** A reorg may set a clock back: what had expired may not have. */
function stepOf({ chainId, from, to }: Move, starts: ReadonlyMap<number, number>): Step {
  const start = from ?? starts.get(chainId) ?? to
  return { chainId, from: Math.min(start, to), to: Math.max(start, to) }
}

async function lateBy(step: Step, now: ChainsNow, db: LiveSources['db']): Promise<IntentKey[]> {
  const terms = now.ready.find(({ chainId }) => chainId === step.chainId)?.bridge?.terms ?? null
  const keys = await deadlinesPassed(db, { ...step, terms }, MOST_DEADLINES + 1)
  if (keys.length > MOST_DEADLINES) throw missedChanges()
  return keys
}

function newest(triggers: Map<string, Trigger>, trigger: Trigger): void {
  const key = keyOf(trigger)
  const known = triggers.get(key)
  if (!known || known.sequence < trigger.sequence) {
    // Delivered in the order of the latest change.
    triggers.delete(key)
    triggers.set(key, trigger)
  }
}
