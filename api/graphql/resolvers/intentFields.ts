import { deriveFinality } from '../../../core/intent/finality.ts'
import { findLockedStake } from '../../../core/intent/findLockedStake.ts'
import {
  findSettledDelivery,
  findValidDelivery,
  findWinnersDelivery,
  isValidDelivery,
} from '../../../core/intent/findWinnersDelivery.ts'
import { deriveRefund } from '../../../core/intent/refundStatus.ts'
import { buildTimeline, type TimelineEntry } from '../../../core/intent/timeline.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { forfeitsOf } from '../../../src/intent/forfeits.ts'
import type { Delivery } from '../../../src/intent/intentFacts.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { intentId } from '../objectIds.ts'
import type { AsOfView } from '../resolveAsOfArgument.ts'
import { resolveIntentBids, resolveIntentEvents } from './intentNestedLists.ts'
import { bridgeOf, type IntentNode, intentOf } from './intentNode.ts'
import { orderOfIntent } from './orderFields.ts'
import { pairFields } from './solverFields.ts'
import { decimals, type TokenPlace } from './tokenAmountFields.ts'

/** Fields of `Intent` that aren't columns of its row. */
export const intentFields = {
  ...pairFields,
  id: (node: IntentNode) => intentId(node, node.view?.moment),
  status: (node: IntentNode) => node.status().status,
  substatus: (node: IntentNode) => node.status().substatus,
  isTerminal: (node: IntentNode) => node.status().isTerminal,
  finality: ({ stored, chains }: IntentNode) => deriveFinality(stored, chains.heads),
  sequence: ({ stored }: IntentNode) => stored.sequence,
  timestamp: ({ createdAt }: IntentNode) => createdAt,
  solverAddress: ({ solver }: IntentNode) => solver,
  solver: ({ solver }: IntentNode, _: unknown, { loaders }: GraphqlContext) =>
    solver && loaders.solver.load(solver),
  delivery: ({ stored, view }: IntentNode) => deliveryNode(stored, view),
  lock: lockField,
  forfeits: forfeitsField,
  solveTxHash: ({ stored }: IntentNode) =>
    (findSettledDelivery(stored) ?? findValidDelivery(stored))?.solveTxHash ?? null,
  creditedAmountB: ({ stored }: IntentNode) =>
    (findSettledDelivery(stored) ?? findValidDelivery(stored))?.credited ?? null,
  chain2IntentId: ({ stored }: IntentNode) =>
    stored.source.chain2IntentId ?? findValidDelivery(stored)?.chain2IntentId ?? null,
  refund: refundOf,
  timeline: timelineOf,
  order: orderOfIntent,
  bids: resolveIntentBids,
  events: resolveIntentEvents,
}

/** Fields of an intent's parts whose `amount` is in its tokenA. */
export const amountInTokenA = decimals(['amount'], ({ tokenA }: { tokenA: TokenPlace }) => tokenA)

function tokenAOf({ sourceChainId, tokenA }: StoredIntent['source']): TokenPlace {
  return { chainId: sourceChainId, token: tokenA }
}

/** Fields of `Delivery` that aren't columns of its row. */
export const deliveryFields = {
  ...pairFields,
  solverAddress: ({ solver }: Delivery) => solver,
  intent: intentOf,
  isValid: validityOf,
}

/** Source object of `Delivery`. `isValid` is present if its intent was loaded. */
type DeliveryNode = Delivery & { isValid?: boolean; view?: AsOfView | null }

async function validityOf(delivery: DeliveryNode, _: unknown, { loaders }: GraphqlContext) {
  if (delivery.isValid !== undefined) return delivery.isValid
  const stored = await loaders.intent.load(delivery)
  return stored !== null && isValidDelivery(stored.source, delivery)
}

function deliveryNode(stored: StoredIntent, view: AsOfView | null): DeliveryNode | null {
  const delivery = findWinnersDelivery(stored)
  return delivery && { ...delivery, view, isValid: isValidDelivery(stored.source, delivery) }
}

function refundOf(node: IntentNode) {
  const terms = bridgeOf(node)?.terms
  const owed = terms && deriveRefund(node.stored, node.chains.heads, terms)
  return owed && { ...owed, tokenA: tokenAOf(node.stored.source) }
}

function lockField({ stored }: IntentNode) {
  const lock = findLockedStake(stored.source)
  return (
    lock && { solverAddress: lock.solver, amount: lock.amount, tokenA: tokenAOf(stored.source) }
  )
}

async function forfeitsField(node: IntentNode, _: unknown, context: GraphqlContext) {
  const history = await timelineEventsOf(node, context)
  const forfeits = forfeitsOf(node.stored.source, history?.events ?? [])
  const tokenA = tokenAOf(node.stored.source)
  return forfeits.map(({ solver, ...rest }) => ({ solverAddress: solver, ...rest, tokenA }))
}

async function timelineOf(
  node: IntentNode,
  _: unknown,
  context: GraphqlContext,
): Promise<TimelineEntry[]> {
  const history = await timelineEventsOf(node, context)
  if (!history) return []
  const { events, terms } = history
  return buildTimeline(events, node.chains.heads, terms, node.stored.source.paramsHash)
}

async function timelineEventsOf(node: IntentNode, { loaders }: GraphqlContext) {
  const bridge = bridgeOf(node)
  const stored = node.stored.events ? node.stored : await loaders.timeline.load(node)
  if (!bridge || !stored?.events) return null
  const events = stored.events.map((row) => fromEventRow(row, bridge.address))
  return { events, terms: bridge.terms }
}
