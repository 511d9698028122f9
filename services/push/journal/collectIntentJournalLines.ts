import { sql } from 'kysely'
import { getAddress } from 'viem'
import { deriveStatus } from '../../../core/intent/status.ts'
import { decideJournalLines } from '../../../core/push/decideJournalLines.ts'
import { listIntentTransitions, type Transition } from '../../../core/push/listIntentTransitions.ts'
import {
  type IntentPushData,
  type IntentPushType,
  toPushEventId,
} from '../../../core/push/pushEvent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { ChainHeads } from '../../store/chains/readChainStates.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import {
  type IntentKey,
  requestedIntents,
  type StoredIntent,
} from '../../store/intents/storedIntent.ts'
import type { FollowedChain } from './followedChains.ts'
import {
  cutoffOf,
  isoTime,
  type JournalChange,
  logOf,
  type NewLine,
  readCurrentLines,
  type StoredLine,
} from './journalLine.ts'

/** The changes of these intents to the journal. */
export async function collectIntentJournalLines(
  db: Db,
  keys: readonly IntentKey[],
  chains: readonly FollowedChain[],
  heads: ChainHeads,
): Promise<JournalChange[]> {
  const stored = await loadIntents(db, keys, { withEvents: true })
  const current = await readCurrentLines<IntentPushData>(
    db,
    sql`(line.source_chain_id, line.intent_id) in (select * from ${requestedIntents(keys)})`,
    heads,
  )
  return keys.flatMap((key) => {
    const isSameIntent = (other: Pick<NewLine, 'sourceChainId' | 'intentId'>) =>
      other.intentId === key.intentId && other.sourceChainId === key.sourceChainId
    const chain = chains.find(({ chainId }) => chainId === key.sourceChainId)
    const intent = stored.find(({ source }) => isSameIntent(source)) ?? null
    return chain ? linesOf(intent, current.filter(isSameIntent), chain, heads) : []
  })
}

function linesOf(
  intent: StoredIntent | null,
  current: readonly StoredLine<IntentPushData>[],
  chain: FollowedChain,
  heads: ChainHeads,
): JournalChange {
  const facts = intent === null ? [] : transitionsNow(intent, chain, heads)
  // If an intent is gone, so are its passed deadlines.
  const before = current.map((line) => ({ ...line, isGone: line.isGone || intent === null }))
  const { reverted, added } = decideJournalLines(facts, before, cutoffOf(chain))
  const revoked = current.filter(({ sequence }) => reverted.includes(sequence))
  const lines = intent ? added.map((fact) => lineOf(intent, fact, heads)) : []
  const last = revoked.at(-1)
  if (last === undefined) return { reverted, lines }
  return { reverted, lines: [reorged(intent, revoked, last, chain, heads), ...lines] }
}

function transitionsNow(
  intent: StoredIntent,
  chain: FollowedChain,
  heads: ChainHeads,
): Transition[] {
  const { bridge } = chain
  if (bridge === null) return []
  const events = (intent.events ?? []).map((row) => fromEventRow(row, bridge.address))
  return listIntentTransitions(events, heads, bridge.terms)
}

function lineOf(intent: StoredIntent, fact: Transition, heads: ChainHeads): NewLine {
  const { source } = intent
  const point = fact.event?.point
  return {
    type: fact.type,
    key: fact.key,
    chainId: fact.chainId,
    blockNumber: point?.blockNumber ?? null,
    blockHash: point?.blockHash ?? null,
    logIndex: point?.logIndex ?? null,
    at: fact.at,
    finalBlock: point?.blockNumber ?? heads.get(fact.chainId)?.blockNumber ?? 0,
    sourceChainId: source.sourceChainId,
    destChainId: source.destChainId,
    intentId: source.intentId,
    orderId: null,
    sender: source.sender,
    solver: source.solver,
    data: {
      ...intentData(intent, heads),
      occurredAt: isoTime(fact.at),
      chainEvent: logOf(fact.event),
    },
  }
}

/** One line for everything that a reorg revoked: the revoked events and the intent's current status. */
function reorged(
  intent: StoredIntent | null,
  revoked: readonly StoredLine<IntentPushData>[],
  last: StoredLine<IntentPushData>,
  chain: FollowedChain,
  heads: ChainHeads,
): NewLine {
  const known = intent ? intentData(intent, heads) : { ...last.data, status: null, substatus: null }
  const { head } = chain
  return {
    type: 'intent.reorged' satisfies IntentPushType,
    key: null,
    blockNumber: null,
    blockHash: null,
    logIndex: null,
    orderId: null,
    chainId: last.chainId,
    at: head.timestamp,
    finalBlock: 0,
    sourceChainId: last.sourceChainId,
    destChainId: last.destChainId,
    intentId: last.intentId,
    sender: last.sender,
    // Tell the solver that was told of the revoked events, even if another has won meanwhile.
    solver: last.solver ?? intent?.source.solver ?? null,
    data: {
      ...known,
      occurredAt: isoTime(head.timestamp),
      chainEvent: null,
      reverted: revoked.map(({ sequence }) => toPushEventId(sequence)),
    },
  }
}

function intentData(
  intent: StoredIntent,
  heads: ChainHeads,
): Omit<IntentPushData, 'occurredAt' | 'chainEvent'> {
  const { source } = intent
  const now = deriveStatus(intent, heads)
  return {
    intentId: String(source.intentId),
    sourceChainId: String(source.sourceChainId),
    destChainId: String(source.destChainId),
    sender: getAddress(source.sender),
    solver: source.solver && getAddress(source.solver as Hex),
    tokenA: getAddress(source.tokenA),
    tokenB: getAddress(source.tokenB),
    amountA: String(source.amountA),
    expectedAmountB: String(source.expectedAmountB),
    reward: String(source.reward),
    status: now.status,
    substatus: now.substatus,
  }
}
