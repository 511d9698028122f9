import { chainNameOf } from '../../../core/chain/names.ts'
import { finality } from '../../../core/intent/finality.ts'
import { lockedStakeOf } from '../../../core/intent/lockedStake.ts'
import { refund } from '../../../core/intent/refund.ts'
import { type TimelineEntry, timeline } from '../../../core/intent/timeline.ts'
import {
  isValidDelivery,
  settledDeliveryOf,
  validDeliveryOf,
  winnersDeliveryOf,
} from '../../../core/intent/winnersDelivery.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Delivery } from '../../../src/intent/facts.ts'
import { forfeitsOf } from '../../../src/intent/forfeits.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { AsOfView } from '../asOfView.ts'
import type { GraphqlContext } from '../context.ts'
import { intentId } from '../nodeId.ts'
import { bridgeOf, type IntentNode, intentOf } from './intentNode.ts'
import { bidsOf, eventsOf } from './nestedLists.ts'
import { orderOfIntent } from './orderFields.ts'
import { decimals, type TokenPlace } from './tokenFields.ts'

/** Fields of `Intent` that aren't columns of its row. */
export const intentFields = {
  id: (node: IntentNode) => intentId(node, node.view?.moment),
  sourceChain: ({ sourceChainId }: IntentNode) => chainNameOf(sourceChainId),
  destChain: ({ destChainId }: IntentNode) => chainNameOf(destChainId),
  status: (node: IntentNode) => node.status().status,
  substatus: (node: IntentNode) => node.status().substatus,
  isTerminal: (node: IntentNode) => node.status().isTerminal,
  finality: ({ stored, chains }: IntentNode) => finality(stored, chains.heads),
  sequence: ({ stored }: IntentNode) => stored.sequence,
  timestamp: ({ createdAt }: IntentNode) => createdAt,
  solverAddress: ({ solver }: IntentNode) => solver,
  solver: ({ solver }: IntentNode, _: unknown, { loaders }: GraphqlContext) =>
    solver && loaders.solver.load(solver),
  delivery: ({ stored, view }: IntentNode) => deliveryNode(stored, view),
  lock: lockField,
  forfeits: forfeitsField,
  solveTxHash: ({ stored }: IntentNode) =>
    (settledDeliveryOf(stored) ?? validDeliveryOf(stored))?.solveTxHash ?? null,
  creditedAmountB: ({ stored }: IntentNode) =>
    (settledDeliveryOf(stored) ?? validDeliveryOf(stored))?.credited ?? null,
  chain2IntentId: ({ stored }: IntentNode) =>
    stored.source.chain2IntentId ?? validDeliveryOf(stored)?.chain2IntentId ?? null,
  refund: refundOf,
  timeline: timelineOf,
  order: orderOfIntent,
  bids: bidsOf,
  events: eventsOf,
}

/** Of an intent's parts whose amounts are in its tokenA. */
export const ofIntent = decimals(['amount'], ({ counted }: { counted: TokenPlace }) => counted)

function countedIn({ sourceChainId, tokenA }: StoredIntent['source']): TokenPlace {
  return { chainId: sourceChainId, token: tokenA }
}

/** Fields of `TimelineEntry` that aren't in the domain's. */
export const timelineFields = {
  chain: ({ chainId }: TimelineEntry) => chainNameOf(chainId),
}

/** Fields of `Delivery` that aren't columns of its row. */
export const deliveryFields = {
  destChain: ({ destChainId }: Delivery) => chainNameOf(destChainId),
  sourceChain: ({ sourceChainId }: Delivery) => chainNameOf(sourceChainId),
  solverAddress: ({ solver }: Delivery) => solver,
  intent: intentOf,
  isValid: validityOf,
}

/** What `Delivery` is resolved from: its intent is known, or has to be looked at. */
type DeliveryNode = Delivery & { isValid?: boolean; view?: AsOfView | null }

async function validityOf(delivery: DeliveryNode, _: unknown, { loaders }: GraphqlContext) {
  if (delivery.isValid !== undefined) return delivery.isValid
  const stored = await loaders.intent.load(delivery)
  return stored !== null && isValidDelivery(stored.source, delivery)
}

function deliveryNode(stored: StoredIntent, view: AsOfView | null): DeliveryNode | null {
  const delivery = winnersDeliveryOf(stored)
  return delivery && { ...delivery, view, isValid: isValidDelivery(stored.source, delivery) }
}

function refundOf(node: IntentNode) {
  const terms = bridgeOf(node)?.terms
  const owed = terms && refund(node.stored, node.chains.heads, terms)
  return owed && { ...owed, counted: countedIn(node.stored.source) }
}

function lockField({ stored }: IntentNode) {
  const lock = lockedStakeOf(stored.source)
  return (
    lock && { solverAddress: lock.solver, amount: lock.amount, counted: countedIn(stored.source) }
  )
}

async function forfeitsField(node: IntentNode, _: unknown, context: GraphqlContext) {
  const known = await timelineEventsOf(node, context)
  const forfeits = forfeitsOf(node.stored.source, known?.events ?? [])
  const counted = countedIn(node.stored.source)
  return forfeits.map(({ solver, ...rest }) => ({ solverAddress: solver, ...rest, counted }))
}

async function timelineOf(
  node: IntentNode,
  _: unknown,
  context: GraphqlContext,
): Promise<TimelineEntry[]> {
  const known = await timelineEventsOf(node, context)
  const { paramsHash } = node.stored.source
  return known ? timeline(known.events, node.chains.heads, known.terms, paramsHash) : []
}

async function timelineEventsOf(node: IntentNode, { loaders }: GraphqlContext) {
  const bridge = bridgeOf(node)
  const stored = node.stored.events ? node.stored : await loaders.timeline.load(node)
  if (!bridge || !stored?.events) return null
  const events = stored.events.map((row) => fromEventRow(row, bridge.address))
  return { events, terms: bridge.terms }
}
